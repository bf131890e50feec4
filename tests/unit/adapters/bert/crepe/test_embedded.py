"""The embedded CREPE model without torch: the same counts, by ONNX Runtime and the tokenizer's own library."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from overread.adapters.bert.crepe import plugin
from overread.adapters.bert.crepe._checkpoint import load_checkpoint
from overread.adapters.bert.crepe._embedded import WordPieces, load_embedded
from overread.adapters.bert.crepe.options import SmallCounterOptions
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.error_counts import ErrorCounts
from overread.exceptions import MissingDependencyError

_FOLDER: Final = Path(plugin.__file__).parent / "data" / "small"
_TEXTS: Final = (
    "The heart is normal in size. No pneumothorax.",
    "Moderate right pleural effusion; 3.5 cm naïve cyst.",
    "",
    "Unchanged.",
)
_PAIRS: Final = [
    ReportPair(id=f"{one}-{other}", reference=Report(_TEXTS[one]), candidate=Report(_TEXTS[other]))
    for one in range(4)
    for other in range(4)
]


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr("overread.extras.find_spec", lambda name: None if name == "torch" else real(name))


@pytest.mark.usefixtures("without_torch")
def test_counts_are_those_of_torch() -> None:
    """Of every pair within what rounding allows, blank reports included; the identity tells the two apart."""
    ours = plugin._small(SmallCounterOptions(), None)  # type: ignore[arg-type]
    torch = plugin._counter(SmallCounterOptions(), _FOLDER, "small", "")
    assert ours.identity == torch.identity.replace("dtype=fp32", "onnx,dtype=fp32")
    for own, wanted in zip(ours.count(_PAIRS), torch.count(_PAIRS), strict=True):
        if isinstance(wanted, ErrorCounts):
            assert isinstance(own, ErrorCounts)
            assert own.counts == pytest.approx(wanted.counts, abs=1e-4)
            assert own.presence == pytest.approx(wanted.presence, abs=1e-4)
        else:
            assert own == wanted


def test_the_graph_is_of_the_checkpoint_beside_it() -> None:
    """Whoever trains the one anew exports the other."""
    assert load_embedded(_FOLDER).digest == load_checkpoint(_FOLDER).digest


@pytest.mark.parametrize("threads", ["2,1", " 1 ", "many"])
def test_a_number_of_threads_that_is_no_single_number_is_no_damage(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenMP takes a list, one number for each level of nesting, and ignores what it cannot read."""
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    assert load_embedded(_FOLDER).digest == load_checkpoint(_FOLDER).digest


def test_tokens_are_those_of_transformers() -> None:
    """The file holds all of the tokenizer."""
    own, theirs = WordPieces.read(_FOLDER / "tokenizer.json"), load_checkpoint(_FOLDER).tokenizer
    assert own(_TEXTS)["input_ids"] == theirs(list(_TEXTS), add_special_tokens=False)["input_ids"]
    names = ("pad_token_id", "unk_token_id", "cls_token_id", "sep_token_id")
    assert [getattr(own, name) for name in names] == [getattr(theirs, name) for name in names]


@pytest.mark.usefixtures("without_torch")
def test_what_torch_alone_computes_needs_it() -> None:
    """The message names the extra."""
    with pytest.raises(MissingDependencyError, match=r"needs torch; install with: pip install 'overread\[torch\]'"):
        plugin._small(SmallCounterOptions(dtype="bf16"), None)  # type: ignore[arg-type]


def test_the_default_judgement_and_what_is_embedded_do_without_extras() -> None:
    """In a process that finds no package of an extra: each metric that needs no model of one's own still scores."""
    code = (
        "import sys, warnings\n"
        "from overread.extras import EXTRAS\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in lacking:\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "lacking = {module for modules in EXTRAS.values() for module in modules} - {'pandas'}\n"
        "sys.meta_path.insert(0, Absent())\n"
        "import overread\n"
        "texts = {'reference': 'Small left pleural effusion. No pneumothorax. Heart size is normal.',\n"
        "         'candidate': 'Moderate right pleural effusion. Small pneumothorax. The heart is enlarged.'}\n"
        "metrics = ['radot', 'notation', 'labels', 'graph', 'crepe']\n"
        "results = overread.score(**texts, metrics=metrics)\n"
        "print([name for name, result in results.items() if not result.score >= 0])\n"
        "print(sorted(lacking & sys.modules.keys()))\n"
        "print(any('medspaCy is not installed' in note for note in results['notation'].outcome.notes))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["[]", "[]", "True"], done.stderr


def test_the_default_metrics_load_neither_torch_nor_transformers_where_they_are_installed() -> None:
    """They take longer to load than all the rest."""
    code = (
        "import sys, overread\n"
        "texts = {'reference': 'Small effusion. Heart normal. No fracture.', 'candidate': 'No effusion. Big heart.'}\n"
        "overread.score(**texts)\n"
        "heavy = {'torch', 'transformers', 'scipy', 'sklearn', 'pyarrow', 'ot'}\n"
        "print(sorted(heavy & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["[]"], done.stderr
