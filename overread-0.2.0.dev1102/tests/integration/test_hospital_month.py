"""The invented month in a service, beside what a plain script that knows nothing of overread makes of its tables."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from attrs import field, frozen

from overread.application.statistics.estimating import Estimate
from overread.hospital.application.charts import ChartMeasure
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.observations import observations_of
from overread.hospital.application.requests import PairState, Search
from overread.hospital.application.service import HospitalService
from overread.hospital.bootstrap.demo import DEMONSTRATOR
from overread.hospital.bootstrap.demo_month import (
    MonthClock,
    MonthOutcome,
    load_month,
    month_hospital,
    outcome_of_month,
)
from overread.hospital.infrastructure.demo_month import month_plan
from overread.infrastructure.settings import settings_from

_HOME: Final = Path(__file__).parents[1] / "data/hospital_month"
_SCRIPT: Final = _HOME / "expected.py"
_TABLES: Final = ("pairs", "errors", "coverage", "confirmed", "readers", "groups")
_WORSE: Final = datetime(2026, 10, 18, tzinfo=UTC)
_CLOSE: Final = 1e-8


@frozen(kw_only=True)
class _Month:
    service: HospitalService = field(repr=False)
    outcome: MonthOutcome = field(repr=False)


@pytest.fixture(scope="session")
def month(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Month]:
    """On SQLite, scored by the rules alone."""
    store = tmp_path_factory.mktemp("month") / "hospital.db"
    table = {
        "metrics": ["radot", "notation"],
        "choose": {"second_reader": "none"},
        "hospital": {"store": str(store), "texts": "plain"},
    }
    clock = MonthClock(month_plan().after)
    with month_hospital(settings_from(table), clock) as service:
        load_month(service, clock)
        while service.work(worker="test"):
            pass
        yield _Month(service=service, outcome=outcome_of_month(service, draws=100))


def _expected(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((_HOME / f"expected_{name}.csv").read_text(encoding="utf-8"))))


def _same(estimate: Estimate, text: str) -> None:
    assert estimate.value == (None if not text else pytest.approx(float(text), abs=_CLOSE))


def test_the_committed_figures_are_those_that_the_plain_script_works_out() -> None:
    """Nobody changed a table by hand, or the month without working its figures out again."""
    command = "import expected as e; [print(n, e.as_csv(r), sep=chr(10), end='') for n, r in e.expected().items()]"
    said = subprocess.run([sys.executable, "-c", command], cwd=_HOME, capture_output=True, text=True, check=True).stdout
    wanted = (
        f"expected_{name}.csv\n{(_HOME / f'expected_{name}.csv').read_text(encoding='utf-8')}" for name in _TABLES
    )
    assert said == "".join(wanted)


def test_the_pairs_are_counted_as_expected(month: _Month) -> None:
    """By site, model, kind, modality and month, all of them scored."""
    groupings = {
        "site": Grouping.SITE,
        "model": Grouping.MODEL,
        "kind": Grouping.KIND,
        "modality": Grouping.MODALITY,
        "month": Grouping.EXAMINATION_MONTH,
    }
    rates = month.service.rates(Search(), by=DEMONSTRATOR, groupings=tuple(groupings.values()))
    counted = {("all", "all"): rates.overall.pairs}
    for name, grouping in groupings.items():
        counted |= {(name, group.name): group.pairs for group in rates.by(grouping)}

    assert counted == {(row["by"], row["group"]): int(row["pairs"]) for row in _expected("pairs")}
    assert rates.overall.scored == rates.overall.pairs


def test_the_confirmed_rates_are_those_of_the_readings_alone(month: _Month) -> None:
    """Shares and Wilson's intervals of concordance and major discordance, by site and model."""
    rates = month.outcome.confirmed
    groups = {("all", "all"): rates.overall}
    for name, grouping in (("site", Grouping.SITE), ("model", Grouping.MODEL)):
        groups |= {(name, group.name): group for group in rates.by(grouping)}
    expected = _expected("confirmed")

    assert {(row["by"], row["group"]) for row in expected} == set(groups)
    for row in expected:
        group = groups[row["by"], row["group"]]
        assert group.reviewed == int(row["reviewed"])
        for estimate, name in ((group.confirmed, "concordant"), (group.major_confirmed, "major")):
            for figure, end in ((estimate.value, "share"), (estimate.low, "low"), (estimate.high, "high")):
                assert figure == pytest.approx(float(row[f"{name}_{end}"]), abs=_CLOSE)


def test_readers_agree_with_each_other_and_with_the_verdict_as_expected(month: _Month) -> None:
    """Cohen's kappas, plain and weighted, of each two readers and of each reader with what was decided."""
    agreement = month.outcome.agreement
    pairs = {(each.one, each.other): each for each in (*agreement.readers, *agreement.verdict)}
    for row in _expected("readers"):
        each = pairs[row["one"], row["other"]]
        assert each.pairs == int(row["pairs"])
        for name in ("significant", "linear", "quadratic", "concordant"):
            _same(getattr(each, name), row[name])


