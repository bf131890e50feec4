"""What adds to a report alone is told from what takes its place."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from typing import Final

import pytest

from overread.hospital.domain.additions import is_addition

_INVENTED: Final = json.loads((Path(__file__).parents[3] / "data" / "addenda.json").read_text(encoding="utf-8"))
"""Reports, texts that were added to them alone, and texts that took their place; each text after its report."""

_REPORTS: Final[list[str]] = _INVENTED["reports"]
_ADDED: Final[list[tuple[str, str]]] = list(map(tuple, _INVENTED["added"]))
_REPLACED: Final[list[tuple[str, str]]] = list(map(tuple, _INVENTED["replaced"]))
_WHOLE: Final = _REPORTS[1]


@pytest.mark.parametrize(("report", "text"), _ADDED)
def test_an_addendum_alone_is_an_addition(report: str, text: str) -> None:
    """Word of a telephone call, of a comparison or a dose, of an attending who agrees, or of pathology."""
    assert is_addition(text, report)
    assert not is_addition(report, text)


@pytest.mark.parametrize(("report", "text"), _REPLACED)
def test_what_takes_the_place_of_a_report_is_none(report: str, text: str) -> None:
    """Corrected, shortened, told anew in other words, by a report on something else, or short from the first."""
    assert not is_addition(text, report)


def test_an_addition_is_one_to_any_report() -> None:
    """What is added does not come from the report that it happens to follow."""
    known = [is_addition(text, report) for report in _REPORTS for _, text in _ADDED]
    assert sum(known) >= 0.98 * len(known)


def test_the_whole_report_with_an_addendum_on_top_takes_its_place() -> None:
    """However the two are put together."""
    for addendum in ("ADDENDUM: Discussed with Dr. Roe at 10:12.", "Addendum\nSmall subdural haematoma."):
        assert not is_addition(f"{addendum}\n\n{_WHOLE}", _WHOLE)
        assert not is_addition(f"{_WHOLE}\n\n{addendum}", _WHOLE)


@pytest.mark.parametrize(("report", "text"), [("", "Discussed with Dr. Roe."), (_WHOLE, ""), ("", ""), (_WHOLE, " \n")])
def test_where_a_text_is_missing_nothing_is_known(report: str, text: str) -> None:
    """A text that is no longer kept makes no addition of what is."""
    assert not is_addition(text, report)


def test_reports_that_others_told_anew_are_hardly_ever_taken_for_additions() -> None:
    """By all pairs of the corpus of retold reports, whose authors write telegrams and letters; it was 12 of 8,400."""
    corpus = (
        files("overread.studies.infrastructure.datasets.retold").joinpath("studies.jsonl").read_text(encoding="utf-8")
    )
    taken = total = 0
    for line in corpus.splitlines():
        texts = [" ".join(words for words, _ in each["sentences"]) for each in json.loads(line)["versions"]]
        for report, text in permutations(texts, 2):
            total += 1
            taken += is_addition(text, report)
    assert total > 8000
    assert taken <= 0.002 * total
