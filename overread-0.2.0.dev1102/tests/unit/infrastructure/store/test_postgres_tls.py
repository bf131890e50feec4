"""The way to a real PostgreSQL: sealed where it leads beyond this machine."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from sqlalchemy import make_url
from typer.testing import CliRunner

from overread.cli.app import app
from overread.exceptions import ConfigurationError, StoreError
from overread.hospital.infrastructure.store import open_hospital_store
from overread.infrastructure.store import _postgres as postgres_module
from overread.infrastructure.store import open_store
from overread.infrastructure.store._tls import over_tls

from ....postgres import Server, in_schema
from ....way_to_postgres import way_to
from ...hospital.infrastructure.exchange.certificates import signs_itself
from ...hospital.infrastructure.store.hospital_data import add_compared


def test_a_server_beyond_this_machine_is_talked_to_over_tls(postgres: Server, tmp_path: Path) -> None:
    """By itself, and known by its certificate where the address says so; the store is the same."""
    certificate = signs_itself(tmp_path, "database")
    with in_schema(postgres) as url, way_to(url, certificate) as address:
        schema = url.partition("&")[2]
        with (
            open_hospital_store(f"{address}?{schema}", texts="plain") as store,
            store.transaction() as unit,
            store._database.engine.connect() as connection,
        ):
            add_compared(unit, "A1")
            info = connection.connection.dbapi_connection.info  # type: ignore[union-attr]
            assert (info.pgconn.ssl_in_use, info.get_parameters()["sslmode"]) == (True, "require")
        known = f"{address}?{schema}&sslrootcert={certificate[0]}&sslmode"
        open_hospital_store(f"{known}=verify-ca", texts="plain").close()
        with pytest.raises(StoreError, match="shows a certificate of another host"):
            open_hospital_store(f"{known}=verify-full", texts="plain")
        (tmp_path / "other").mkdir()
        stranger, _ = signs_itself(tmp_path / "other", "database")
        with pytest.raises(StoreError, match="shows a certificate that is not trusted"):
            open_hospital_store(f"{address}?{schema}&sslrootcert={stranger}&sslmode=verify-ca", texts="plain")


def test_nothing_goes_beyond_this_machine_in_plain_text(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither to a server without TLS, nor where the address or the environment asks for less; unless it is allowed."""
    monkeypatch.setattr(postgres_module, "_AGAIN_S", 0.0)
    with in_schema(postgres) as url, way_to(url) as way:
        address = f"{way}?{url.partition('&')[2]}"
        with pytest.raises(StoreError, match=r"does not speak TLS .*hospital\.allow_plain"):
            open_hospital_store(address, texts="plain")
        for mode in ("disable", "allow", "prefer"):
            with pytest.raises(ConfigurationError, match=rf"with sslmode={mode}: reports would cross the network"):
                open_hospital_store(f"{address}&sslmode={mode}", texts="plain")
        monkeypatch.setenv("PGSSLMODE", "prefer")
        with pytest.raises(ConfigurationError, match="address leads beyond this machine with sslmode=prefer"):
            open_hospital_store(address, texts="plain")
        with pytest.raises(ConfigurationError, match="address leads beyond this machine with sslmode=prefer"):
            open_store(address)
        with open_hospital_store(address, texts="plain", allow_plain=True) as store:
            store.check()
        open_store(address, allow_plain=True).close()


def test_the_setting_of_a_hospital_reaches_its_store(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that opens the store is refused without it, by its name, and works with it."""
    monkeypatch.setattr(postgres_module, "_AGAIN_S", 0.0)
    with in_schema(postgres) as url, way_to(url) as way:
        address = f"{way}?{url.partition('&')[2]}&sslmode=disable"
        open_hospital_store(address, texts="plain", allow_plain=True).close()
        for command in (["upgrade", "--check"], ["audit", "verify"], ["keys", "list"]):
            options = [*command, "--store", address, "--set", "hospital.texts=plain"]
            refused = CliRunner().invoke(app, options).exception
            assert isinstance(refused, ConfigurationError)
            assert "hospital.allow_plain" in str(refused)
            result = CliRunner().invoke(app, [*options, "--set", "hospital.allow_plain=true"])
            assert result.exit_code == 0, result.output


def test_a_way_that_a_service_file_names_is_looked_at(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands in no address: that it leaves this machine without TLS shows once it is connected."""
    with in_schema(postgres) as url, way_to(url) as address:
        parts = urlsplit(address)
        service = tmp_path / "services"
        service.write_text(
            f"[hospital]\nhost={parts.hostname}\nport={parts.port}\nuser={parts.username}\ndbname=postgres\n"
        )
        monkeypatch.setenv("PGSERVICEFILE", str(service))
        with pytest.raises(StoreError, match="reports would cross the network in plain text"):
            open_hospital_store("postgresql:///?service=hospital", texts="plain")


@pytest.mark.parametrize(
    ("address", "environment", "mode"),
    [
        ("postgresql://u@db.example/x", {}, "require"),
        ("postgresql://u@db.example/x?sslmode=verify-full", {}, "verify-full"),
        ("postgresql:///x?host=a.example:5433&host=b.example:5433", {}, "require"),
        ("postgresql:///x?hostaddr=198.51.100.7&host=localhost", {}, "require"),
        ("postgresql:///x", {"PGHOST": "db.example"}, "require"),
        ("postgresql:///x", {"PGHOST": "db.example", "PGSSLMODE": "verify-ca"}, None),
        ("postgresql:///x", {"PGHOST": "/run/postgresql"}, None),
        ("postgresql:///x", {}, None),
        ("postgresql:///x?host=/run/postgresql", {}, None),
        ("postgresql://u@127.0.0.1/x?sslmode=disable", {}, "disable"),
        ("postgresql://u@localhost:5433/x", {}, None),
        ("postgresql://u@[::1]/x", {}, None),
    ],
)
def test_an_address_asks_for_tls_where_it_leads_beyond_this_machine(
    address: str, environment: dict[str, str], mode: str | None
) -> None:
    """By its host, every one of several, or that of the environment; sockets and loopback need none."""
    assert over_tls(make_url(address), environment).query.get("sslmode") == mode
