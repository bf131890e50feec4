"""Pages of readers in a browser: thirty pairs by keys alone, without scripts, small and large, dark and on paper."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import pytest
from attrs import define
from playwright.sync_api import Page, expect

from overread.domain.vocabulary.severity import Severity
from overread.hospital.application.access import AccessControl
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.requests import Search
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.reading import AssignmentState, ProtocolReader, ReadingMode
from overread.hospital.domain.review import Radpeer, Verdict, VerdictKind

from ..browsing import NEEDS_BROWSER, Visitor, browser, is_wider_than_its_screen, violations
from ..ward import ADMIN, FakeHasher, Ward, served, ward

pytestmark = NEEDS_BROWSER

_ROLES: Final = {
    "kim": Role.REVIEWER,
    "lang": Role.REVIEWER,
    "mori": Role.REVIEWER,
    "novak": Role.REVIEWER,
    "otto": Role.REVIEWER,
    "head": Role.LEAD,
}
_READ: Final = 30
_LEFT_OUT: Final = Verdict(kind=VerdictKind.AMEND, severity=Severity.SIGNIFICANT, reason="It is left out.")


@define(eq=False)
class _Study:
    """People at the pages of a ward, who have signed in."""

    ward: Ward
    visitors: dict[str, Visitor]

    def open(self, by: str, path: str, **how: Any) -> AbstractContextManager[Page]:
        """A page for somebody."""
        return self.visitors[by].open(path, **how)

    def first(self, by: str, protocol: int, state: AssignmentState = AssignmentState.OPEN) -> str:
        """Address of somebody's first assignment of a protocol."""
        rows = self.ward.hospital.assignments(by=_person(by), reader=by, protocol=protocol, state=state, limit=1).rows
        return f"/assignments/{rows[0].number}"


@define
class _Keys:
    """Presses keys and counts them; two that are held together are two."""

    page: Page
    pressed: int = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.pressed += key.count("+") + 1
            self.page.keyboard.press(key)

    def type(self, words: str) -> None:
        self.pressed += len(words)
        self.page.keyboard.type(words)


def _is_elsewhere(address: str) -> Callable[[str], bool]:
    before = address.partition("?")[0]
    return lambda url: url.partition("?")[0] != before


def _person(name: str) -> Actor:
    return Actor(name=name, roles={_ROLES[name]})


def _plan(*readers: str, pairs: Sequence[int], **more: Any) -> ProtocolPlan:
    return ProtocolPlan(readers=[ProtocolReader(name=name) for name in readers], pairs=pairs, **more)


@pytest.fixture(scope="module")
def study() -> Iterator[_Study]:
    """Three protocols: thirty pairs for kim; eight that lang and mori read and novak decides; three that are open."""
    made = ward(40)
    hospital, access = made.hospital, AccessControl(made.store, FakeHasher())
    page = hospital.search(Search(kind=None, limit=200), by=ADMIN)
    pairs = sorted(row.pair for row in page.rows if row.examination.accession not in {made.textless, made.waiting})
    novak = [ProtocolReader(name="novak")]
    plans = (
        _plan("kim", name="Thirty", per_pair=1, pairs=pairs[:_READ]),
        _plan("lang", "mori", name="Two by two", pairs=pairs[30:38], adjudicators=novak, asks_radpeer=True),
        _plan("otto", name="Open", per_pair=1, pairs=pairs[38:41], mode=ReadingMode.OPEN),
    )
    for plan in plans:
        hospital.create_protocol(plan, by=_person("head"))
    for name, verdicts, score in (("lang", [_LEFT_OUT], "3b"), ("mori", [], "1")):
        for row in hospital.assignments(by=_person(name), reader=name, limit=5).rows:
            hospital.review_assignment(
                row.number,
                by=_person(name),
                verdicts=verdicts,
                no_discrepancy=not verdicts,
                radpeer=Radpeer(score),
            )
    with served(hospital, access) as address, browser() as launched:
        visitors = {name: Visitor(launched, address) for name in _ROLES}
        for name, role in _ROLES.items():
            visitors[name].sign_in(access.issue(name, [role], by=ADMIN).secret)
        yield _Study(made, visitors)


