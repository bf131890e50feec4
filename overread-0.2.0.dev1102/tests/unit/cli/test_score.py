"""`overread score` and `explain` for one pair: what the options say of the patient."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overread.cli.app import app
from overread.cli.pair import in_context
from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.exceptions import ConfigurationError

PAIR = ReportPair(id="a", reference="", candidate="", context=ClinicalContext(age=40.0, indication="cough"))


def test_options_say_what_is_known_of_the_patient() -> None:
    """What they leave out stays as the table has it."""
    assert in_context(PAIR, None, None, None) is PAIR
    assert in_context(PAIR, "066Y", None, None).context == ClinicalContext(age=66.0, indication="cough")
    assert in_context(PAIR, None, " F", "? pneumothorax").context == ClinicalContext(
        age=40.0, sex="F", indication="? pneumothorax"
    )
    assert in_context(PAIR, None, None, " ").context == ClinicalContext(age=40.0)


@pytest.mark.parametrize(
    ("age", "sex", "said"),
    [
        ("elderly", None, "--age is not an age in years; give years"),
        ("-1", None, "--age is not an age"),
        ("126", None, "--age is not an age between 0 and 125"),
        (None, "mixed", "--sex must be one of f, female, m, male"),
    ],
)
def test_options_that_say_nothing_are_refused(age: str | None, sex: str | None, said: str) -> None:
    """The option is named, and what it takes."""
    with pytest.raises(ConfigurationError, match=said):
        in_context(PAIR, age, sex, None)


def _weighed(tmp_path: Path, *options: str) -> list[str]:
    """Reasons of the discrepancies of a pair that omits free gas."""
    output = tmp_path / "result.json"
    texts = ("--reference-text", "Free gas under the right hemidiaphragm.", "--candidate-text", "Clear lungs.")
    arguments = ["score", *texts, "-m", "notation", "-f", "json", "-o", str(output), *options]
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0, run.output
    [result] = json.loads(output.read_text(encoding="utf-8"))
    return [discrepancy["reason"] for discrepancy in result["discrepancies"]]


def test_the_patient_reaches_the_metric(tmp_path: Path) -> None:
    """What a discrepancy is told to ask for depends on the options."""
    plain = _weighed(tmp_path)
    after = _weighed(tmp_path, "--age", "066Y", "--sex", "F", "--indication", "Day 1 after laparotomy")
    assert plain
    assert plain != after


@pytest.mark.parametrize("command", ["score", "explain"])
def test_no_output_takes_the_place_of_a_table_that_a_component_reads(command: str, tmp_path: Path) -> None:
    """The units that an extractor has stored are an input like any other."""
    table = tmp_path / "units.jsonl"
    table.write_text("{}\n")
    texts = ["--reference-text", "Edema.", "--candidate-text", "Edema."]
    done = CliRunner().invoke(
        app, [command, *texts, "--set", f"extractor=table:{table}", "-f", "json", "-o", str(table)]
    )
    assert "is also the input file" in str(done.exception)
    assert table.read_text() == "{}\n"
