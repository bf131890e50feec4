"""A pair as a bundle of FHIR resources."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.domain.results.result import Scored, Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Verdict, VerdictKind
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions, FhirRelease
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.pairs import pair_bundle
from overread.hospital.infrastructure.exchange.fhir.reading import read_fhir

from .holding import hold, only
from .records import CANARY, NOON, discrepancy, kept, record, result, review

_RELEASES = pytest.mark.parametrize("release", list(FhirRelease))
_VERDICTS = [Verdict(discrepancy=0, kind=VerdictKind.DISAGREE, reason=CANARY)]


def _bundle(*discrepancies: Any, output: FhirOutput | None = None, **told: Any) -> dict[str, Any]:
    return pair_bundle(record(*discrepancies, **told), output or FhirOutput(), at=NOON)


@_RELEASES
def test_every_resource_reads_back_strictly(release: FhirRelease) -> None:
    """Both releases have the shapes that their definitions ask for, and nothing is lost on the way."""
    output = FhirOutput(release=release, with_text=True, is_transaction=True)
    versions = (kept(1, ReportStatus.DRAFT, reader="", model="ChestDraft 2.1"), kept(2, ReportStatus.FINAL))
    added = Verdict(discrepancy=None, kind=VerdictKind.AMEND, category=ErrorCategory.LOCATION, finding="nodule")
    found = _bundle(discrepancy(), output=output, versions=versions, reviews=(review(*_VERDICTS, added),))
    hold(found, release)
    kinds = {entry["resource"]["resourceType"] for entry in found["entry"]}
    assert kinds == {"DiagnosticReport", "Device", "Observation", "DetectedIssue", "Provenance"}


def test_a_discrepancy_is_an_issue_that_implicates_both_versions() -> None:
    """What differs, how grave it is, and between what."""
    found = _bundle(discrepancy())
    [issue] = only(found, "DetectedIssue")
    versions = {f"urn:uuid:{each['id']}" for each in only(found, "DiagnosticReport")}
    assert {each["reference"] for each in issue["implicated"]} == versions
    assert len(versions) == 2
    assert (issue["status"], issue["severity"]) == ("preliminary", "high")
    assert issue["code"]["coding"][0] == {"system": "urn:overread:error-category", "code": "B"}
    assert issue["evidence"][0]["code"][0]["coding"][0]["code"] == "pneumothorax"
    assert issue["detail"] == "omitted finding; pneumothorax; left; left out"
    assert issue["patient"]["identifier"]["value"] == "P1"


@pytest.mark.parametrize(
    ("told", "severity"),
    [
        ({}, "high"),
        ({"importance": Importance.ACTIONABLE}, "moderate"),
        ({"importance": Importance.FOLLOW_UP}, "low"),
        ({"severity": Severity.INSIGNIFICANT}, "low"),
        ({"probability": 0.3}, "low"),
        ({"importance": None, "severity": Severity.CRITICAL}, "high"),
        ({"importance": None}, "moderate"),
    ],
)
def test_severity_follows_what_the_finding_asks_for(told: dict[str, Any], severity: str) -> None:
    """High is what asks for action at once; a trifle about an urgent finding, or a doubtful one, is low."""
    [issue] = only(_bundle(discrepancy(**told)), "DetectedIssue")
    assert issue["severity"] == severity


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        ([], "preliminary"),
        ([VerdictKind.AGREE], "final"),
        ([VerdictKind.AMEND], "final"),
        ([VerdictKind.DISAGREE], "entered-in-error"),
        ([VerdictKind.DISAGREE, VerdictKind.AGREE], "final"),
    ],
)
def test_reviews_mitigate_and_the_last_one_counts(kinds: list[VerdictKind], status: str) -> None:
    """Each verdict on the discrepancy is listed with who said it; their own words may quote a report and stay here."""
    reviews = tuple(review(Verdict(discrepancy=0, kind=kind, reason=CANARY)) for kind in kinds)
    [issue] = only(_bundle(discrepancy(), reviews=reviews), "DetectedIssue")
    assert issue["status"] == status
    mitigations = issue.get("mitigation", [])
    assert [each["author"]["identifier"]["value"] for each in mitigations] == ["lead"] * len(kinds)


def test_reviews_of_another_signature_are_of_other_discrepancies() -> None:
    """An index points into the result that was looked at, and into no other."""
    other = review(*_VERDICTS, signature=Signature("notation", [("version", "0.0.9")]))
    [issue] = only(_bundle(discrepancy(), reviews=(other,)), "DetectedIssue")
    assert issue["status"] == "preliminary"


def test_what_a_reviewer_added_is_theirs() -> None:
    """It has no label of a model's and no device as its author."""
    added = Verdict(discrepancy=None, kind=VerdictKind.AMEND, severity=Severity.CRITICAL, finding="nodule")
    [issue] = only(_bundle(reviews=(review(added),)), "DetectedIssue")
    assert (issue["status"], issue["severity"]) == ("final", "high")
    assert issue["author"] == {"type": "Practitioner", "identifier": {"value": "lead"}}
    assert "meta" not in issue


def test_scores_say_what_they_are_and_what_they_are_not() -> None:
    """The risk with its scale, signature and the sentence that stands wherever a score does; labelled as a model's."""
    scores = {each["code"]["coding"][0]["code"]: each for each in only(_bundle(), "Observation")}
    risk = scores["radot"]
    assert risk["valueQuantity"]["value"] == 0.75
    assert risk["method"]["text"] == "radot|version:0.1.0"
    assert risk["referenceRange"] == [{"text": "0 to 1, lower is better"}]
    assert risk["interpretation"][0]["text"].endswith("not an autonomous clinical decision tool")
    assert risk["meta"]["security"][0]["code"] == "AIAST"
    assert len(risk["focus"]) == 2


