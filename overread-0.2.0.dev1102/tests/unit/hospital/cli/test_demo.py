"""`overread serve --demo`: what keeps an invented day apart from real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from overread.cli.app import app
from overread.exceptions import ConfigurationError
from overread.hospital.bootstrap.demo import demonstration
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.hospital.infrastructure.http.configuration import ServerOptions
from overread.hospital.infrastructure.serving_settings import ServeConfiguration
from overread.infrastructure.settings import Settings


def test_an_invented_day_does_not_get_into_a_store_that_is_there(tmp_path: Path) -> None:
    """Nor into a database: only a new file is its own."""
    kept = tmp_path / "hospital.db"
    kept.touch()
    for store in (str(kept), "postgresql://lead@localhost/hospital"):
        with (
            pytest.raises(ConfigurationError, match="a store of its own"),
            demonstration(Settings(), ServeConfiguration(), store=store),
        ):
            pass


def test_a_demonstration_has_ways_of_its_own_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Where HTTP is listened for stays as configured; the folder does not, and is gone with the store at the end."""
    real = tmp_path / "inbox"
    real.mkdir()
    configuration = ServeConfiguration(http=ServerOptions(port=0), folder=FolderOptions(path=real))
    with demonstration(Settings(), configuration) as shown:
        folder = shown.configuration.folder
        assert folder is not None
        assert folder.path != real
        assert folder.path.is_dir()
        assert shown.configuration.http == configuration.http
        place = Path(shown.hospital.configuration.store)
        assert place.exists()
        shown.hospital.close()

    assert not folder.path.exists()
    assert not place.exists()
    assert list(real.iterdir()) == []


def test_a_named_store_stays(tmp_path: Path) -> None:
    """What somebody named they want to look at afterwards."""
    place = tmp_path / "day.db"
    with demonstration(Settings(), ServeConfiguration(), store=str(place)) as shown:
        shown.hospital.close()

    assert place.exists()


def test_a_month_goes_with_the_demo_alone() -> None:
    """Whoever forgets the option must not get a service of their own store instead."""
    refused = CliRunner().invoke(app, ["serve", "month"])

    assert refused.exit_code == 2
    assert "--demo" in refused.output