def _own_pages(study: _Study) -> dict[str, list[str]]:
    done = AssignmentState.DONE
    return {
        "lang": ["/assignments", "/assignments?state=done", study.first("lang", 2), study.first("lang", 2, done)],
        "otto": [study.first("otto", 3)],
        "novak": ["/assignments", study.first("novak", 2)],
        "head": ["/protocols", "/protocols/new?site=north", "/protocols/2", "/protocols/2/agreement"],
    }


def _say(keys: _Keys, reports: Sequence[str]) -> None:
    """Reads a pair as somebody would who knows the cases of the ward, and keeps it."""
    reference, candidate = reports
    if reference == candidate:
        keys.press("0", "Enter")
        return
    for sign, grade, category, finding, own_words in (
        ("apical pneumothorax", "2", "b", "pneumothorax", ""),
        ("appendicitis", "2", "b", "appendicitis", ""),
        ("lower lobe pneumonia", "2", "c", "pneumonia", ""),
        ("9 mm nodule", "1", "d", "", "6 mm, now 9 mm"),
        ("soft tissue swelling", "1", "b", "", "swelling"),
    ):
        if sign not in reference:
            continue
        keys.press(grade, category, "Tab")
        if finding:
            keys.type(finding)
            keys.press("Enter")
        else:
            keys.press("Tab")
            keys.type(own_words)
            keys.press("Control+Enter")
        return
    keys.press("0", "Enter")


