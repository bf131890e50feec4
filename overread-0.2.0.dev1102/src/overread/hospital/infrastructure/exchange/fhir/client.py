"""Posts FHIR documents over HTTP, for demonstrations, tests and measurements."""

from __future__ import annotations

from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

import httpx2  # noqa: TID253 - imported by those who post
import tenacity  # noqa: TID253 - as above

from overread.httpclient import Answer, Limits, NoAnswer, exchange, open_client

__all__ = ["FhirClient"]

_TRIES: Final = 10
_LONGEST_WAIT: Final = 30.0
_USUAL_WAIT: Final = 1.0
"""Seconds to wait where the service does not say how many."""

_LONGEST_ANSWER: Final = 2**20
_BUSY: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


class FhirClient:
    """A client of a service, opened by ``with``; documents are posted one after the other, over one connection.

    Args:
        host, port: of the service.
        key: by which it knows this client.
        path: where documents are posted, with its query.
        answer_seconds: that connecting and each answer may take.
    """

    def __init__(self, host: str, port: int, *, key: str, path: str, answer_seconds: float = 30.0) -> None:
        self._limits = Limits(seconds=answer_seconds, max_bytes=_LONGEST_ANSWER)
        self._client = open_client(self._limits, keep=True)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/fhir+json"}
        self._url = str(httpx2.URL(scheme="http", host=host, port=port, raw_path=path.encode("ascii")))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def post(self, document: bytes) -> int:
        """The status with which a document is answered; where the service asks to wait, it is posted again.

        Raises:
            TimeoutError: if the service has no time for it however often it is posted.
            OSError: if there is no answer.
        """
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_result(lambda answer: answer.status in _BUSY),
            stop=tenacity.stop_after_attempt(_TRIES),
            wait=_wait,
        )
        try:
            return attempts(self._post_once, document).status
        except tenacity.RetryError:
            raise TimeoutError("the service is still busy after several tries") from None

    def _post_once(self, document: bytes) -> Answer:
        answer = exchange(self._client, self._limits, "POST", self._url, headers=self._headers, body=document)
        if isinstance(answer, NoAnswer):
            raise OSError(f"the service did not answer ({answer.reason})")
        return answer


def _wait(state: tenacity.RetryCallState) -> float:
    """Seconds that the service asks for in Retry-After, or the usual ones."""
    answer = state.outcome.result() if state.outcome else None
    wait = answer.asked_wait if isinstance(answer, Answer) else None
    return _USUAL_WAIT if wait is None else min(wait.total_seconds(), _LONGEST_WAIT)
