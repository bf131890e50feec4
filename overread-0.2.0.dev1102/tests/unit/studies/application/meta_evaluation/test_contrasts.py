"""Discrimination and robustness: thresholds, verdicts and the plane."""

from __future__ import annotations

import pytest

from overread.application.statistics.tabulation import Curves, Flows
from overread.domain.results.annotation import HumanBenchmark, Target
from overread.studies.application.meta_evaluation.aspects import NOTHING, aspects
from overread.studies.application.meta_evaluation.contrasts import contrasts

from .invented import annotated, benchmark, cells, counted, meta, scores

SIGNIFICANT = Target("significant", higher_is_better=False)


def contrasted(*significant: int, aspect: str = "Location") -> HumanBenchmark:
    """A set whose pairs matter or do not, of one aspect."""
    pairs = [
        annotated(
            number,
            {"significant": (value,)},
            strata={"subset": ("robustness", "discrimination")[value], "aspect": aspect},
        )
        for number, value in enumerate(significant)
    ]
    return benchmark(pairs, SIGNIFICANT)


def test_a_metric_that_separates_the_subsets_has_all_of_both() -> None:
    """D and R are 1 at a threshold in the metric's own numbers, which turn where higher is better."""
    told = meta(
        contrasted(1, 1, 0, 0),
        scores("errors", 3, 2, 1, 0),
        scores("quality", 0.1, 0.2, 0.8, 0.9, higher_is_better=True),
    )
    table = contrasts(told).tables[0]
    assert cells(table, "discrimination") == cells(table, "robustness") == [1.0, 1.0]
    assert cells(table, "gap") == [0.0, 0.0]
    assert cells(table, "threshold") == [2.0, 0.2]


def test_the_threshold_makes_the_lesser_of_both_as_great_as_can_be() -> None:
    """Three significant pairs at 2, 2, 0 and three others at 1, 0, 3: at 2, D = R = 2/3."""
    table = contrasts(meta(contrasted(1, 1, 1, 0, 0, 0), scores("errors", 2, 2, 0, 1, 0, 3))).tables[0]
    assert cells(table, "discrimination") == pytest.approx([2 / 3])
    assert cells(table, "robustness") == pytest.approx([2 / 3])
    assert cells(table, "average") == pytest.approx([2 / 3])
    assert cells(table, "threshold") == [2.0]


def test_a_verdict_has_a_row_of_its_own() -> None:
    """It calls everything significant: D is 1, R 0, the average one half and the gap 1."""
    judged = scores("notes", 1, 1, 0, 0, verdicts={f"p{number}": True for number in range(4)})
    part = contrasts(meta(contrasted(1, 1, 0, 0), judged))
    table = part.tables[0]
    assert cells(table, "by") == ["score", "verdict"]
    assert cells(table, "discrimination") == [1.0, 1.0]
    assert cells(table, "robustness") == [1.0, 0.0]
    assert cells(table, "average") == [1.0, 0.5]
    assert cells(table, "gap") == [0.0, 1.0]
    assert cells(table, "threshold") == [2 / 2, None]
    [plane] = [plot for plot in part.plots if isinstance(plot, Curves)]
    assert [(curve.label, curve.marked) for curve in plane.curves] == [
        ("notes", (1.0, 1.0)),
        ("notes (verdict)", (0.0, 1.0)),
    ]
    assert plane.curves[1].points == ()


def test_a_metric_is_compared_by_its_verdict_where_it_has_one() -> None:
    """Once, against every other; its own threshold is no rival."""
    verdicts = {f"p{number}": number < 2 for number in range(4)}
    told = meta(contrasted(1, 1, 0, 0), scores("notes", 0, 0, 0, 0, verdicts=verdicts), scores("flat", 1, 1, 1, 1))
    table = next(table for table in contrasts(told).tables if table.name == "paired-average")
    assert [row[:2] for row in table.rows] == [("notes (verdict)", "flat")]
    assert cells(table, "difference") == pytest.approx([0.5])


def test_equal_verdicts_are_equal_over_the_pairs_that_both_gave() -> None:
    """Half of the significant pairs have no verdict of one metric, which changes its own D and R alone."""
    verdicts = {f"p{number}": number % 3 > 0 for number in range(12)}
    few = {key: verdict for key, verdict in verdicts.items() if key not in {"p0", "p2", "p4"}}
    told = meta(
        contrasted(*[1, 0] * 6),
        scores("few", *[0] * 12, verdicts=few),
        scores("every", *[0] * 12, verdicts=verdicts),
    )
    table = next(table for table in contrasts(told).tables if table.name == "paired-average")
    assert cells(table, "difference") == [0.0]
    assert cells(table, "randomisation_p") == [1.0]
    assert cells(table, "pairs") == [9]