def test_thirty_pairs_are_read_by_keys_alone(
    study: _Study, record_property: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the list, without a pointer and without a look at what the program says; few key presses a pair."""
    presses, seconds = [], []
    with study.open("kim", "/assignments") as page:
        keys = _Keys(page)
        keys.press("n")
        page.wait_for_url("**/assignments/*")
        for _ in range(_READ):
            address, began, before = page.url, time.perf_counter(), keys.pressed
            reports = page.locator("#pair .text").all_inner_texts()
            assert "resident" not in page.content()
            _say(keys, reports)
            page.wait_for_url(_is_elsewhere(address))
            presses.append(keys.pressed - before)
            seconds.append(time.perf_counter() - began)
        expect(page.get_by_text("All that is assigned to you is done.")).to_be_visible()
    [load] = study.ward.hospital.protocol(1, by=_person("head")).loads
    assert load.done == _READ
    figures = {
        "key presses a pair": f"median {statistics.median(presses):g}, {min(presses)} to {max(presses)}",
        "seconds a pair": f"median {statistics.median(seconds):.2f}",
    }
    with capsys.disabled():
        sys.stdout.write(f"\n{_READ} pairs by keys alone: {figures}\n")
    for name, words in figures.items():
        record_property(name, words)
    assert min(presses) == 2
    assert statistics.mean(presses) <= 20


def test_keys_reach_every_part_of_the_form(study: _Study) -> None:
    """A second discrepancy, the score, the comment, and what others see once it is kept; `?` lists the keys."""
    with study.open("lang", study.first("lang", 2)) as page:
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("3")
        expect(page.locator("#added-0-category")).to_be_focused()
        page.keyboard.press("b")
        page.keyboard.press("Tab")
        page.keyboard.type("pneumothorax")
        page.locator("#none").focus()
        page.keyboard.press("x")
        page.wait_for_url("**/review")
        expect(page.get_by_role("group", name="Discrepancy 2")).to_be_focused()
        page.keyboard.press("1")
        expect(page.locator("[name=added-1-severity][value=insignificant]")).to_be_checked()
        expect(page.locator("[name=added-0-severity][value=critical]")).to_be_checked()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.type("and a nodule")
        page.locator("#none").focus()
        page.keyboard.press("r")
        page.keyboard.press("ArrowUp")
        expect(page.locator("#radpeer [value='3b']")).to_be_checked()
        page.keyboard.press("c")
        expect(page.locator("#comment")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("v")
        expect(page.get_by_text("is kept and stays as it is")).to_be_visible()
        expect(page.get_by_text("and a nodule")).to_be_visible()


def test_an_adjudicator_decides_by_keys(study: _Study) -> None:
    """Fills the form in as a reader did, and keeps it; then the next one opens."""
    with study.open("novak", "/assignments") as page:
        keys = _Keys(page)
        keys.press("n")
        page.wait_for_url("**/assignments/*")
        address = page.url
        expect(page.get_by_role("heading", name="Reader 2")).to_be_visible()
        assert not any(f"{name}<" in page.content() for name in ("lang", "mori"))
        keys.press("t", "Enter")
        page.wait_for_url("**/review")
        expect(page.locator("#unsaved")).to_have_text("Not confirmed yet.")
        keys.press("Control+Enter")
        page.wait_for_url("**/assignments/*kept=*")
        assert page.url.partition("?")[0] != address
        assert keys.pressed <= 5
    assert study.ward.hospital.protocol(2, by=_person("head")).adjudicated == 1


def test_a_pair_is_read_without_scripts(study: _Study) -> None:
    """By forms and links alone, with what is amiss told, as with them."""
    with study.open("mori", "/assignments", java_script_enabled=False) as page:
        page.get_by_role("button", name="Next pair").click()
        page.get_by_role("button", name="Keep and open the next pair").click()
        expect(page.locator("#amiss")).to_be_focused()
        page.get_by_role("radio", name="significant", exact=True).check()
        page.get_by_label("Or in your words").fill("left out")
        page.get_by_role("button", name="One more discrepancy").click()
        expect(page.get_by_role("group", name="Discrepancy 2")).to_be_focused()
        page.get_by_label("should be made most of the time, likely").check()
        page.get_by_role("button", name="Keep and see what others see").click()
        expect(page.get_by_text("is kept and stays as it is")).to_be_visible()


def test_no_page_of_readings_has_a_serious_violation_of_accessibility(study: _Study) -> None:
    """By axe-core, all rules, and those of contrast in the dark as well."""
    problems = []
    for by, paths in _own_pages(study).items():
        for scheme, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
            with study.open(by, paths[0], color_scheme=scheme) as page:
                for path in paths:
                    page.goto(path)
                    problems += violations(page, **options)
    assert problems == []


@pytest.mark.parametrize(("width", "height"), [(360, 740), (768, 1024), (3840, 2160)])
def test_no_page_of_readings_is_wider_than_its_screen(study: _Study, width: int, height: int) -> None:
    """From a phone to a wall."""
    wide = []
    for by, paths in _own_pages(study).items():
        with study.open(by, paths[0], width=width, height=height) as page:
            for path in paths:
                page.goto(path)
                wide += [path] if is_wider_than_its_screen(page) else []
    assert wide == []


def test_paper_has_both_reports_and_not_the_form(study: _Study) -> None:
    """Nor the keys; the list is a table there, however narrow the page."""
    with study.open("otto", study.first("otto", 3), color_scheme="dark") as page:
        page.emulate_media(media="print")
        for hidden in ("My assignments", "Keep and open the next pair", "all keys"):
            expect(page.get_by_text(hidden).first).to_be_hidden()
        expect(page.get_by_text("Final report", exact=True).last).to_be_visible()
        expect(page.locator("body")).to_have_css("color", "rgb(27, 36, 48)")
    with study.open("head", "/protocols/2", width=700) as page:
        page.emulate_media(media="print")
        expect(page.locator("table.stack").first).to_have_css("display", "table")
        expect(page.get_by_role("button", name="Hand on").first).to_be_hidden()
