"""The table [serve]: read strictly, with secrets from elsewhere, and every problem told."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overread.exceptions import ConfigurationError
from overread.hospital.domain.feeds import Weekday
from overread.hospital.infrastructure.serving_settings import ServeConfiguration, serve_configuration

_EVERYWHERE = "0.0.0.0"  # noqa: S104 - which is what is refused
_SECRET = "s" * 40


def test_what_is_not_named_is_as_usual() -> None:
    """An empty table is a process on this machine, with HTTP and one worker."""
    assert serve_configuration({}, {}).http.host == "127.0.0.1"
    assert serve_configuration({}, {}).workers == ServeConfiguration().workers == 1
    assert serve_configuration({}, {}).hl7 is None


def test_every_part_is_read(tmp_path: Path) -> None:
    """Tables within the table, durations in words, and secrets from the environment or a file."""
    key = tmp_path / "session"
    key.write_text(_SECRET)
    table: dict[str, Any] = {
        "workers": 2,
        "drain": "1 min",
        "http": {"port": 0},
        "limits": {"session_secret": f"file:{key}", "session_idle": "30 min", "rate": 5},
        "hl7": {"port": 0},
        "hl7_reading": {"zone": "Europe/Berlin", "models": {"AIHEAD": "head-net 2"}},
        "folder": {"path": str(tmp_path)},
        "fhir": {"site": "north"},
        "fhir_server": {
            "url": "http://127.0.0.1:1/",
            "cursor": "cursor.json",
            "reading": {"site": "n", "release": "5.0"},
        },
        "webhooks": [{"name": "ris", "url": "http://127.0.0.1:2/", "secrets": "env:HOOK"}],
        "alerts": {
            "every": "30 s",
            "feeds": [
                {
                    "door": "hl7",
                    "site": "north",
                    "first_hour": 7,
                    "last_hour": 19,
                    "weekdays": ["mon"],
                    "longest": "1 h",
                },
                {"door": "fhir", "site": "north"},
            ],
        },
        "oidc": {
            "issuer": "https://idp.example",
            "client_id": "overread",
            "client_secret": "env:OIDC",
            "public_url": "https://overread.example",
            "roles": {"radiologist": "reviewer"},
        },
    }
    read = serve_configuration(table, {"HOOK": "whsec_" + "QUJD" * 12, "OIDC": "client secret".replace(" ", "-")})
    assert read.limits.session_secret == _SECRET.encode()
    assert (read.limits.session_idle, read.drain) == (timedelta(minutes=30), timedelta(minutes=1))
    assert read.oidc is not None
    assert (read.oidc.client_secret, read.oidc.roles["radiologist"].value) == ("client-secret", "reviewer")
    assert read.webhooks[0].secrets == (b"ABC" * 12,)
    assert read.alerts is not None
    assert (read.alerts.every, read.alerts.least) == (timedelta(seconds=30), timedelta(minutes=15))
    assert read.alerts.feeds[0].weekdays == (Weekday.MON,)
    assert [feed.longest for feed in read.alerts.feeds] == [timedelta(hours=1), None]
    assert read.fhir_server is not None
    assert read.fhir_server.cursor == Path("cursor.json")
    assert _SECRET not in repr(read)
    assert "client-secret" not in repr(read)


def test_every_problem_is_told_with_its_place() -> None:
    """Together, whatever part they are of, each by the full name of its setting; no secret is repeated."""
    table: dict[str, Any] = {
        "workers": "2",
        "http": {"port": "a", "hots": 1},
        "limits": {"session_secret": "my own secret", "session_idle": "soon"},
        "webhooks": [{"name": 5, "url": "http://127.0.0.1:1/"}],
        "nothing": 1,
    }
    with pytest.raises(ConfigurationError) as caught:
        serve_configuration(table, {})
    assert [problem.partition(" (")[0] for problem in caught.value.problems] == [
        "serve.workers must be a whole number, not the text '2'",
        "serve.http.port must be a whole number, not the text 'a'",
        "serve.http.hots is not a setting; did you mean host?",
        "serve.limits.session_secret must be env:NAME or file:PATH, where the secret is kept",
        (
            'serve.limits.session_idle must be a number of seconds, or a duration such as "5 min", "12 h" or "30 d", '
            "not the text 'soon'"
        ),
        "serve.webhooks[0].name must be text, not a number",
        "serve.webhooks[0].secrets must be given",
        "serve.nothing is not a setting",
    ]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ({"http": {"port": 99999}}, "serve.http.port must be 0 to 65535"),
        ({"http": 5}, "serve.http must be a table, not 5"),
        ({"fhir": {"site": "north", "sites": "south"}}, "serve.fhir.sites must be a table, not the text 'south'"),
        ({"hl7_reading": {"zone": "Berlin"}}, "serve.hl7_reading.zone must be a time zone"),
        ({"folder": {"path": "/nowhere/to/be/found"}}, "serve.folder.path: there is no folder /nowhere"),
        ({"hl7": {"port": -1}}, "serve.hl7.port must be >= 0"),
        ({"hl7": {"key": "server.key"}}, "serve.hl7.certificate must be given as well"),
        ({"http": {"key": "server.key"}}, "serve.http.certificate and key must be given together"),
        ({"webhooks": {"name": "ris"}}, "serve.webhooks must be a list of tables"),
        ({"limits": {"rate": float("nan")}}, "serve.limits.rate must be a number, not nan"),
        ({"limits": {"body_seconds": 0}}, "serve.limits.body_seconds must be above 0"),
        ({"limits": {"session_secret": "env:NONE"}}, "serve.limits.session_secret names the environment variable NONE"),
    ],
    ids=str,
)
def test_a_problem_says_what_would_be_right(table: dict[str, Any], problem: str) -> None:
    """Once, by the setting's full name, before anything is opened: a folder must be there, and a secret."""
    with pytest.raises(ConfigurationError) as caught:
        serve_configuration(table, {})
    [found] = caught.value.problems
    assert found.startswith(problem)


