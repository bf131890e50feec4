"""The client that posts documents waits as a service asks, and says what it is told."""

from __future__ import annotations

import socket
from threading import Thread

import pytest

from overread.hospital.infrastructure.exchange.fhir.client import FhirClient

from ..listening import Came, Reply, listening


def _post(port: int, documents: int = 1) -> list[int]:
    with FhirClient("127.0.0.1", port, key="hush", path="/api/v1/fhir?site=north") as client:
        return [client.post(b"{}") for _ in range(documents)]


def test_documents_are_posted_one_after_the_other() -> None:
    """Each with the key, to the place with its query; the status comes back whatever it is."""
    statuses = iter([201, 422])
    with listening(lambda _: Reply(next(statuses), b"{}")) as service:
        assert _post(service.port, 2) == [201, 422]
    assert [(came.method, came.path, came.body) for came in service.came] == [
        ("POST", "/api/v1/fhir?site=north", b"{}")
    ] * 2
    assert service.came[0].headers["authorization"] == "Bearer hush"
    assert service.came[0].headers["content-type"] == "application/fhir+json"


@pytest.mark.parametrize("status", [429, 503])
def test_a_service_that_asks_for_time_gets_it(status: int) -> None:
    """The same document is posted again."""
    busy = {"Retry-After": "0"}
    answers = iter([Reply(status, b"later", busy), Reply(status, b"later", busy), Reply(201)])
    with listening(lambda _: next(answers)) as service:
        assert _post(service.port) == [201]
    assert len(service.came) == 3


def test_a_service_without_time_is_given_up() -> None:
    """After ten tries; nothing of its words is told."""

    def busy(_: Came) -> Reply:
        return Reply(503, b"effusion", {"Retry-After": "0"})

    with listening(busy) as service, pytest.raises(TimeoutError, match="is still busy after several tries"):
        _post(service.port)
    assert len(service.came) == 10


def test_a_service_that_is_not_there_is_told() -> None:
    """Once: nobody asked to come again."""
    with pytest.raises(OSError, match=r"the service did not answer \(unreachable\)"):
        _post(1)


def test_documents_share_a_connection() -> None:
    """As long as the service keeps it: connecting takes longer than many a document."""
    with socket.create_server(("127.0.0.1", 0)) as service:
        service.settimeout(30)

        def serve() -> None:
            connection, _ = service.accept()
            with connection:
                for _ in range(3):
                    request = b""
                    while not request.endswith(b"{}"):
                        request += connection.recv(10_000)
                    connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}")

        thread = Thread(target=serve)
        thread.start()
        assert _post(service.getsockname()[1], 3) == [201] * 3
        thread.join()