@_RELEASES
def test_a_missing_score_has_a_reason_and_no_value(release: FhirRelease) -> None:
    """It is never a number that means nothing."""
    current = {
        "radot": result("radot", Unscored("text not kept")),
        "notation": result("notation", Scored(score=float("nan"))),
    }
    found = _bundle(current=current, output=FhirOutput(release=release))
    hold(found, release)
    first, second = only(found, "Observation")
    assert first["dataAbsentReason"]["text"] == "text not kept"
    assert second["dataAbsentReason"]["coding"][0]["code"] == "not-a-number"
    assert not {"valueQuantity"} & {*first, *second}


def test_provenance_names_model_and_signatures() -> None:
    """Every score and issue is traced to a device that says its version and all that made it what it is."""
    found = _bundle(discrepancy())
    [device], [origin] = only(found, "Device"), only(found, "Provenance")
    assert device["version"] == [{"value": "0.1.0"}]
    lines = {each["valueCode"][0]["text"] for each in device["property"]}
    assert lines == {"radot|version:0.1.0", "notation|reader:abc|version:0.1.0"}
    assert origin["agent"][0]["who"]["reference"] == f"urn:uuid:{device['id']}"
    made = {f"urn:uuid:{each['id']}" for kind in ("Observation", "DetectedIssue") for each in only(found, kind)}
    assert {each["reference"] for each in origin["target"]} == made
    assert [each["role"] for each in origin["entity"]] == ["source", "source"]


def test_ids_are_those_of_the_thing_and_of_the_installation() -> None:
    """The same pair is written with the same ids at any time and in either release; another hospital's has others."""

    def ids(**told: Any) -> list[str]:
        bundle = pair_bundle(record(discrepancy()), FhirOutput(**told), at=NOON + timedelta(days=len(told)))
        return [entry["resource"]["id"] for entry in bundle["entry"]]

    assert ids() == ids(release=FhirRelease.R5)
    assert len(set(ids())) == len(ids())
    assert not set(ids()) & set(ids(system="https://overread.south.example"))


def test_all_references_are_resolved_within_the_bundle() -> None:
    """Whoever reads it needs nothing else; patients and people are named by identifiers."""
    found = json.dumps(_bundle(discrepancy(), reviews=(review(*_VERDICTS),)))
    references = {part.partition('"')[0] for part in found.split('"reference": "')[1:]}
    assert references
    assert references <= {part.partition('"')[0] for part in found.split('"fullUrl": "')[1:]}


def test_no_text_goes_along_unless_it_is_asked_for() -> None:
    """Neither a report's, nor a judge's explanation, nor a reviewer's reason."""
    reviews = (review(*_VERDICTS, Verdict(discrepancy=None, kind=VerdictKind.AMEND, reason=CANARY)),)
    assert CANARY not in json.dumps(_bundle(discrepancy(), reviews=reviews))
    told = json.dumps(_bundle(discrepancy(), reviews=reviews, output=FhirOutput(with_text=True)))
    assert told.count(CANARY) == 3


def test_what_goes_out_with_text_can_be_read_in_again() -> None:
    """Statuses, numbers, text and the model of a draft survive the way through FHIR."""
    draft = kept(1, ReportStatus.DRAFT, reader="", model="ChestDraft 2.1", placer="O1")
    versions = (draft, kept(2, ReportStatus.CORRECTED))
    found = _bundle(versions=versions, output=FhirOutput(with_text=True))
    for back, sent in zip(read_fhir(found, FhirOptions(site="north")), versions, strict=True):
        for name in ("status", "text", "reader", "model", "filler", "placer", "issued", "keys"):
            assert getattr(back, name) == getattr(sent.version, name)


@_RELEASES
def test_a_pair_that_was_given_or_waits_is_written_too(release: FhirRelease) -> None:
    """Without versions there is nothing to implicate, and without results nothing to say."""
    given_pair = VersionPair(kind=PairKind.GIVEN, candidate=(), reference=())
    bare: dict[str, Any] = {"pair": given_pair, "versions": (), "examinations": ()}
    found = _bundle(discrepancy(), output=FhirOutput(release=release), **bare)
    hold(found, release)
    assert "implicated" not in only(found, "DetectedIssue")[0]
    waiting = _bundle(current={}, output=FhirOutput(release=release))
    hold(waiting, release)
    assert {entry["resource"]["resourceType"] for entry in waiting["entry"]} == {"DiagnosticReport"}


_WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=12).map(str.strip)


@settings(max_examples=40, deadline=None)
@given(
    release=st.sampled_from(FhirRelease),
    status=st.sampled_from(ReportStatus),
    words=st.lists(_WORDS, min_size=6, max_size=6),
    aspect=st.sampled_from(ErrorAspect),
    category=st.none() | st.sampled_from(ErrorCategory),
    kind=st.sampled_from(VerdictKind),
)
def test_whatever_a_record_holds_is_written_as_fhir(
    release: FhirRelease,
    status: ReportStatus,
    words: list[str],
    aspect: ErrorAspect,
    category: ErrorCategory | None,
    kind: VerdictKind,
) -> None:
    """Empty and odd names, every status, category and verdict give resources that read back strictly."""
    reader, model, filler, finding, reason, text = words
    version = kept(1, status, reader=reader, model=model, filler=filler, text=text)
    found = discrepancy(category=category, aspect=aspect, finding=finding, reason=reason)
    verdict = Verdict(discrepancy=0, kind=kind, category=category, reason=reason, finding=finding)
    told: dict[str, Any] = {"versions": (version, kept(2, ReportStatus.FINAL)), "reviews": (review(verdict),)}
    hold(_bundle(found, output=FhirOutput(release=release, with_text=True), **told), release)
