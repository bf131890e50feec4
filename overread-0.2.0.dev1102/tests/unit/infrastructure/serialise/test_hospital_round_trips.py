"""Requests and results of the hospital service come back from JSON as they went, and fit their schemas."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.requests import (
    BatchState,
    Erased,
    ExaminationRecord,
    Order,
    PairRecord,
    PairState,
    Receipt,
    ReceiptKind,
    Refusal,
    Search,
    WorklistPage,
    WorklistRow,
)
from overread.hospital.domain.audit_trail import AuditEvent
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, Review, Verdict, VerdictKind
from overread.hospital.domain.version_pairs import Doubt, DoubtReason, PairKind, VersionPair
from overread.hospital.infrastructure.serialise import hospital_from_record, hospital_record
from overread.infrastructure.serialise import explanation_record, result_from_record

from .strategies import counts, results

written = results().map(lambda result: result_from_record(explanation_record(result)))
"""As far as JSON can hold them, which knows no NaN."""

numbers = st.integers(1, 2**63 - 1)
"""As databases count."""

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
moments = st.datetimes(timezones=st.just(UTC))
contexts = st.builds(
    ClinicalContext, age=st.none() | st.floats(0, 120), sex=st.none() | text, indication=st.none() | text
)
examinations = st.builds(
    Examination,
    site=text,
    accession=text,
    patient=text,
    modality=text,
    performed=st.none() | moments,
    context=contexts,
)
versions = st.builds(
    ReportVersion,
    examinations=st.lists(examinations, max_size=2).map(tuple),
    status=st.sampled_from(ReportStatus),
    text=text,
    reader=text,
    model=text,
    issued=st.none() | moments,
    source=text,
    message=text,
)
kept = st.builds(KeptVersion, number=numbers, arrived=moments, version=versions, has_text=st.booleans())
pairs = st.builds(ReportPair, id=text, reference=text, candidate=text, context=contexts)
version_pairs = st.builds(
    VersionPair,
    kind=st.sampled_from(PairKind),
    candidate=st.lists(numbers, max_size=2).map(tuple),
    reference=st.lists(numbers, max_size=2).map(tuple),
)
verdicts = st.builds(
    Verdict,
    discrepancy=st.none() | st.integers(0, 9),
    kind=st.sampled_from(VerdictKind),
    category=st.none() | st.sampled_from(ErrorCategory),
    severity=st.none() | st.sampled_from(Severity),
    finding=text,
    reason=text,
)
reviews = st.builds(
    Review,
    reviewer=text,
    made=moments,
    signature=text,
    verdicts=st.lists(verdicts, max_size=2).map(tuple),
    radpeer=st.none() | st.sampled_from(Radpeer),
    proposed=st.none() | st.sampled_from(Radpeer),
    comment=text,
)
rows = st.builds(
    WorklistRow,
    pair=numbers,
    examination=examinations,
    kind=st.sampled_from(PairKind),
    state=st.sampled_from(PairState),
    arrived=moments,
    risk=st.none() | st.floats(0, 1),
    importance=st.none() | st.sampled_from(Importance),
    findings=st.lists(text, max_size=2).map(tuple),
)
searches = st.builds(
    Search,
    kind=st.none() | st.sampled_from(PairKind),
    site=st.none() | text,
    since=st.none() | moments,
    importance=st.none() | st.sampled_from(Importance),
    min_risk=st.none() | st.floats(0, 1),
    order=st.sampled_from(Order),
    limit=st.integers(1, 500),
)
records = st.builds(
    PairRecord,
    number=numbers,
    pair=version_pairs,
    examinations=st.lists(examinations, max_size=2).map(tuple),
    versions=st.lists(kept, max_size=2).map(tuple),
    report_pair=st.none() | pairs,
    state=st.sampled_from(PairState),
    results=st.dictionaries(text, written, max_size=1),
    current=st.dictionaries(text, written, max_size=1),
    proposed=st.none() | st.sampled_from(Radpeer),
    reasons=st.lists(text, max_size=2).map(tuple),
    reviews=st.lists(reviews, max_size=1).map(tuple),
)
values = st.one_of(
    versions,
    kept,
    pairs,
    searches,
    reviews,
    rows,
    records,
    st.builds(
        WorklistPage, rows=st.lists(rows, max_size=2).map(tuple), total=st.integers(0, 10_000), next=st.none() | text
    ),
    st.builds(
        ExaminationRecord,
        examination=examinations,
        versions=st.lists(kept, max_size=1).map(tuple),
        pairs=st.lists(rows, max_size=1).map(tuple),
        doubts=st.lists(st.builds(Doubt, numbers, st.sampled_from(DoubtReason)), max_size=2).map(tuple),
    ),
    st.builds(
        Receipt,
        version=numbers,
        kind=st.sampled_from(ReceiptKind),
        pairs=st.just((1, 2)),
        doubts=st.just(tuple(DoubtReason)),
    ),
    st.builds(Refusal, at=moments, source=text, message=text, reason=text, detail=text),
    st.builds(BatchState, number=counts, name=text, pairs=counts, scored=counts, unscored=counts, waiting=counts),
    st.builds(Erased, examinations=numbers, texts=numbers),
    st.builds(AuditEvent, number=counts, at=moments, actor=text, action=text, details=st.just((("pairs", "2"),))),
)


@settings(max_examples=120, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(values)
def test_what_goes_through_json_comes_back_equal(value: Any) -> None:
    """Whatever the service takes and gives: as JSON it is another program's, and what is read of that is the same."""
    record = json.loads(json.dumps(hospital_record(value), allow_nan=False))
    assert hospital_from_record(type(value), record) == value