def test_silence_of_a_harmless_pair_is_wrong_where_the_rule_is_strict() -> None:
    """Of p2 something harmless is named, of p3 nothing: R is one half instead of 1, in every table."""
    noted = {"p0": {"Location": 1}, "p1": {"Location": 1}, "p2": {"Size": 1}, "p3": {}}
    judged = scores("notes", *[0] * 4, aspects=noted, verdicts={f"p{number}": number < 2 for number in range(4)})
    told = meta(contrasted(1, 1, 0, 0), judged, scores("flat", 1, 1, 1, 1))
    for strict, robustness in ((False, 1.0), (True, 0.5)):
        tables = {table.name: table for table in contrasts(told, strict=strict).tables}
        assert cells(tables["discrimination"], "robustness")[1] == robustness
        assert cells(tables["paired-average"], "difference") == pytest.approx([(1 + robustness) / 2 - 0.5])
        assert cells(tables["rightly-by-aspect"], "rightly")[0] == pytest.approx((2 + 2 * robustness) / 4)


def test_averages_are_compared_over_the_same_pairs() -> None:
    """1 less 1/2 is 1/2."""
    told = meta(contrasted(*[1, 0] * 6), scores("good", *[1, 0] * 6), scores("flat", *[1] * 12))
    table = next(table for table in contrasts(told).tables if table.name == "paired-average")
    assert cells(table, "difference") == pytest.approx([0.5])


def test_unscored_pairs_are_in_neither_share() -> None:
    """One significant pair of two is scored, and called rightly."""
    table = contrasts(meta(contrasted(1, 1, 0), scores("errors", 1, None, 0))).tables[0]
    assert cells(table, "discrimination") == [1.0]
    assert cells(table, "pairs") == [2]


def test_each_stratum_has_its_share_called_rightly() -> None:
    """One aspect is called rightly, the other is not."""
    pairs = [
        annotated(
            number,
            {"significant": (value,)},
            strata={"subset": ("robustness", "discrimination")[value], "aspect": aspect},
        )
        for number, (value, aspect) in enumerate([(1, "Size"), (0, "Size"), (1, "Noise"), (0, "Size")])
    ]
    verdicts = {"p0": True, "p1": False, "p2": False, "p3": False}
    told = meta(benchmark(pairs, SIGNIFICANT), scores("notes", 1, 0, 0, 0, verdicts=verdicts))
    table = next(table for table in contrasts(told).tables if table.name == "rightly-by-aspect")
    shares = {(row[1], row[2]): share for row, share in zip(table.rows, cells(table, "rightly"), strict=True)}
    assert shares["verdict", "Size"] == 1.0
    assert shares["verdict", "Noise"] == 0.0


def test_other_sets_have_no_such_subsets() -> None:
    """Counts of errors are no contrast."""
    assert contrasts(meta(counted(0, 1), scores("errors", 0, 1))).tables == ()


# --- aspects ---


def test_pairs_flow_from_their_aspect_to_those_noted() -> None:
    """A pair is split evenly between the aspects that are noted in it; one without any goes to nothing noted."""
    noted = {"p0": {"Location": 2}, "p1": {"Location": 1, "Size": 1}, "p2": {}}
    part = aspects(meta(contrasted(1, 1, 0), scores("notes", 1, 1, 0, aspects=noted)))
    [flows] = [plot for plot in part.plots if isinstance(plot, Flows)]
    assert {(flow.source, flow.target): flow.count for flow in flows.flows} == {
        ("Location", "Location"): 1.5,
        ("Location", "Size"): 0.5,
        ("Location", NOTHING): 1.0,
    }
    [table] = part.tables
    assert cells(table, "noted") == pytest.approx([2 / 3])
    assert cells(table, "nothing") == pytest.approx([1 / 3])
    assert cells(table, "instead") == ["Size (1)"]


def test_a_metric_that_names_nothing_has_no_flows() -> None:
    """No table, no plot."""
    part = aspects(meta(contrasted(1, 0), scores("errors", 1, 0)))
    assert (part.tables, part.plots) == ((), ())
