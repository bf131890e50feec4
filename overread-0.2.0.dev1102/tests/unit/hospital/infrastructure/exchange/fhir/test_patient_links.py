"""Links between Patients are merges, where it is clear which identifier gives way to which."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from fhir.resources import get_fhir_model_class as model_r5
from fhir.resources.R4B import get_fhir_model_class as model_r4b

from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.reading import read_fhir, read_fhir_content
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

from .invented import OPTIONS, Json, bundle, identifier, report

_MERGE = PatientMerge(site="north", surviving="MRN-2", merged="MRN-1")


def _patient(name: str, *numbers: Json, **changes: Any) -> Json:
    whole = {"resourceType": "Patient", "id": name, "identifier": list(numbers)} | changes
    return {key: value for key, value in whole.items() if value}


def _link(kind: str, other: Json) -> Json:
    return {"link": [{"other": other, "type": kind}]}


def _merges(document: Json, options: FhirOptions = OPTIONS) -> list[PatientMerge]:
    return list(read_fhir_content(document, options).merges)


_OLD = _patient("p1", identifier("MRN-1", "MR"), active=False, **_link("replaced-by", {"reference": "Patient/p2"}))
_NEW = _patient("p2", identifier("MRN-2", "MR"), **_link("replaces", {"reference": "Patient/p1"}))


def test_links_of_either_direction_are_one_merge() -> None:
    """The one that is replaced gives way, whichever of both tells; told by both it is a merge once."""
    plain_old, plain_new = ({key: value for key, value in each.items() if key != "link"} for each in (_OLD, _NEW))
    for told in ((_OLD, plain_new), (plain_old, _NEW), (_OLD, _NEW)):
        assert _merges(bundle(*told)) == [_MERGE]
    for model in (model_r4b("Patient"), model_r5("Patient")):
        model.model_validate(_OLD)


def test_a_patient_alone_may_name_the_number_of_the_other() -> None:
    """In the reference; without numbers at all, the ids of the server stand for both."""
    other = {"reference": "Patient/p2", "identifier": identifier("MRN-2", "MR")}
    assert _merges(_patient("p1", identifier("MRN-1", "MR"), **_link("replaced-by", other))) == [_MERGE]
    ids = _patient("p1", **_link("replaced-by", {"reference": "Patient/p2"}))
    assert _merges(ids) == [PatientMerge(site="north", surviving="p2", merged="p1")]


def test_a_number_that_is_old_counts_where_it_is_the_only_one() -> None:
    """A merge may leave nothing else; beside a number in use it is not the patient's."""
    old = identifier("MRN-1", "MR") | {"use": "old"}
    link = _link("replaced-by", {"reference": "Patient/p2"})
    assert _merges(bundle(_patient("p1", old, **link), _patient("p2", identifier("MRN-2", "MR"), old))) == [_MERGE]


def test_a_merge_is_one_at_every_site_where_the_number_is_used() -> None:
    """Numbers of a system that is a site's are that site's alone."""
    options = evolve(OPTIONS, sites={"urn:south": "south", "urn:east": "east"})
    assert [merge.site for merge in _merges(bundle(_OLD, _NEW), options)] == ["north", "south", "east"]
    old, new = (
        _patient(
            name, identifier(f"MRN-{name[1]}", "MR", "urn:south"), **({"link": _OLD["link"]} if name == "p1" else {})
        )
        for name in ("p1", "p2")
    )
    assert [merge.site for merge in _merges(bundle(old, new), options)] == ["south"]


@pytest.mark.parametrize(
    "documents",
    [
        [_OLD],
        [_OLD, _patient("p2", {"value": "other-7"})],
        [_OLD, _patient("p2", identifier("MRN-1", "MR"))],
        [_OLD, _patient("p2", identifier("UNKNOWN", "MR"))],
        [_patient("p1", identifier("1", "MR", "urn:a"), **_link("replaces", {"reference": "Patient/p2"})),
         _patient("p2", identifier("2", "MR", "urn:b"))],
        [_patient("p1", identifier("1", "MR"), **_link("replaced-by", {"display": "Ann"}))],
    ],
)  # fmt: skip
def test_a_merge_that_is_not_clear_is_refused(documents: list[Json]) -> None:
    """A number and an id are names of two kinds, and merged data cannot be separated again."""
    document = documents[0] if len(documents) == 1 else bundle(*documents)
    with pytest.raises(RefusedMessageError) as caught:
        _merges(document)
    assert (caught.value.code, caught.value.location) == ("unclear-merge", "Patient.link")
    assert not any(name in str(caught.value) for name in ("MRN", "Ann", "urn:"))


def test_other_links_change_nothing() -> None:
    """Nor does a Patient without any, which subscriptions send whenever a name changes."""
    for document in (_patient("p1"), _patient("p1", **_link("seealso", {"reference": "Patient/p2"}))):
        content = read_fhir_content(document, OPTIONS)
        assert (content.versions, content.merges) == ((), ())


def test_a_patient_that_is_none_is_refused() -> None:
    """Whatever links it has or lacks."""
    for document in (_patient("p1", birthDate=5), _OLD | {"gender": ["female"]}):
        with pytest.raises(RefusedMessageError) as caught:
            read_fhir_content(document, OPTIONS)
        assert (caught.value.code, caught.value.location) == ("not-fhir", "Patient")


def test_a_modifier_of_a_patient_is_refused() -> None:
    """It may say that the link does not hold."""
    odd = _OLD | {"modifierExtension": [{"url": "https://ris.example/not", "valueBoolean": True}]}
    with pytest.raises(RefusedMessageError) as caught:
        _merges(odd)
    assert caught.value.code == "unknown-modifier"


def test_reports_and_merges_come_together() -> None:
    """Whoever asks for reports alone gets these; a document of patients has none."""
    together = bundle(report(), _OLD, _NEW)
    content = read_fhir_content(together, OPTIONS)
    assert (len(content.versions), content.merges) == (1, (_MERGE,))
    assert len(read_fhir(together, OPTIONS)) == 1
    for document in (_OLD, bundle(_OLD, _NEW)):
        with pytest.raises(RefusedMessageError) as caught:
            read_fhir(document, OPTIONS)
        assert caught.value.code == "not-a-report"
