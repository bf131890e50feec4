"""Statement of what is accepted as FHIR over HTTP."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["capability_statement"]

_DATE: Final = "2026-11-27"
"""Of the last change to what it states."""

_ACCEPTED: Final = {
    "DiagnosticReport": "A report on imaging, with its text. Every version is kept; the status entered-in-error "
    "withdraws it.",
    "DocumentReference": "The same as a document, with the text in content.attachment (text, HTML, RTF, PDF) and its "
    "status in docStatus.",
    "Bundle": "Reports with what they refer to; a document that begins with a Composition; a notification of a "
    "subscription.",
    "Patient": "Links of the types replaced-by and replaces are merges; of other Patients nothing is stored.",
}
_DOCUMENTATION: Final = (
    "Bundles of the types transaction, batch, collection, history, searchset, message, document and "
    "subscription-notification may also be posted to the base, which answers in JSON of its own. Resources of R4, R4B "
    "and R5 are accepted. Nothing can be read or searched here, and nothing deleted."
)


def capability_statement(url: str) -> dict[str, Any]:
    """A CapabilityStatement of R4.

    Args:
        url: base of the FHIR interface.
    """
    return {
        "resourceType": "CapabilityStatement",
        "status": "active",
        "date": _DATE,
        "kind": "instance",
        "software": {"name": "overread"},
        "implementation": {"description": "overread: reports come in to be compared", "url": url},
        "fhirVersion": "4.0.1",
        "format": ["json", "xml"],
        "rest": [
            {
                "mode": "server",
                "documentation": _DOCUMENTATION,
                "security": {
                    "description": "A key of the service with the role submitter: Authorization: Bearer orv_..."
                },
                "resource": [_resource(kind, text) for kind, text in _ACCEPTED.items()],
            }
        ],
    }


def _resource(kind: str, text: str) -> dict[str, Any]:
    return {
        "type": kind,
        "documentation": text,
        "interaction": [{"code": "create"}, {"code": "update"}],
        "versioning": "versioned",
        "readHistory": False,
        "updateCreate": True,
    }
