"""Webhooks of a process, and whom the hospital tells."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from overread.exceptions import ConfigurationError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.bootstrap.serving import ServiceProcess
from overread.hospital.infrastructure.serving_settings import serve_configuration

from ..hospital.application.hospital import hospital

_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - of the standard's example


def _process(told: Sequence[str], webhooks: Sequence[str], folder: Path) -> ServiceProcess:
    secret = folder / "secret"
    secret.write_text(_SECRET)
    tables = [{"name": name, "url": "https://ris.example/", "secrets": f"file:{secret}"} for name in webhooks]
    service = hospital(configuration=HospitalConfiguration(deliver_to=told))
    return ServiceProcess(service, serve_configuration({"webhooks": tables}))


@pytest.mark.parametrize(
    ("told", "webhooks", "problems"),
    [
        (["ris"], ["RIS"], ["deliver_to names ris", "webhook RIS is never sent anything"]),
        ([], ["ris"], ["webhook ris is never sent anything"]),
        (["ris", "pacs"], ["ris"], ["deliver_to names pacs"]),
    ],
)
def test_a_webhook_that_would_be_told_of_nothing_is_refused(
    tmp_path: Path, told: list[str], webhooks: list[str], problems: list[str]
) -> None:
    """At the start; so is word for one that there is not, which would never arrive."""
    with pytest.raises(ConfigurationError) as caught:
        _process(told, webhooks, tmp_path)
    assert len(caught.value.problems) == len(problems)
    assert all(part in said for part, said in zip(problems, caught.value.problems, strict=True))


def test_a_process_without_webhooks_leaves_them_to_another(tmp_path: Path) -> None:
    """Several share the work over one store."""
    assert _process(["ris"], [], tmp_path).works() == {}
    assert _process(["ris"], ["ris"], tmp_path).works() == {}
