"""Groups of words that the terms of a file share."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon.groups import with_groups


def test_a_group_is_written_out_where_a_term_names_it() -> None:
    """An optional group, and one that names a group before it, too."""
    document = {
        "groups": {"seen": ["seen", "shown"], "found": ["{seen}", "met"]},
        "rule": [{"category": "NEGATED", "terms": ["not {seen}", "never {found}?"]}],
    }
    (rule,) = with_groups(document)["rule"]
    assert rule == {"category": "NEGATED", "terms": ["not seen|shown", "never seen|shown|met?"]}


@pytest.mark.parametrize("groups", [{}, {"found": ["{seen}"], "seen": ["shown"]}])
def test_a_group_must_be_defined_before_it_is_named(groups: dict[str, list[str]]) -> None:
    """The error names the term and the group."""
    with pytest.raises(ValueError, match=r"'(not )?\{seen\}' names the group 'seen'"):
        with_groups({"groups": groups, "rule": [{"terms": ["not {seen}"]}]})


def test_a_file_without_groups_stays_as_it_is() -> None:
    """Braces are plain characters there."""
    document = {"rule": [{"terms": ["{x}"]}]}
    assert with_groups(document) == document
