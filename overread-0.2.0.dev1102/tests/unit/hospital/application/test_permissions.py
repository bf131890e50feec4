"""Who may do what: every call of the service by every role, held against the one table."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

import pytest

from overread.exceptions import NotFoundError, OverreadError, PermissionDeniedError
from overread.hospital.application.cases import CaseOutcome
from overread.hospital.application.permissions import ALLOWED, FOR_NOBODY
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.requests import Search
from overread.hospital.application.sampling import SamplePlan
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.operation import is_operation
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.learning import ActionKind, ActionState, LearningKind
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.reading import ProtocolReader
from overread.hospital.domain.report_version import ReportStatus

from .hospital import REVIEWER, SUBMITTER, hospital, pair, version

_KEY: Final = ExaminationKey("north", "A1")
_MERGE: Final = PatientMerge(site="north", surviving="P1", merged="P2")
_PLAN: Final = ProtocolPlan(name="study", readers=[ProtocolReader(name="a")], per_pair=1, search=Search())

CALLS: Final[Mapping[str, Callable[[HospitalService, Actor], object]]] = {
    "evaluate": lambda service, by: service.evaluate([pair("1", "a", "b")], by=by),
    "submit": lambda service, by: service.submit([pair("1", "a", "b")], by=by),
    "batch": lambda service, by: service.batch(1, by=by),
    "batch_results": lambda service, by: service.batch_results(1, by=by),
    "follow": lambda service, by: service.follow(1, by=by),
    "ingest": lambda service, by: service.ingest([version(ReportStatus.FINAL, "a")], by=by),
    "merge_patients": lambda service, by: service.merge_patients([_MERGE], by=by),
    "record_merges": lambda service, by: service.record_merges([_MERGE], by=by),
    "refusals": lambda service, by: service.refusals(by=by),
    "search": lambda service, by: service.search(Search(), by=by),
    "pair": lambda service, by: service.pair(1, by=by),
    "examination": lambda service, by: service.examination(_KEY, by=by),
    "draw_sample": lambda service, by: service.draw_sample(Search(), SamplePlan(size=1), by=by),
    "rates": lambda service, by: service.rates(Search(), by=by),
    "charts": lambda service, by: service.charts(Search(), by=by),
    "alarms": lambda service, by: service.alarms(by=by),
    "cases": lambda service, by: service.cases(by=by),
    "close_case": lambda service, by: service.close_case(1, by=by, outcome=CaseOutcome.CHANCE),
    "flag_worth": lambda service, by: service.flag_worth(Search(sample=1), by=by),
    "monthly_report": lambda service, by: service.monthly_report("2026-11", by=by),
    "radpeer_counts": lambda service, by: service.radpeer_counts(Search(), by=by),
    "coverage": lambda service, by: service.coverage(by=by),
    "review": lambda service, by: service.review(1, by=by, signature="none", comment="seen"),
    "create_protocol": lambda service, by: service.create_protocol(_PLAN, by=by),
    "protocols": lambda service, by: service.protocols(by=by),
    "protocol": lambda service, by: service.protocol(1, by=by),
    "close_protocol": lambda service, by: service.close_protocol(1, by=by),
    "agreement": lambda service, by: service.agreement(1, by=by, draws=1),
    "assignments": lambda service, by: service.assignments(by=by),
    "assignment": lambda service, by: service.assignment(1, by=by),
    "claim_assignment": lambda service, by: service.claim_assignment(1, by=by),
    "release_assignment": lambda service, by: service.release_assignment(1, by=by),
    "review_assignment": lambda service, by: service.review_assignment(1, by=by, no_discrepancy=True),
    "reassign": lambda service, by: service.reassign(1, reader="b", by=by),
    "add_learning_point": lambda service, by: service.add_learning_point(
        1, by=by, kind=LearningKind.GOOD_CALL, text="seen"
    ),
    "learning_points": lambda service, by: service.learning_points(1, by=by),
    "nominate": lambda service, by: service.nominate(1, by=by),
    "conference": lambda service, by: service.conference(by=by),
    "mark_presented": lambda service, by: service.mark_presented(1, by=by),
    "add_action": lambda service, by: service.add_action(1, by=by, kind=ActionKind.CLINICIAN_TOLD),
    "change_action": lambda service, by: service.change_action(1, by=by, state=ActionState.DONE),
    "open_actions": lambda service, by: service.open_actions(by=by),
    "own_pairs": lambda service, by: service.own_pairs(by=by),
    "own_pair": lambda service, by: service.own_pair(1, by=by),
    "acknowledge": lambda service, by: service.acknowledge(1, by=by),
    "answer": lambda service, by: service.answer(1, by=by, text="seen"),
    "rescore": lambda service, by: service.rescore(Search(), by=by),
    "export": lambda service, by: service.export(Search(), by=by),
    "erase_patient": lambda service, by: service.erase_patient("P", by=by),
    "retain": lambda service, by: service.retain(by=by),
    "audit_trail": lambda service, by: service.audit_trail(by=by),
}


def test_every_public_method_is_an_operation_or_has_a_reason_not_to_be() -> None:
    """A new method without a permission is found here, not by whoever should not have called it."""
    methods = {
        name: method for name, method in inspect.getmembers(HospitalService, callable) if not name.startswith("_")
    }
    operations = {name for name, method in methods.items() if is_operation(method)}
    assert operations == set(CALLS) == set(ALLOWED)
    assert set(methods) - operations == set(FOR_NOBODY)
    assert all(FOR_NOBODY.values())


def test_every_use_case_is_in_the_service_and_shares_no_name_with_another() -> None:
    """None has methods that the tests of the service pass by, and none takes the place of another's."""
    bases = HospitalService.__bases__
    assert {case for case in UseCase.__subclasses__() if case.__module__.startswith("overread.")} == set(bases)
    names = Counter(name for case in (*bases, HospitalService) for name in vars(case) if not name.startswith("__"))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("role", [None, *Role])