_OIDC = {"issuer": "https://login.example", "client_id": "o", "public_url": "https://o.example"}
_NOBODY: list[dict[str, Any]] = [
    {"roles": {}},
    {"roles": {" quality": "admin"}},
    {"roles_claim": ""},
    {"roles_claim": "groups "},
    {"name_claim": ""},
]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        *(
            ({"limits": {"hosts": [name]}}, "serve.limits.hosts must be the names")
            for name in ("*", "*.example", "https://o.example", "o.example:443", "O.Example", "o.example ", "")
        ),
        ({"limits": {"hosts": []}}, "serve.limits.hosts must be the names"),
        *(
            ({"http": {"proxies": [name]}}, "serve.http.proxies must be addresses")
            for name in ("*", "10.0.0.0/8", "proxy.local", "10.0.0.7 ")
        ),
        *(
            ({"oidc": _OIDC | change}, "serve.oidc.roles, roles_claim and name_claim must be names")
            for change in _NOBODY
        ),
    ],
    ids=str,
)
def test_names_that_would_let_in_everybody_or_nobody_are_refused(table: dict[str, Any], problem: str) -> None:
    """A star takes a defence away without a word; what no client or provider ever says keeps all out."""
    with pytest.raises(ConfigurationError) as caught:
        serve_configuration(table, {})
    assert any(found.replace("serve.oidc: ", "serve.oidc.").startswith(problem) for found in caught.value.problems)


@pytest.mark.parametrize("names", [["o.example", "10.0.0.5", "[fe80::1]", "localhost", "o_ver-read.example."]])
def test_names_and_addresses_of_hosts_are_taken(names: list[str]) -> None:
    """As clients write them."""
    configured = serve_configuration({"limits": {"hosts": names}, "http": {"proxies": ["10.0.0.7", "::1"]}}, {})
    assert (list(configured.limits.hosts), len(configured.http.proxies)) == (names, 2)


@pytest.mark.parametrize(
    ("part", "setting", "text"),
    [
        ("limits", "hosts", "*.hospital.example"),
        ("limits", "hosts", "overread.hospital.example"),
        ("http", "proxies", "10.0.0.1"),
        ("hl7_reading", "processing_ids", "PT"),
        ("hl7_reading", "accession_fields", "OBR-18"),
    ],
)
def test_a_text_is_not_taken_apart_into_letters(part: str, setting: str, text: str) -> None:
    """A "*" among them would let every Host in, and a "T" training messages."""
    with pytest.raises(ConfigurationError) as caught:
        serve_configuration({part: {setting: text}}, {})
    [problem] = caught.value.problems
    assert problem == f'serve.{part}.{setting} must be a list, such as ["{text}"], not the text {text!r}'


def test_the_token_of_a_server_is_looked_for_when_the_service_begins() -> None:
    """Each poll would fail without it, and the first may be far."""
    server = {"url": "https://fhir.example", "cursor": "c.json", "reading": {"site": "n"}, "token": "env:TOKEN"}
    with pytest.raises(ConfigurationError, match=r"serve\.fhir_server\.token names the environment variable TOKEN"):
        serve_configuration({"fhir_server": server}, {})
    read = serve_configuration({"fhir_server": server}, {"TOKEN": "abc"})
    assert read.fhir_server is not None
    assert read.fhir_server.token == "env:TOKEN"  # noqa: S105 - the place of one


@pytest.mark.parametrize(
    "table",
    [
        {"http": {"host": _EVERYWHERE}},
        {"http": {"host": "198.51.100.7", "insecure_bind": False}},
        {"hl7": {"host": _EVERYWHERE}},
        {"http": {"certificate": "server.pem"}},
    ],
    ids=str,
)
def test_nothing_is_heard_in_plain_beyond_this_machine_unless_that_is_said(table: dict[str, Any]) -> None:
    """Neither HTTP nor HL7, and TLS needs certificate and key."""
    with pytest.raises(ConfigurationError):
        serve_configuration(table, {})


def test_who_listens_to_others_says_by_which_names() -> None:
    """A service that is reached by names which it was not told would refuse every request."""
    beyond = {"host": _EVERYWHERE, "insecure_bind": True}
    with pytest.raises(ConfigurationError, match=r"limits\.hosts"):
        serve_configuration({"http": beyond}, {})
    assert serve_configuration({"http": beyond, "limits": {"hosts": ["overread.example"]}}, {}).http.insecure_bind


@pytest.mark.parametrize(
    ("alerts", "problem"),
    [
        ({"every": 0}, "alerts.every must be a duration above 0"),
        ({"feeds": [{"door": "hl7", "site": "north"}] * 2}, "two are of the same door and site"),
        ({"feeds": [{"door": "hl7", "site": "north", "first_hour": 25}]}, "0 to 24"),
        ({"feeds": [{"door": "hl7", "site": "north", "weekdays": ["monday"]}]}, "weekdays"),
        ({"feeds": [{"door": "hl7"}]}, "site"),
    ],
)
def test_an_alert_that_cannot_be_is_refused(alerts: dict[str, Any], problem: str) -> None:
    """With what is wrong."""
    with pytest.raises(ConfigurationError, match=problem):
        serve_configuration({"alerts": alerts}, {})
