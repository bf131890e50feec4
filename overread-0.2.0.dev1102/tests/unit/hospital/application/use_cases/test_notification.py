"""Notifications: none is missed, and old names work on."""

from __future__ import annotations

from threading import Thread

import pytest

from overread.hospital.application.use_cases.notification import Notification


def test_a_notification_between_the_look_and_the_wait_is_not_missed() -> None:
    """Who looked before it does not wait; who looked after it waits in vain."""
    notification = Notification()
    seen = notification.count
    notification.notify()
    assert notification.wait(seen, 0.0)
    assert not notification.wait(notification.count, 0.0)


def test_a_notification_wakes_another_thread() -> None:
    """Long before its time is over."""
    notification = Notification()
    thread = Thread(target=notification.wait, args=(0, 60.0))
    thread.start()
    notification.notify()
    thread.join(30)
    assert not thread.is_alive()


def test_old_names_work_on_for_a_release() -> None:
    """Each warns and tells the new one."""
    notification = Notification()
    with pytest.warns(DeprecationWarning, match="ring is now notify"):
        notification.ring()
    with pytest.warns(DeprecationWarning, match="rings is now count"):
        assert notification.rings == 1
