"""Webhooks over HTTP, to receivers that work, fail, hang and redirect."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from overread.domain.vocabulary.severity import Importance
from overread.exceptions import ConfigurationError
from overread.hospital.application.ports import FeedNotice, NoticeKind
from overread.hospital.application.requests import PairState, WorklistRow
from overread.hospital.application.use_cases.delivering import Parcel
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.exchange.webhooks.sending import WebhookCourier
from overread.hospital.infrastructure.exchange.webhooks.signing import is_genuine_webhook
from overread.hospital.infrastructure.exchange.webhooks.targets import WebhookTarget

from ..certificates import signs_itself
from ..listening import Came, Reply, listening

_NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
_SECRET = b"k" * 32
_ROW = WorklistRow(
    pair=17,
    examination=Examination(site="north", accession="A-canary", patient="P-canary", modality="CT"),
    kind=PairKind.PRELIMINARY_FINAL,
    state=PairState.SCORED,
    arrived=_NOW - timedelta(minutes=3),
    reader="R-canary",
    risk=0.8,
    importance=Importance.URGENT,
    significant=2,
)


def _courier(*urls: str, seconds: float = 30.0, pages: str = "") -> WebhookCourier:
    targets = [
        WebhookTarget(name=f"t{place}", url=url, secrets=[_SECRET], seconds=seconds, pages=pages)
        for place, url in enumerate(urls)
    ]
    return WebhookCourier(targets, lambda: _NOW)


def _parcel(name: str = "m-1", target: str = "t0") -> Parcel:
    return Parcel(id=name, target=target, about=_ROW)


def test_a_message_arrives_signed_and_says_where_to_look() -> None:
    """The receiver can prove who sent it, and learns pair, importance and risk; nothing that names a patient."""
    with listening(lambda _: Reply()) as receiver:
        [arrival] = _courier(receiver.url + "/hook", pages="https://overread.example/").send([_parcel()])
    [came] = receiver.came
    assert arrival.has_arrived
    assert (came.method, came.path, came.headers["content-type"]) == ("POST", "/hook", "application/json")
    assert came.headers["webhook-id"] == "m-1"
    assert is_genuine_webhook(came.headers, came.body, _SECRET, now=_NOW)
    message = json.loads(came.body)
    assert message["type"] == "pair.important"
    assert (message["data"]["pair"], message["data"]["importance"], message["data"]["risk"]) == (17, "urgent", 0.8)
    assert message["data"]["link"] == "https://overread.example/pairs/17"
    assert "not an autonomous clinical decision tool" in message["data"]["note"]
    assert b"canary" not in came.body


def test_word_of_a_feed_names_it_and_nothing_else() -> None:
    """Its door and its site, when its last message came, and the page to look at."""
    notice = FeedNotice(
        number=3,
        kind=NoticeKind.SILENT,
        feed=Feed("hl7", "north"),
        since=_NOW - timedelta(hours=1),
        at=_NOW,
        target="t0",
    )
    with listening(lambda _: Reply()) as receiver:
        courier = _courier(receiver.url, pages="https://overread.example/")
        [arrival] = courier.send([Parcel(id="overread-feed-3", target="t0", about=notice)])
    [came] = receiver.came
    assert arrival.has_arrived
    assert is_genuine_webhook(came.headers, came.body, _SECRET, now=_NOW)
    assert json.loads(came.body) == {
        "type": "feed.silent",
        "timestamp": _NOW.isoformat(),
        "data": {
            "door": "hl7",
            "site": "north",
            "last": (_NOW - timedelta(hours=1)).isoformat(),
            "link": "https://overread.example/coverage",
        },
    }


@pytest.mark.parametrize(
    ("status", "is_hopeless"), [(500, False), (404, False), (401, False), (304, False), (410, True)]
)
def test_only_success_is_an_arrival(status: int, is_hopeless: bool) -> None:  # noqa: FBT001
    """A receiver that is being repaired answers anything; only 410 says that it wants no more."""
    with listening(lambda _: Reply(status)) as receiver:
        [arrival] = _courier(receiver.url).send([_parcel()])
    assert (arrival.has_arrived, arrival.reason, arrival.is_hopeless) == (False, f"status-{status}", is_hopeless)


def test_a_redirect_is_not_followed() -> None:
    """What is meant for one system does not go to another because the first says so."""
    with listening(lambda _: Reply()) as elsewhere:
        with listening(lambda _: Reply(307, headers={"Location": elsewhere.url})) as receiver:
            [arrival] = _courier(receiver.url).send([_parcel()])
        assert (arrival.has_arrived, arrival.reason) == (False, "status-307")
        assert elsewhere.came == []


def test_a_receiver_that_asks_for_time_gets_it() -> None:
    """Retry-After in seconds is what the next try waits for; a date or nonsense is nothing."""
    asked = {"/a": "120", "/b": "Wed, 21 Oct 2026 07:28:00 GMT", "/c": "9" * 50}
    with listening(lambda came: Reply(503, headers={"Retry-After": asked[came.path]})) as receiver:
        courier = _courier(*(receiver.url + path for path in asked))
        waits = [each.wait for each in courier.send([_parcel(f"m-{at}", f"t{at}") for at in range(3)])]
    assert waits == [timedelta(minutes=2), None, None]


def test_a_receiver_that_hangs_is_left_when_its_time_is_over() -> None:
    """Nothing at all is a timeout; another target beside it gets its message all the same."""
    is_over = Event()

    def hang(_: Came) -> Reply:
        is_over.wait(60)
        return Reply()

    with listening(hang) as slow, listening(lambda _: Reply()) as quick:
        targets = [
            WebhookTarget(name="t0", url=slow.url, secrets=[_SECRET], seconds=0.3),
            WebhookTarget(name="t1", url=quick.url, secrets=[_SECRET], seconds=60.0),
        ]
        arrivals = WebhookCourier(targets, lambda: _NOW).send([_parcel("m-1"), _parcel("m-2", "t1")])
        is_over.set()
    assert [(each.has_arrived, each.reason) for each in arrivals] == [(False, "timeout"), (True, "")]


def test_a_receiver_that_is_not_there_is_told_of() -> None:
    """Nobody listens on a port that was closed."""
    with listening(lambda _: Reply()) as receiver:
        gone = receiver.url
    [arrival] = _courier(gone).send([_parcel()])
    assert (arrival.has_arrived, arrival.reason) == (False, "unreachable")


def test_the_body_of_an_answer_is_not_read() -> None:
    """A receiver that never comes to an end has answered with its status."""
    with listening(lambda _: Reply(200, b"x" * 1000, trickle_s=0.1)) as receiver:
        [arrival] = _courier(receiver.url, seconds=5.0).send([_parcel()])
    assert arrival.has_arrived


def test_a_target_that_is_configured_no_more_gets_nothing() -> None:
    """Word of patients does not go where somebody has stopped it from going."""
    [arrival] = _courier("http://127.0.0.1:1").send([_parcel(target="old")])
    assert (arrival.has_arrived, arrival.is_hopeless, arrival.reason) == (False, True, "unknown-target")


def test_a_certificate_is_checked(tmp_path: Path) -> None:
    """A receiver of a hospital's own authority is talked to by whoever trusts it, and by nobody else."""
    authorities, key = signs_itself(tmp_path, "localhost")
    with listening(lambda _: Reply(), sealed_by=(authorities, key)) as receiver:
        targets = [
            WebhookTarget(name="t0", url=receiver.url, secrets=[_SECRET], authorities=authorities),
            WebhookTarget(name="t1", url=receiver.url, secrets=[_SECRET]),
        ]
        courier = WebhookCourier(targets, lambda: _NOW)
        trusted, strange = courier.send([_parcel("m-1"), _parcel("m-2", "t1")])
        assert (trusted.has_arrived, strange.reason) == (True, "unreachable")
        authorities.unlink()
        [gone] = courier.send([_parcel("m-3")])
    assert (gone.has_arrived, gone.reason) == (False, "no-authorities")
    assert [came.headers["webhook-id"] for came in receiver.came] == ["m-1"]


def test_two_targets_of_one_name_are_refused() -> None:
    """Nobody could say which is meant."""
    target = WebhookTarget(name="ris", url="https://ris.example", secrets=[_SECRET])
    with pytest.raises(ConfigurationError, match="the same name"):
        WebhookCourier([target, target], lambda: _NOW)


def test_many_messages_go_at_once() -> None:
    """As many as are allowed run side by side, and each finds its own answer."""
    with listening(lambda _: Reply()) as receiver:
        arrivals = _courier(receiver.url).send([_parcel(f"m-{at}") for at in range(12)])
    assert all(each.has_arrived for each in arrivals)
    assert {came.headers["webhook-id"] for came in receiver.came} == {f"m-{at}" for at in range(12)}