def test_all_readers_agree_as_expected(month: _Month) -> None:
    """Fleiss' kappa and Krippendorff's alphas over all pairs, by modality and by category."""
    groups = {(each.by, each.name): each for each in month.outcome.agreement.groups if each.by != "importance"}
    labels = {"A": "false finding", "B": "omitted finding", "C": "wrong location", "D": "wrong severity"}
    labels |= {"E": "comparison not in reference"}
    expected = {(row["by"], labels.get(row["group"], row["group"])): row for row in _expected("groups")}

    assert set(groups) == set(expected)
    for key, row in expected.items():
        assert groups[key].pairs == int(row["pairs"])
        for name in ("fleiss", "nominal", "ordinal"):
            _same(getattr(groups[key], name), row[name])


def test_every_pair_of_the_sample_is_settled(month: _Month) -> None:
    """Readers agree on some, the adjudicator decides the others, and each pair is read as often as planned."""
    record = month.outcome.protocol
    assert (record.pairs, record.short) == (month_plan().sample, ())
    assert record.agreed + record.adjudicated == record.pairs
    assert record.agreed > record.adjudicated > 0


def test_the_charts_are_those_of_the_plain_script(month: _Month, tmp_path: Path) -> None:
    """Reference, limit, run lengths, alarms and the times of change, of the pairs as the program read them."""
    expected = _charts_apart(month, tmp_path)
    charts = {each.name: each for each in month.outcome.charts.charts}
    uncharted = {each.name for each in month.outcome.charts.uncharted}

    assert {row["chart"] for row in expected if row["limit"]} == set(charts)
    assert {row["chart"] for row in expected if not row["limit"]} == {
        name for name in uncharted if not name.startswith(ChartMeasure.COVERAGE)
    }
    for row in expected:
        if row["limit"]:
            chart = charts[row["chart"]]
            counts = (chart.reference_pairs, chart.pairs, chart.events)
            assert counts == (int(row["reference_pairs"]), int(row["pairs"]), int(row["events"]))
            assert chart.base.value == pytest.approx(int(row["reference_events"]) / chart.reference_pairs)
            assert chart.limit == pytest.approx(float(row["limit"]), abs=_CLOSE)
            assert chart.run_length.value == pytest.approx(float(row["run_length"]), rel=1e-6)
            assert chart.delay == pytest.approx(float(row["delay"]), rel=1e-6)
            assert [alarm.pair for alarm in chart.alarms] == [int(pair) for pair in row["alarms"].split()]
            assert [alarm.pairs[0] for alarm in chart.alarms] == [int(pair) for pair in row["changes"].split()]


def test_the_model_that_gets_worse_gives_an_alarm_and_its_site_too(month: _Month) -> None:
    """Major discordances of B 2.0 rise on the 18th: the alarm comes within a week, and dates it well."""
    for name in ("major/model/B 2.0", "major/site/COAST"):
        [chart] = (each for each in month.outcome.charts.charts if each.name == name)
        first = chart.alarms[0]
        assert _WORSE <= first.at < _WORSE + timedelta(days=7)
        assert abs(first.change - _WORSE) < timedelta(days=4)


def test_no_chart_of_another_model_gives_an_alarm_of_major_discordance(month: _Month) -> None:
    """The new version of A is as good as the one before, and the other sites stay as they were."""
    alarms = {alarm.chart for alarm in month.outcome.charts.alarms if alarm.chart.startswith("major/")}
    assert alarms == {"major/model/B 2.0", "major/site/COAST"}


def test_the_silent_day_is_found(month: _Month) -> None:
    """Coverage of the month has it, with the examinations that lack a counterpart because of it."""
    expected = _expected("coverage")
    feeds = {feed.site: feed for feed in month.outcome.coverage.feeds}

    silent = [(row["site"], date.fromisoformat(day)) for row in expected for day in row["silent"].split()]
    assert list(month.outcome.silent) == silent == [(month_plan().silent_site, month_plan().silent_day)]
    for row in expected:
        feed = feeds[row["site"]]
        assert (feed.versions, feed.pairs) == (int(row["versions"]), int(row["pairs"]))
        assert (feed.finals_alone, feed.preliminaries_open) == (
            int(row["finals_alone"]),
            int(row["preliminaries_open"]),
        )


def _charts_apart(month: _Month, folder: Path) -> Sequence[dict[str, str]]:
    """Charts as the plain script has them, of the outcomes of the pairs."""
    file = folder / "outcomes.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("pair", "at", "site", "model", "discordance", "major"))
        for each in observations_of(month.service.export(Search(), by=DEMONSTRATOR)):
            assert each.state is PairState.SCORED
            marks = (int(measure.has(each)) for measure in (ChartMeasure.DISCORDANCE, ChartMeasure.MAJOR))
            writer.writerow((each.pair, each.at.isoformat(), each.site, each.model, *marks))
    command = [sys.executable, "-I", str(_SCRIPT), str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(io.StringIO(said)))
