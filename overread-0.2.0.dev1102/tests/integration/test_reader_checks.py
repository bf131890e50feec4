"""Checks against labels that people made: the commands on invented data, and the reader on the published data.

The published data are not part of overread. They are looked for in the folder that OVERREAD_DATA names, else in
``../shared/data`` beside the repository; where they are not, their tests are skipped.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from overread.application.statistics import Estimate
from overread.infrastructure.settings import Settings
from overread.studies.application.reader_checks.check import ReaderCheck
from overread.studies.application.reader_checks.polarity import CUE_TABLE
from overread.studies.bootstrap import checks

_ROOT: Final = Path(__file__).parents[2]
_DATA: Final = Path(os.environ.get("OVERREAD_DATA") or _ROOT.parent / "shared" / "data")
_PROBES: Final = _ROOT / "tests" / "data" / "probes"

_FILES: Final = {
    "polarity": _DATA / "negex_dev" / "negex_dev.tsv",
    "findings": _DATA / "openi" / "NLMCXR_reports.tgz",
    "entailment": _DATA / "radfact_examples" / "nli_few_shot_examples.json",
    "names": _DATA / "oidm_finding_models" / "cxr_findings.csv",
}

AT_LEAST, AT_MOST = "at least", "at most"

# check, table, line, figure, bound
_THRESHOLDS: Final = [
    ("polarity", "Polarity", "negated", "F1", AT_LEAST, 0.95),
    ("polarity", CUE_TABLE, "historical", "recall", AT_LEAST, 0.85),
    ("polarity", CUE_TABLE, "historical", "precision", AT_LEAST, 0.75),
    ("findings", "Coded findings", "all counted terms", "recall", AT_LEAST, 0.92),
    ("findings", "Reports coded normal", "with an actionable finding", "share", AT_MOST, 0.05),
    ("findings", "Sentences", "without a reading", "share", AT_MOST, 0.03),
    ("entailment", "Accuracy", "all", "accuracy", AT_LEAST, 0.80),
    ("names", "Names read as the right finding", "all", "share read", AT_LEAST, 0.90),
    ("significance", "Significant pairs", "all", "D", AT_LEAST, 0.85),
    ("significance", "Insignificant pairs", "all", "R", AT_LEAST, 0.85),
]
_PROBE_FILES: Final = sorted(_PROBES.glob("*.jsonl"))


@functools.cache
def _figures(check: str, path: Path) -> dict[tuple[str, str, str], float | None]:
    """Every share by table, line and column."""
    run: Callable[[Settings, Path], ReaderCheck] = getattr(checks, f"check_{check}")
    return {
        (table.title, str(row[0]), column.name): cell.value
        for table in run(Settings(choices={"second_reader": "none"}), path).tabulation.tables
        for row in table.rows
        for column, cell in zip(table.columns, row, strict=True)
        if isinstance(cell, Estimate)
    }


def _cases() -> list[Any]:
    cases = []
    for check, *rest in _THRESHOLDS:
        paths = _PROBE_FILES if check == "significance" else [_FILES[check]]
        cases += [pytest.param(check, path, *rest, id=f"{path.stem}-{rest[1]}-{rest[2]}") for path in paths]
    return cases


@pytest.mark.parametrize(("check", "path", "table", "line", "figure", "bound", "threshold"), _cases())
def test_the_reader_on_published_data(
    check: str, path: Path, table: str, line: str, figure: str, bound: str, threshold: float
) -> None:
    """Every figure keeps its threshold."""
    if not path.exists():
        pytest.skip(f"no {path.name}: set OVERREAD_DATA to the folder of published data")
    value = _figures(check, path)[table, line, figure]
    assert value is not None
    if bound == AT_LEAST:
        assert value >= threshold
    else:
        assert value <= threshold


_PHRASES: Final = """\
1\t \tpleural effusion\tNo PLEURAL EFFUSION.\tNegated\tRecent\tPatient
2\t \tpneumonia\tHistory of PNEUMONIA.\tAffirmed\tHistorical\tPatient
3\t \tnodule\tThere is a NODULE.\tNegated\tRecent\tPatient
"""
_CODED: Final = """\
<eCitation><uId id="X1"/>
<Abstract><AbstractText Label="FINDINGS">Moderate cardiomegaly. Zork blimp.</AbstractText></Abstract>
<MeSH><major>Cardiomegaly</major></MeSH></eCitation>
"""
_STATEMENTS: Final = [
    {
        "example_id": "e",
        "input": {"phrases_A": ["Right pleural effusion."], "phrases_B": ["No pleural effusion."]},
        "output": {
            "phrases_A_evidenced": [{"phrase": "Right pleural effusion.", "status": "contradiction"}],
            "phrases_B_evidenced": [{"phrase": "No pleural effusion.", "status": "entailment"}],
        },
    }
]
_PAIRS: Final = """\
id,aspect,significant,reference,candidate
p1,Negation,true,No pneumothorax.,Large left pneumothorax.
p2,Location,false,Large left pneumothorax.,Large right pneumothorax.
"""
_INVENTED: Final = {
    "polarity": ("kit.tsv", _PHRASES),
    "findings": ("reports/1.xml", _CODED),
    "entailment": ("nli.json", json.dumps(_STATEMENTS)),
    "names": ("names.csv", 'id,name,synonyms\nFID1040,Pleural effusion,"Pleural fluid,Zork"\n'),
    "significance": ("probes.csv", _PAIRS),
}
_EXPECTED: Final = {
    "polarity": [("Polarity", "negated", "recall", 0.5), ("Polarity", "negated", "precision", 1.0)],
    "findings": [
        ("Coded findings", "all counted terms", "recall", 1.0),
        ("Sentences", "without a reading", "share", 0.5),
    ],
    "entailment": [("Accuracy", "all", "accuracy", 0.5)],
    "names": [("Names read as the right finding", "names", "share read", 1.0)],
    "significance": [("Significant pairs", "all", "D", 1.0), ("Insignificant pairs", "all", "R", 0.0)],
}
_ERROR: Final = {
    "polarity": "3: labelled negated, read affirmed",
    "findings": "Zork blimp.",
    "entailment": "labelled entailment, read contradiction",
    "names": "Zork",
    "significance": "p2: labelled insignificant Location",
}


@pytest.fixture
def check_run(run: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Runs ``overread benchmark NAME`` on the invented data of that check: exit status, output, messages."""

    def call(check: str, *arguments: str, text: str | None = None) -> tuple[int, str, str]:
        name, content = _INVENTED[check]
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if text is None else text, encoding="utf-8")
        data = path.parent if check == "findings" else path
        least = ("--min-count", "1") if check == "findings" else ()
        status, out, err = run("benchmark", check, "--data", data, *least, *arguments)
        return status, out, err

    return call


