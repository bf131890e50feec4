"""Composites: coefficients of files, and what they make of other metrics' numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from attrs import field, frozen

from overread.adapters.metrics.composite.options import CompositeOptions
from overread.adapters.metrics.composite.plugin import overread_metrics
from overread.adapters.metrics.composite.tables import load_composite
from overread.application.metrics.composite import CompositeMetric
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scale, Scored, Unscored
from overread.exceptions import ConfigurationError
from overread.testing import FakeComponents

FILE = """
higher_is_better = false
intercept = 3
low = 0

[[term]]
metric = "bleu:2"
coefficient = -0.5
mean = 0.2
deviation = 0.1

[[term]]
metric = "chexbert:models/chexbert"
number = "similarity"
coefficient = -2
"""


@frozen
class Says:
    """Gives each pair the outcome that stands under its id."""

    outcomes: Mapping[str, Outcome]
    signature_parts: Sequence[tuple[str, str]] = field(default=(("version", "1"),))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [self.outcomes[each.id] for each in pairs]


def composite(tmp_path: Path, bleu: Mapping[str, Outcome], chexbert: Mapping[str, Outcome]) -> CompositeMetric:
    path = tmp_path / "mine.toml"
    path.write_text(FILE, encoding="utf-8")
    table, identity = load_composite(path)
    return CompositeMetric({"bleu:2": Says(bleu), "chexbert:models/chexbert": Says(chexbert)}, table, identity)


def evaluated(metric: CompositeMetric, *ids: str) -> list[Outcome]:
    return metric.evaluate([ReportPair(id=each, reference="edema", candidate="edema") for each in ids])


def test_a_sum_by_hand(tmp_path: Path) -> None:
    """3 - 0.5 (0.3 - 0.2) / 0.1 - 2 x 0.7 = 1.1; below 0 there is nothing on this scale."""
    chexbert = {
        "a": Scored(score=0.1, subscores={"similarity": 0.7}, notes=("cut",), truncated=True),
        "b": Scored(score=0.1, subscores={"similarity": 1.0}),
    }
    metric = composite(tmp_path, {"a": Scored(score=0.3), "b": Scored(score=0.9)}, chexbert)
    first, second = evaluated(metric, "a", "b")
    assert isinstance(first, Scored)
    assert first.score == pytest.approx(1.1)
    assert first.subscores == {"bleu": 0.3, "chexbert_similarity": 0.7}
    assert first.truncated
    assert first.notes == ("chexbert:models/chexbert: cut",)
    assert isinstance(second, Scored)
    assert second.score == 0.0
    assert metric.traits.scale == Scale(0.0, float("inf"), higher_is_better=False)


def test_a_sum_without_a_term_is_no_score(tmp_path: Path) -> None:
    """A metric's reason is the composite's; a number that is not there is one, too."""
    failed = Unscored("too long", "so long")
    metric = composite(tmp_path, {"a": failed, "b": Scored(score=0.3)}, {n: Scored(score=0.1) for n in "ab"})
    first, second = evaluated(metric, "a", "b")
    assert first == failed
    assert isinstance(second, Unscored)
    told = "chexbert:models/chexbert has no similarity for this pair (it has score)"
    assert (second.reason, second.detail) == ("undefined", told)


def test_the_signature_has_every_part(tmp_path: Path) -> None:
    """The table with its digest, and what each metric is made of."""
    parts = dict(composite(tmp_path, {}, {}).signature_parts)
    assert parts["table"].startswith("mine#")
    assert (parts["bleu.version"], parts["chexbert.version"]) == ("1", "1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("intercept = ", "is not TOML: Invalid value"),
        ("higher_is_better = true", r"one or more \[\[term\]\]"),
        ("higher_is_better = true\nterm = []", r"one or more \[\[term\]\]"),
        ("higher_is_better = true\nterm = 3", "term must be a list, not 3"),
        ("higher_is_better = true\nterm = [3]", r"term\[0\] must be a table, not 3"),
        (FILE.replace("higher_is_better = false", ""), "higher_is_better must be given"),
        (FILE.replace("false", '"no"'), "higher_is_better must be true or false"),
        (FILE.replace("intercept = 3", 'intercept = "3"'), "intercept must be a number"),
        (FILE.replace("intercept", "intercepts"), "intercepts is not a setting; did you mean intercept?"),
        (
            FILE.replace(FILE[FILE.index("[[term]]") :], "[term]\nmetric = 'rouge'"),
            r"list of tables, each .* \[\[...\]\]",
        ),
        (FILE.replace("mean", "average"), r"term\[0\].average is not a setting \(known: metric, "),
        (FILE.replace("deviation = 0.1", "deviation = 0"), "deviation above 0"),
        (FILE.replace("coefficient = -2", ""), r"term\[1\].coefficient must be given"),
        (FILE.replace("low = 0", "low = 2\nhigh = 1"), "low end below the high one"),
        (FILE.replace("bleu:2", "composite:mine.toml"), "cannot hold a composite"),
        (FILE + FILE[FILE.index("[[term]]") :], "in no more than one of them"),
    ],
)
def test_a_file_that_holds_no_coefficients(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file and what is wrong."""
    path = tmp_path / "odd.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message) as told:
        load_composite(path)
    assert "odd.toml" in str(told.value)


def test_it_needs_a_file() -> None:
    """No coefficients come with it."""
    [spec] = overread_metrics()
    with pytest.raises(ConfigurationError, match="composite:FILE"):
        spec.factory(CompositeOptions(), FakeComponents())
