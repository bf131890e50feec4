"""What the reader loads, and what it does not."""

from __future__ import annotations

import subprocess
import sys
from threading import Thread, get_ident

import pytest

from overread.adapters.reader.medspacy._medspacy import _Sparing

_SCORE = [
    "score",
    "-m",
    "notation:fast",
    "--reference-text",
    "Small left effusion.",
    "--candidate-text",
    "No effusion.",
]


def test_scoring_loads_no_library_that_it_does_not_use() -> None:
    """They take longer to load than all the rest; nltk is there, but nothing of it is executed before it is used."""
    unused = [
        "nltk.corpus",
        "nltk.tokenize",
        "onnxruntime",
        "ot",
        "pandas",
        "scipy",
        "sklearn",
        "torch",
        "transformers",
    ]
    code = (
        "import sys\n"
        "from contextlib import suppress\n"
        "from overread.cli.app import main\n"
        f"sys.argv = ['overread', *{_SCORE!r}]\n"
        "with suppress(SystemExit):\n"
        "    main()\n"
        f"print([name for name in {unused!r} if name in sys.modules])\n"
        "import nltk\n"
        "from importlib.util import find_spec\n"
        "print(nltk.edit_distance('left', 'lift'), find_spec('torch').name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "notation" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["[]", "1 torch"], "and who uses them has them"


def test_what_is_not_needed_is_not_found_by_the_thread_that_spares_it() -> None:
    """Another thread that imports it meanwhile finds it."""
    sparing = _Sparing(frozenset({"torch"}), get_ident())
    with pytest.raises(ModuleNotFoundError, match="torch is not needed here"):
        sparing.find_spec("torch", None)
    assert sparing.find_spec("json", None) is None
    found: list[object] = ["nothing"]
    other = Thread(target=lambda: found.append(sparing.find_spec("torch", None)))
    other.start()
    other.join()
    assert found[-1] is None