@pytest.mark.parametrize("check", _INVENTED)
def test_each_command_counts_in_json(check_run: Callable[..., Any], check: str) -> None:
    """The figures are those that the invented data have, and no error is quoted."""
    status, out, _ = check_run(check, "-f", "json")
    record = json.loads(out)
    assert status == 0
    assert "mistakes" not in record
    tables = {t["title"]: {line["name"]: line["figures"] for line in t["lines"]} for t in record["tables"]}
    assert [
        (table, line, figure, tables[table][line][figure]["value"]) for table, line, figure, _ in _EXPECTED[check]
    ] == _EXPECTED[check]


@pytest.mark.parametrize("check", _INVENTED)
def test_each_command_shows_tables_and_its_errors_on_request(check_run: Callable[..., Any], check: str) -> None:
    """Tables keep to 80 columns."""
    status, out, _ = check_run(check)
    assert status == 0
    assert max(len(line) for line in out.splitlines() if not line.startswith("reader")) <= 80
    assert _ERROR[check] not in out
    status, out, _ = check_run(check, "--errors")
    assert status == 0
    assert _ERROR[check] in out


@pytest.mark.parametrize("check", _INVENTED)
def test_each_command_refuses_what_is_no_such_data(check_run: Callable[..., Any], check: str) -> None:
    """With one line that names the file, and exit status 2."""
    status, out, err = check_run(check, text="Report of Mr Sample: the lungs are clear. No effusion.\n")
    assert (status, out) == (2, "")
    assert err.startswith("overread: ")
    assert len(err.splitlines()) == 1
    assert "Mr Sample" not in err
    assert Path(_INVENTED[check][0]).name in err
