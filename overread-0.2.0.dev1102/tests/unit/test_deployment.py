"""The service unit and the container files: what their own tools say of them, and what they must not lose."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

DEPLOY: Final = Path(__file__).parents[2] / "docs" / "deploy"
UNIT: Final = DEPLOY / "overread.service"


ANALYZE: Final = shutil.which("systemd-analyze")


def _version() -> int:
    """Of systemd; 0 where it is not installed."""
    if ANALYZE is None:
        return 0
    told = subprocess.run([ANALYZE, "--version"], capture_output=True, text=True, check=True).stdout
    return int(told.split()[1])


@pytest.mark.skipif(_version() < 250, reason="systemd is not installed, or too old to look at a unit that is not")
def test_systemd_takes_the_unit_and_finds_it_closed() -> None:
    """Nothing of the unit is unknown, and its exposure is at most 1.5 of 10, as systemd counts it."""
    assert ANALYZE is not None
    verified = subprocess.run([ANALYZE, "verify", UNIT], capture_output=True, text=True, check=False)
    complaints = [line for line in verified.stderr.splitlines() if "overread" in line]
    assert [line for line in complaints if "is not executable" not in line] == []
    rated = [ANALYZE, "security", "--offline=true", "--threshold=15", str(UNIT)]
    assert subprocess.run(rated, capture_output=True, check=False).returncode == 0


def test_containers_are_closed() -> None:
    """Both run on a root that cannot be written, without rights; the database is reached from inside alone."""
    yaml: Any = pytest.importorskip("yaml")
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    services = compose["services"]
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert "ports" not in services["database"]
    assert compose["networks"]["back"] == {"internal": True}
    assert all(port.startswith("127.0.0.1:") for port in services["overread"]["ports"])
    assert not any("PASSWORD" in name and "FILE" not in name for name in services["database"]["environment"])
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").splitlines()
    assert "USER 10001:10001" in lines
