"""Requests and answers of the hospital service as JSON, and their schemas."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.results.result import EvaluationResult, Scale, Scored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.requests import PairRecord, PairState, Search, WorklistPage, WorklistRow
from overread.hospital.domain.audit_trail import Actor, AuditEvent, Role
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, Review, Verdict, VerdictKind
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.serialise import (
    RecordError,
    hospital_from_json,
    hospital_from_record,
    hospital_record,
)
from overread.hospital.infrastructure.serialise.schema import HospitalSchemas

_CANARY = "XYLOPHONE-7713"
_NOON = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1)))
_EXAMINATION = Examination(
    site="north", accession="A1", patient="P1", modality="CT", performed=_NOON, context=ClinicalContext(age=66)
)
_VERSION = ReportVersion(
    examinations=[_EXAMINATION], status=ReportStatus.FINAL, text="No effusion.", issued=_NOON, source="http"
)
_RESULT = EvaluationResult(
    pair_id="7",
    metric="radot",
    scale=Scale(low=0.0, high=1.0, higher_is_better=False),
    signature=Signature("radot", ()),
    outcome=Scored(score=0.25),
)
_REVIEW = Review(
    reviewer="anna",
    made=_NOON,
    signature="radot|1",
    verdicts=[
        Verdict(discrepancy=0, kind=VerdictKind.AGREE),
        Verdict(
            discrepancy=None,
            kind=VerdictKind.AMEND,
            category=next(iter(ErrorCategory)),
            severity=Severity.SIGNIFICANT,
            reason="seen",
        ),
    ],
    radpeer=Radpeer.UNDERSTANDABLE_SIGNIFICANT,
)
_RECORD = PairRecord(
    number=7,
    pair=VersionPair(kind=PairKind.PRELIMINARY_FINAL, candidate=(1,), reference=(2,)),
    examinations=(_EXAMINATION,),
    versions=(KeptVersion(number=1, arrived=_NOON, version=_VERSION),),
    report_pair=ReportPair(id="7", reference="No effusion.", candidate="Effusion."),
    state=PairState.SCORED,
    results={"radot|1": _RESULT},
    current={"radot": _RESULT},
    reviews=(_REVIEW,),
)
_PAGE = WorklistPage(
    rows=(
        WorklistRow(
            pair=7,
            examination=_EXAMINATION,
            kind=PairKind.GIVEN,
            state=PairState.SCORED,
            arrived=_NOON,
            importance=Importance.URGENT,
            findings=("effusion",),
        ),
    ),
    total=1,
    next="abc",
)
_EVENT = AuditEvent(number=1, at=_NOON, actor="anna", action="review", details=(("pairs", "1"),))
_ACTOR = Actor(name="anna", roles=[Role.REVIEWER, Role.ADMIN])


@pytest.mark.parametrize(
    "value", [_VERSION, _RECORD, _REVIEW, _PAGE, Search(min_risk=0.5), _ACTOR, _EVENT], ids=lambda v: type(v).__name__
)
def test_a_value_comes_back_from_json(value: Any) -> None:
    """Equal to what it was, and its record is of the published schema."""
    text = json.dumps(hospital_record(value)).encode()
    assert hospital_from_json(type(value), text) == value
    schemas = HospitalSchemas("#/$defs/")
    jsonschema.validate(json.loads(text), {**schemas.of(type(value)), "$defs": schemas.named})


@given(
    st.builds(
        ReportPair,
        id=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        reference=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        candidate=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        context=st.builds(ClinicalContext, age=st.none() | st.floats(0, 125), sex=st.none() | st.sampled_from("FM")),
    )
)
def test_every_pair_comes_back(pair: ReportPair) -> None:
    """Whatever its texts hold, but for what no text holds."""
    assert hospital_from_json(ReportPair, json.dumps(hospital_record(pair)).encode()) == pair


def _wrong(kind: Any, record: object) -> dict[str, str]:
    with pytest.raises(RecordError) as caught:
        hospital_from_record(kind, record)
    assert _CANARY not in str(caught.value)
    return dict(caught.value.problems)


def test_every_place_that_is_wrong_is_told() -> None:
    """By its path, in words that quote nothing; a key that was made up is not repeated."""
    record = {
        "examinations": [{"site": 5, "accession": "A", "performed": "2026-01-01T00:00:00"}, _CANARY],
        "status": _CANARY,
        "text": [_CANARY],
        "source": "\ud800",
        _CANARY: 1,
    }
    assert _wrong(ReportVersion, record) == {
        "$": "has an unknown key (known: examinations, status, text, reader, coauthors, model, filler, placer, issued, "
        "source, message)",
        "$.examinations[0].site": "must be text",
        "$.examinations[0].performed": "must have a time zone, for example +01:00 or Z",
        "$.examinations[1]": "must be an object",
        "$.status": "must be one of draft, preliminary, partial, final, corrected, addendum, cancelled",
        "$.text": "must be text",
        "$.source": "contains characters that are not allowed in text (NUL, or half a surrogate pair)",
    }


def test_a_key_a_level_too_high_is_told_where_it_belongs() -> None:
    """What an object within holds is named with it, since an unknown key itself is never repeated."""
    record = {"site": "north", "accession": "A", "patient": "P", "sex": "F"}
    assert _wrong(Examination, record) == {
        "$": "has an unknown key (known: site, accession, patient, modality, procedure, body_part, device, "
        "performed, context with age, sex, indication, comparison)"
    }


@pytest.mark.parametrize(
    ("kind", "record", "problem"),
    [
        (Search, {"limit": "50"}, "must be a whole number"),
        (Search, {"limit": True}, "must be a whole number"),
        (Search, {"batch": 2**63}, "is too large a number"),
        (Search, {"min_risk": "0.5"}, "must be a number"),
        (Search, {"min_risk": 10**400}, "is not valid"),
        (Search, {"since": 5}, "must be an ISO 8601 date and time"),
        (Search, {"since": "yesterday"}, "must be an ISO 8601 date and time"),
        (
            KeptVersion,
            {"number": 1, "arrived": "2026-01-01T00:00Z", "version": {}, "has_text": 1},
            "must be true or false",
        ),
        (Search, {"limit": 501}, "is not valid"),
    ],
)
def test_nothing_is_guessed(kind: Any, record: object, problem: str) -> None:
    """What is of another kind is refused, not converted."""
    assert problem in _wrong(kind, record).values()


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[" * 100_000, b'{"id": NaN}', b"\xff", b'{"limit": ' + b"9" * 5000 + b"}"],
    ids=lambda t: t[:9],
)
def test_what_is_no_json_is_refused(text: bytes) -> None:
    """However deep, long or broken."""
    with pytest.raises(RecordError) as caught:
        hospital_from_json(Search, text)
    assert caught.value.problems == (("$", "is not JSON in UTF-8"),)


def test_an_explained_record_has_its_evidence_where_there_is_any() -> None:
    """A plain one never has."""
    assert "evidence" not in hospital_record(_RECORD)["current"]["radot"]
    assert hospital_record(_RECORD, explain=True)["number"] == 7


def test_schemas_say_what_the_classes_say() -> None:
    """Descriptions come from the docstrings, words of lists from the enumerations, and nothing more is allowed."""
    schemas = HospitalSchemas("#/$defs/")
    assert schemas.of(tuple[str, int])["prefixItems"] == [{"type": "string"}, {"type": "integer"}]
    assert schemas.of(tuple[Search, ...]) == {"type": "array", "items": {"$ref": "#/$defs/Search"}}
    search = schemas.named["Search"]
    assert search["additionalProperties"] is False
    assert search["properties"]["site"]["description"].startswith("exact values")
    assert schemas.named["Radpeer"]["enum"] == ["1", "2a", "2b", "3a", "3b"]
    with pytest.raises(TypeError):
        schemas.of(complex)


def test_times_keep_their_zone() -> None:
    """A moment is told with the zone it was given in."""
    assert hospital_record(_NOON) == "2026-03-01T12:00:00+01:00"
    assert hospital_from_record(datetime, "2026-03-01T11:00:00Z") == _NOON.astimezone(UTC)
    with pytest.raises(RecordError, match="UTC"):
        hospital_from_record(datetime, "9999-12-31T23:00:00-12:00")
