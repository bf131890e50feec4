"""Resources in XML, as JSON would have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lxml import etree

from overread.hospital.infrastructure.exchange.fhir._elements import Resource
from overread.hospital.infrastructure.exchange.fhir._releases import from_xml
from overread.hospital.infrastructure.exchange.fhir.options import FhirRelease
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["parse_xml"]

_FHIR: Final = "http://hl7.org/fhir"
_PAGE: Final = "{http://www.w3.org/1999/xhtml}div"
_ATTRIBUTES: Final = frozenset({"value", "id", "url"})


def parse_xml(document: bytes, release: FhirRelease | None) -> Resource:
    """A resource as JSON has it.

    No document type is taken, so that there are no entities to expand and nothing to fetch. What the definitions do not
    have is refused, and nothing of what is there is left out.

    Args:
        document: in UTF-8.
        release: that it is of; each that is read where omitted.

    Raises:
        RefusedMessageError: if it is no such XML.
    """
    if b"<!DOCTYPE" in document:
        raise RefusedMessageError("unreadable", "a document type declaration is not accepted; send the resource alone")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(document, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise RefusedMessageError("unreadable", "the document must be XML in UTF-8") from None
    values = len(list(_values(root)))
    name = etree.QName(root).localname
    for candidate in [release] if release else list(FhirRelease):
        resource = from_xml(name, candidate, document, parser)
        if resource is not None and len(list(_leaves(resource))) == values:
            return resource
    raise RefusedMessageError(
        "not-fhir", "this is not a FHIR resource, or has elements that its definition does not have"
    )


def _values(element: Any) -> Iterator[str]:
    """Yield what an element and those within hold: values, ids, urls, and pages as one each."""
    if element.tag == _PAGE:
        yield element.tag
        return
    is_blank = not (element.text or "").strip() and not any((child.tail or "").strip() for child in element)
    if etree.QName(element).namespace != _FHIR or not is_blank or not set(element.attrib) <= _ATTRIBUTES:
        raise RefusedMessageError("not-fhir", "FHIR values must be in attributes, and elements in the FHIR namespace")
    yield from element.attrib
    for child in element:
        yield from _values(child)


def _leaves(node: object, name: str = "") -> Iterator[object]:
    """The same of a resource in JSON."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _leaves(value, key)
    elif isinstance(node, list):
        for item in node:
            yield from _leaves(item, name)
    elif name != "resourceType" and node is not None:
        yield node
