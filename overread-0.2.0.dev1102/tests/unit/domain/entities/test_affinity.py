"""RaTEScore's tables: what they hold, how they are read, and what no table may be."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from overread.domain.entities.affinity import DEFAULT_TABLE, TABLES, TYPES, AffinityTable, Orientation, PenaltyRule
from overread.domain.entities.entity import EntityType

ABNORMAL, ANATOMY, DISEASE, NORMAL, NO_DISEASE = TYPES
LONG = TABLES["release-0.6-long"]


def table(**changes: Any) -> AffinityTable:
    return evolve(LONG, **{"name": "mine", **changes})


def weights_with(row: int, column: int, weight: float) -> tuple[tuple[float, ...], ...]:
    rows = [list(weights) for weights in LONG.weights]
    rows[row][column] = weight
    return tuple(map(tuple, rows))


def test_the_default_is_the_long_table_of_the_latest_release() -> None:
    """The numbers are those of its file."""
    assert DEFAULT_TABLE == "release-0.6-long"
    assert LONG.p == pytest.approx(0.87166, abs=1e-5)
    assert LONG.by_type[DISEASE][ANATOMY] == 0.9950209388542061
    assert LONG.by_type[NORMAL][NORMAL] == 0.0009357166071730684


def test_no_published_matrix_is_symmetric() -> None:
    """Which type stands for the row therefore decides."""
    for known in TABLES.values():
        weights = np.array(known.weights)
        assert not np.allclose(weights, weights.T)


def test_release_0_5_had_the_same_long_matrix_and_another_penalty() -> None:
    """Scores of the two releases differ in the penalty alone."""
    old = TABLES["release-0.5-long"]
    assert old.weights == LONG.weights
    assert old.p == 0.3612


def test_the_superseded_short_table_has_the_penalty_its_code_used_and_not_that_of_its_file() -> None:
    """The code never read the number in the file."""
    assert TABLES["repo-2024-11-short"].p == 0.3612
    assert TABLES["repo-2024-11-short"].by_type[NO_DISEASE][ABNORMAL] == 0.14219022374586918


def test_as_the_release_reads_it_the_row_is_the_scored_entity() -> None:
    """The matrix is not symmetric, so that the order matters."""
    assert LONG.read_as(Orientation.RELEASE).weights.tolist() == [list(row) for row in LONG.weights]


def test_as_the_paper_reads_it_the_row_is_the_match() -> None:
    """The paper's formula reads the matrix the other way round."""
    scored, match = TYPES.index(ANATOMY), TYPES.index(DISEASE)
    assert LONG.read_as(Orientation.PAPER).weights[scored, match] == LONG.by_type[DISEASE][ANATOMY]


@pytest.mark.parametrize("orientation", Orientation)
@pytest.mark.parametrize("penalty", PenaltyRule)
def test_unless_told_otherwise_a_table_is_read_as_it_was_learned(
    orientation: Orientation, penalty: PenaltyRule
) -> None:
    """A learned table carries its orientation and penalty with it."""
    learned = table(orientation=orientation, penalty=penalty)
    default, stated = learned.read_as(), LONG.read_as(orientation, penalty)
    assert np.array_equal(default.weights, stated.weights)
    assert np.array_equal(default.penalties, stated.penalties)


def test_polarity_penalises_the_eight_couples_of_presence_and_denial() -> None:
    """Two types on one side of the denial are not at odds."""
    penalties = LONG.read_as(penalty=PenaltyRule.POLARITY).penalties
    present, denied = {ABNORMAL, DISEASE}, {NORMAL, NO_DISEASE}
    expected = {*product(present, denied), *product(denied, present)}
    assert penalised(penalties) == expected
    assert len(expected) == 8


def test_any_mismatch_penalises_every_two_types_that_differ() -> None:
    """The paper's rule knows no harmless couple."""
    penalties = LONG.read_as(penalty=PenaltyRule.ANY_MISMATCH).penalties
    assert penalised(penalties) == {(a, b) for a, b in product(TYPES, TYPES) if a != b}


def penalised(penalties: Any) -> set[tuple[EntityType, EntityType]]:
    """The couples whose factor is p; every other is 1."""
    assert set(penalties.ravel().tolist()) == {LONG.p, 1.0}
    return {(a, b) for (i, a), (j, b) in product(enumerate(TYPES), enumerate(TYPES)) if penalties[i, j] == LONG.p}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": LONG.weights[:4]}, "weights must be 5 x 5"),
        ({"weights": [row[:4] for row in LONG.weights]}, "weights must be 5 x 5"),
        ({"weights": weights_with(0, 2, -0.1)}, "row ABNORMALITY, column DISEASE must be 0 or more, not -0.1"),
        ({"weights": weights_with(4, 1, float("nan"))}, "row NON-DISEASE, column ANATOMY must be 0 or more, not nan"),
        ({"weights": weights_with(3, 3, float("inf"))}, "row NON-ABNORMALITY, column NON-ABNORMALITY"),
        ({"weights": [[0.0] * 5] * 5}, "the weights are all 0"),
        ({"p": 1.01}, "p must lie on 0 to 1, not 1.01"),
        ({"p": -0.01}, "p must lie on 0 to 1"),
        ({"p": float("nan")}, "p must lie on 0 to 1"),
        ({"name": " "}, "name must be"),
        ({"name": "a|b"}, "name must be"),
        ({"name": "a\nb"}, "name must be"),
    ],
)
def test_what_is_no_table_is_refused(changes: dict[str, Any], message: str) -> None:
    """The message names row and column."""
    with pytest.raises(ValueError, match=message):
        table(**changes)


def test_a_shipped_table_goes_by_its_name_alone() -> None:
    """A name in a signature is enough to find it."""
    assert [known.identity for known in TABLES.values()] == list(TABLES)


@pytest.mark.parametrize(
    "changes",
    [
        {"weights": weights_with(1, 1, 0.2856)},
        {"p": 0.5},
        {"orientation": Orientation.PAPER},
        {"penalty": PenaltyRule.ANY_MISMATCH},
    ],
)
@pytest.mark.parametrize("name", ["mine", "release-0.6-long"])
def test_another_number_or_reading_makes_another_identity(name: str, changes: dict[str, Any]) -> None:
    """Two tables under one name are told apart, also under the name of a shipped one."""
    before, after = table(name=name), table(name=name, **changes)
    assert after.identity != before.identity
    assert after.identity.startswith(f"{name}#")
    assert after.identity == table(name=name, **changes).identity
