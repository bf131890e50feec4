"""Resources that a notification names and does not bring, fetched from the one server that is configured."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every
from overread.hospital.infrastructure.exchange.fhir.reading import FhirContent, read_fhir_content
from overread.hospital.infrastructure.exchange.fhir.servers import FhirServer, ServerAsker
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["FhirFetcher"]

_NAME: Final = re.compile(
    r"(DiagnosticReport|DocumentReference|Patient)/([A-Za-z0-9.-]{1,64})(?:/_history/[\w.-]{1,64})?"
)
_INCLUDED: Final = {"DocumentReference": ("subject", "author", "authenticator", "related"), "Patient": ("link",)}
_MOST: Final = 100


class FhirFetcher:
    """Fetches what notifications name, with what it refers to; from nowhere but its server.

    Args:
        server: where everything is fetched.
        environment: where tokens are looked up.
    """

    def __init__(self, server: FhirServer, environment: Mapping[str, str] = os.environ) -> None:
        self._server = server
        self._asker = ServerAsker(server, environment)

    def fetch(self, references: Sequence[str]) -> list[FhirContent]:
        """The contents that the server has of each, as it is now; none of what is gone. To be called from a thread.

        Args:
            references: relative, or URLs below that of the server.

        Raises:
            RefusedMessageError: if one names nothing that is read, or lies elsewhere, or cannot be taken.
            PollError: if the server does not answer as it should.
            ConfigurationError: if there is no token where one is told.
        """
        if len(references) > _MOST:
            raise RefusedMessageError("too-many", f"a notification may name at most {_MOST} resources")
        urls = [self._url(reference) for reference in dict.fromkeys(references)]
        bundles = [self._asker.bundle(answer) for answer in self._asker.ask(urls)]
        return list(self._contents(bundles))

    def _contents(self, bundles: Sequence[Resource]) -> Iterator[FhirContent]:
        for bundle in bundles:
            if every(bundle, "entry.resource"):
                yield read_fhir_content({**bundle, "type": "searchset"}, self._server.reading)

    def _url(self, reference: str) -> str:
        base = self._server.url.rstrip("/")
        match = _NAME.fullmatch(reference.removeprefix(f"{base}/"))
        if match is None:
            detail = (
                "a notification names a resource that is not of the configured server, or no DiagnosticReport, "
                "DocumentReference or Patient; let the subscription send full resources"
            )
            raise RefusedMessageError("foreign-reference", detail, location="SubscriptionStatus.notificationEvent")
        kind, name = match[1], match[2]
        included = _INCLUDED.get(kind, self._server.included)
        parameters = [("_id", name), *(("_include", f"{kind}:{parameter}") for parameter in included)]
        return f"{base}/{kind}?{urlencode(parameters)}"
