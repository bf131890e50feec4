"""When a server is taken to be unusable, and for how long."""

from __future__ import annotations

import pytest

from overread.adapters.llm.chat_server._watch import Watch
from overread.exceptions import ConfigurationError


def test_a_few_requests_may_fail_of_themselves() -> None:
    """Every answer begins the count again."""
    watch = Watch(enough=3)
    for _ in range(5):
        watch.record_failure("x")
        watch.record_failure("x")
        watch.answered()
    watch.check()


def test_too_many_in_a_row_are_the_fault_of_the_server() -> None:
    """The last reason is told."""
    watch = Watch(enough=3)
    watch.record_failure("x")
    watch.record_failure("x")
    with pytest.raises(ConfigurationError, match="3 requests in a row got no answer: no luck"):
        watch.record_failure("no luck")


def test_an_unusable_server_is_left_alone_for_a_while() -> None:
    """Later it may be back; a clock that was set back does not lock it out."""
    now = 100.0
    watch = Watch(rest_s=10, clock=lambda: now)
    assert "gone" in str(watch.unusable("gone"))
    now = 109.0
    with pytest.raises(ConfigurationError, match="gone"):
        watch.check()
    now = 110.0
    watch.check()
    now = 50.0
    watch.check()
