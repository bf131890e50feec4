"""A browser for tests of pages, which fails them where a page complains or asks anything of another place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from attrs import define, field
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, sync_playwright

__all__ = ["NEEDS_BROWSER", "Visitor", "browser", "is_wider_than_its_screen", "violations"]

_CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")

NEEDS_BROWSER: Final = pytest.mark.skipif(
    _CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"
)

_ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
_GRAVE: Final = ("serious", "critical")
_PATIENCE_MS: Final = 10_000


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=_CHROMIUM, args=list(_ARGUMENTS))
        yield launched
        launched.close()


@define(eq=False)
class Visitor:
    """Somebody at the pages of a server, who has signed in or will.

    Attributes:
        browser: that is used.
        address: of the server.
        cookies: of a session, from when they have signed in.
    """

    browser: Browser
    address: str
    cookies: list[Any] = field(factory=list)

    @contextmanager
    def open(self, path: str, *, width: int = 1280, height: int = 800, **how: Any) -> Iterator[Page]:
        """A page, about which there is nothing to complain when it is closed."""
        complaints: list[str] = []

        def go_on(route: Route) -> None:
            if route.request.url.startswith((f"{self.address}/", "data:,")):
                route.continue_()
            else:
                complaints.append(f"asked {route.request.url}")
                route.abort()

        context = self.browser.new_context(base_url=self.address, viewport={"width": width, "height": height}, **how)
        context.set_default_timeout(_PATIENCE_MS)
        context.add_cookies(self.cookies)
        context.route("**/*", go_on)
        context.on("console", lambda told: complaints.append(told.text) if _is_complaint(told) else None)
        context.on("weberror", lambda told: complaints.append(str(told.error)))
        page = context.new_page()
        page.goto(path)
        try:
            yield page
        finally:
            context.close()
        assert complaints == []

    def sign_in(self, key: str) -> None:
        """By the form of the login page, as everybody does; later pages share the session."""
        with self.open("/help") as page:
            page.get_by_label("Key").fill(key)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/help")
            self.cookies = page.context.cookies()


def violations(page: Page, **options: Any) -> list[str]:
    """Serious violations of accessibility on a page, by axe-core."""
    found = Axe().run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [
        f"{page.url}: {each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in _GRAVE
        for node in each["nodes"]
    ]


def is_wider_than_its_screen(page: Page) -> bool:
    """Return whether a page scrolls sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


def _is_complaint(told: Any) -> bool:
    """Whether a page's console says that something is wrong; that an answer was 404 or 422 may be what is tested."""
    return told.type in ("error", "warning") and "Failed to load resource" not in told.text