@pytest.mark.parametrize("name", CALLS)
def test_a_role_opens_what_the_table_says_and_nothing_else(name: str, role: Role | None) -> None:
    """And a refusal says which role would do, and leaves nothing behind."""
    service = hospital()
    by = Actor(name="somebody", roles=frozenset({role} if role else ()))
    refused = _refused(lambda: CALLS[name](service, by))
    assert bool(refused) is (role not in ALLOWED[name])
    if refused:
        assert all(each.value in refused for each in ALLOWED[name])
        with service.store.reading() as unit:
            assert unit.trail.events() == []


def test_a_submitter_sees_what_it_submitted_and_nothing_else() -> None:
    """Others' batches and pairs, and pairs made of versions, are as if they were not there."""
    service = hospital()
    other = Actor(name="other", roles=frozenset({Role.SUBMITTER}))
    batch = service.submit([pair("1", "a", "b")], by=SUBMITTER).number
    [_, receipt] = service.ingest(
        [version(ReportStatus.PRELIMINARY, "a"), version(ReportStatus.FINAL, "b")], by=SUBMITTER
    )
    assert service.pair(1, by=SUBMITTER).number == 1
    nameless = Actor(name="", roles=frozenset({Role.SUBMITTER}))
    for hidden in (
        lambda: service.batch(batch, by=other),
        lambda: service.batch_results(batch, by=other),
        lambda: service.pair(1, by=other),
        lambda: service.pair(receipt.pairs[0], by=SUBMITTER),
        lambda: service.pair(receipt.pairs[0], by=nameless),
    ):
        with pytest.raises(NotFoundError):
            hidden()
    assert service.batch(batch, by=REVIEWER).pairs == 1


def _refused(call: Callable[[], object]) -> str:
    try:
        call()
    except PermissionDeniedError as error:
        return str(error)
    except OverreadError:
        return ""  # let in, and found nothing to do
    return ""
