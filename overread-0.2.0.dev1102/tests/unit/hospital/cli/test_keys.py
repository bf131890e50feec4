"""`overread keys`: issued, listed and revoked on a real store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overread.cli.app import app
from overread.exceptions import ConfigurationError

_PLAIN = ("--set", "hospital.texts=plain")


def _run(store: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, ["keys", *arguments, "--store", str(store), *_PLAIN])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_key_is_issued_listed_and_revoked(tmp_path: Path) -> None:
    """Its secret is all that goes to standard output, and is in no list."""
    store = tmp_path / "hospital.db"
    secret = _run(store, "create", "triage engine", "--role", "submitter", "--days", "30").strip()
    assert secret.startswith("orv_")
    [row] = json.loads(_run(store, "list", "-f", "json"))
    assert (row["name"], row["roles"], row["revoked"]) == ("triage engine", "submitter", None)
    assert row["begins"] == secret[: len(row["begins"])]
    assert secret not in _run(store, "list")
    _run(store, "revoke", "triage engine")
    [row] = json.loads(_run(store, "list", "-f", "json"))
    assert row["revoked"] is not None


def test_a_role_that_there_is_not_is_refused(tmp_path: Path) -> None:
    """With the words that there are."""
    with pytest.raises(ConfigurationError, match="submitter, reviewer, lead, author, admin"):
        _run(tmp_path / "hospital.db", "create", "x", "--role", "king")
