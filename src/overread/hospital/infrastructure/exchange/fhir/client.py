"""Posts FHIR documents over HTTP, for demonstrations, tests and measurements."""

from __future__ import annotations

import http.client
import time
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

__all__ = ["FhirClient"]

_TRIES: Final = 10
_LONGEST_WAIT: Final = 30.0


class FhirClient:
    """A connection to a service, opened by ``with``; documents are posted one after the other.

    Args:
        host, port: of the service.
        key: by which it knows this client.
        path: where documents are posted, with its query.
        answer_seconds: that connecting and each answer may take.
    """

    def __init__(self, host: str, port: int, *, key: str, path: str, answer_seconds: float = 30.0) -> None:
        self._connection = http.client.HTTPConnection(host, port, timeout=answer_seconds)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/fhir+json"}
        self._path = path

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def post(self, document: bytes) -> int:
        """The status with which a document is answered; where the service asks to wait, it is posted again.

        Raises:
            TimeoutError: if the service has no time for it however often it is posted.
            OSError: if there is no answer.
        """
        for _ in range(_TRIES):
            self._connection.request("POST", self._path, body=document, headers=self._headers)
            answer = self._connection.getresponse()
            answer.read()
            if answer.status not in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
                return answer.status
            time.sleep(_seconds(answer.getheader("Retry-After", "")))
        raise TimeoutError("the service has no time, however often it is asked")


def _seconds(told: str) -> float:
    """Seconds that Retry-After asks for; 1 if it names a date or nothing."""
    return min(float(told), _LONGEST_WAIT) if told.isascii() and told.isdigit() else 1.0
