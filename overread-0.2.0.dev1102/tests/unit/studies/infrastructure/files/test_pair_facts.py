"""Studies and kinds of pairs, read from the file of the pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from overread.exceptions import InputError
from overread.studies.infrastructure.files.pair_facts import check_same_pairs, read_pair_facts, read_pairs_of


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_studies_and_kinds_by_id(tmp_path: Path) -> None:
    """Ids are asked for in any order, and one the file lacks has no kind and is its own study."""
    path = written(tmp_path, "id,study,ward,reference,candidate\n1,s,icu,x,y\n2,s,,x,y\n3,,icu,x,y\n")
    facts = read_pair_facts(path, ["ward"])
    assert facts.studies_of(["1", "2", "3", "4"]) == ["ss", "ss", "p3", "p4"]
    assert facts.values("ward", ["1", "2", "3", "4"]) == ["icu", "", "icu", ""]


def test_without_studies_each_pair_is_its_own(tmp_path: Path) -> None:
    """Resampling by study falls back to pairs where no study is named."""
    facts = read_pair_facts(written(tmp_path, "id,reference,candidate\n1,x,y\n2,x,y\n"))
    assert len(set(facts.studies_of(["1", "2"]))) == 2


def test_a_named_study_is_never_that_of_a_pair_without_one(tmp_path: Path) -> None:
    """A study named like another pair's id does not swallow that pair."""
    facts = read_pair_facts(written(tmp_path, "id,study\n1,2\n2,\n"))
    assert len(set(facts.studies_of(["1", "2"]))) == 2


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A mistyped column is not taken for a kind without values."""
    with pytest.raises(InputError, match="no column ward"):
        read_pair_facts(written(tmp_path, "id,study\n1,2\n"), ["ward"])


def test_a_report_is_no_kind(tmp_path: Path) -> None:
    """A column of long texts is refused without quoting any of it."""
    path = written(tmp_path, f"id,reference\n1,{'PRIVATE ' * 20}\n")
    with pytest.raises(InputError, match="row 1: reference is longer") as caught:
        read_pair_facts(path, ["reference"])
    assert "PRIVATE" not in str(caught.value)


def test_the_reports_of_some_pairs(tmp_path: Path) -> None:
    """Only the pairs asked for are kept, and unknown ids are passed over."""
    path = written(tmp_path, "id,reference,candidate\n1,x,y\n2,z,w\n")
    found = read_pairs_of(path, ["2", "3"])
    assert [(name, pair.candidate.text) for name, pair in found.items()] == [("2", "w")]


def test_a_column_with_a_kind_for_every_pair_is_refused(tmp_path: Path) -> None:
    """A column of names or dates is no kind: a table of it would list the patients."""
    path = written(tmp_path, "id,name\n" + "".join(f"{number},n{number}\n" for number in range(101)))
    with pytest.raises(InputError, match="row 101: name has more than 100 kinds"):
        read_pair_facts(path, ["name"])


def test_files_of_pairs_must_mean_the_same_by_an_id(tmp_path: Path) -> None:
    """Other references or studies are told with their number and an id; candidates are asked about for metrics only."""
    one, same, other, bare = (tmp_path / name for name in ("one.csv", "same.jsonl", "other.csv", "bare.csv"))
    one.write_text("id,study,reference,candidate\n1,s,No  mass.,x\n2,t,Clear.,x\n3,t,Clear.,x\n", encoding="utf-8")
    same.write_text('{"id": 2, "study": "t", "reference": "Clear.", "candidate": "y"}\n', encoding="utf-8")
    other.write_text("id,study,reference,candidate\n1,s,No mass.,x\n2,u,A.,x\n3,t,B.,x\n4,t,B.,x\n", encoding="utf-8")
    bare.write_text("id,study\n1,s\n2,\n9,t\n", encoding="utf-8")
    check_same_pairs(one, same)
    check_same_pairs(one, bare, candidates=True)
    with pytest.raises(
        InputError, match=r"reference for 2 and another study for 1 of the 3 ids .* that of row 2 among them"
    ):
        check_same_pairs(one, other)
    with pytest.raises(InputError, match="another candidate for 1 of the 1 ids"):
        check_same_pairs(one, same, candidates=True)
