"""Metrics as rewards: as a trainer calls them, in forked and in spawned workers."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

import overread
from overread.exceptions import ConfigurationError, InputError

REFERENCES = ["Small left pleural effusion. No pneumothorax.", "The lungs are clear.", ""]
COMPLETIONS = ["Small left pleural effusion. No pneumothorax.", "Large right pneumothorax.", ""]


def test_rewards_follow_the_metric_and_keep_their_place() -> None:
    """A perfect report has 1, a false finding less, what cannot be scored 0, or none if that is asked for."""
    perfect, wrong, nothing = overread.reward("radot")(completions=COMPLETIONS, reference=REFERENCES)
    assert perfect == 1.0
    assert wrong is not None
    assert 0.0 <= wrong < 1.0
    assert nothing == 0.0
    assert overread.reward("rouge", unscored=None)(completions=[""], reference=[""]) == [None]


def test_rewards_are_those_of_the_scores() -> None:
    """By hand: a score from 0 to 1 turned round, a risk from 0 up as 1 / (1 + risk)."""
    risk = overread.score(reference=REFERENCES[1], candidate=COMPLETIONS[1])["radot"]
    whole = overread.reward("radot")(completions=[COMPLETIONS[1]], reference=[REFERENCES[1]])
    part = overread.reward("radot", subscore="significant")(completions=[COMPLETIONS[1]], reference=[REFERENCES[1]])
    assert whole == pytest.approx([1 - risk.score])
    assert part == pytest.approx([1 / (1 + risk.subscores["significant"])])


def test_a_conversation_ends_in_its_report() -> None:
    """The last message of each completion is scored; other columns are passed by."""
    talks = [[{"role": "assistant", "content": text}] for text in COMPLETIONS]
    give = overread.reward("rouge", reference="findings")
    assert give(prompts=["?"] * 3, completions=talks, findings=REFERENCES) == give(
        completions=COMPLETIONS, findings=REFERENCES
    )


def test_messages_may_hold_parts_or_nothing() -> None:
    """The text of the parts is the report; a message of tool calls alone is an empty one."""
    give = overread.reward("rouge")
    parts = [{"type": "text", "text": "Small left "}, {"type": "image"}, {"type": "text", "text": "effusion."}]
    talks: list[Any] = [[{"role": "assistant", "content": parts}], [{"role": "assistant", "content": None}]]
    assert give(completions=talks, reference=["Small left effusion."] * 2) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"completions": ["a"]}, "no column 'reference'"),
        ({"completions": ["a"], "reference": []}, "0 references for 1 completions"),
        ({"completions": ["a"], "reference": [None]}, "the reference is NoneType"),
        ({"completions": [[]], "reference": ["a"]}, "the completion is list, neither text nor messages"),
        ({"completions": [7], "reference": ["a"]}, "the completion is int, neither text nor messages"),
        ({"completions": "a", "reference": "a"}, "come in lists"),
        ({"completions": ["a"], "reference": {"a"}}, "a set has no order"),
        ({"completions": {"a"}, "reference": ["a"]}, "a set has no order"),
    ],
)
def test_bad_batches_are_refused(arguments: dict[str, Any], words: str) -> None:
    """The message says what is wrong and quotes no report."""
    with pytest.raises(InputError, match=words):
        overread.reward("rouge")(**arguments)


def test_unknown_choices_are_refused() -> None:
    """A subscore that is not there, and a reward beyond its range."""
    with pytest.raises(ConfigurationError, match="has no subscore 'A' to reward; it has none"):
        overread.reward("rouge", subscore="A")(completions=["a"], reference=["a"])
    with pytest.raises(ConfigurationError, match="needs 'reward', a count of errors or a risk"):
        overread.reward("rouge", subscore="recall")
    with pytest.raises(ConfigurationError, match="from 0 to 1"):
        overread.reward("rouge", unscored=-1.0)
    with pytest.raises(ConfigurationError, match="from 0 to 1"):
        overread.reward("rouge", unscored=True)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_workers_reward_as_their_parent_does(method: str) -> None:
    """Also where the parent has scored before, and holds its lock at the moment of the fork."""
    give = overread.reward("rouge")
    here = give(completions=COMPLETIONS[:2], reference=REFERENCES[:2])
    service = give.service.built
    assert service is not None
    with service._lock, ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as workers:
        there = workers.submit(give, completions=COMPLETIONS[:2], reference=REFERENCES[:2])
        assert there.result(timeout=300) == here


def test_it_can_be_pickled() -> None:
    """Without the scorer, which its new process builds for itself."""
    give = overread.reward("rouge", reference="findings")
    give(completions=["a"], findings=["a"])
    copy = pickle.loads(pickle.dumps(give))  # noqa: S301 - our own
    assert copy.service.built is None
    assert copy(completions=["a"], findings=["a"]) == [1.0]


def test_a_hole_in_the_data_may_be_passed_by() -> None:
    """A bad reference costs what an unreadable one does, a bad completion is worth nothing; all are named otherwise."""
    batch: dict[str, Any] = {
        "completions": [*COMPLETIONS[:2], 7, [], None],
        "reference": [REFERENCES[0], float("nan"), REFERENCES[0], REFERENCES[0], None],
    }
    give = overread.reward("rouge", unscored=0.25, on_error="skip")
    assert give(**batch) == [1.0, 0.25, 0.0, 0.0, 0.25]
    with pytest.raises(InputError, match="4 of 5 rows are bad: row 2: the reference is float, not text; row 3") as told:
        overread.reward("rouge")(**batch)
    assert told.value.rows == (2, 3, 4, 5)
    with pytest.raises(ConfigurationError, match="on_error must be fail or skip"):
        overread.reward("rouge", on_error="never")  # type: ignore[arg-type]
