"""The pages in a browser: by mouse, by keys, without scripts, on small and large screens, in the dark and on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import pytest
from attrs import define
from playwright.sync_api import Dialog, Page, Route, expect

from overread.hospital.application.access import AccessControl
from overread.hospital.application.requests import Search
from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.review import Radpeer, VerdictKind

from ..browsing import NEEDS_BROWSER, Visitor, browser, is_wider_than_its_screen, violations
from ..ward import ADMIN, FakeHasher, Ward, served, ward

pytestmark = NEEDS_BROWSER

_PAGES: Final = (
    "/worklist",
    "/worklist?importance=urgent&site=north&finding=nonesuch",
    "/worklist?site=nowhere",
    "/rates",
    "/samples",
    "/charts",
    "/cases",
    "/flags?sample=999",
    "/month?month=2026-11",
    "/conference",
    "/actions",
    "/own",
    "/refusals",
    "/coverage",
    "/keys",
    "/help",
    "/pairs/999999",
)


@define(eq=False, kw_only=True)
class _Desk(Visitor):
    """Somebody who reviews at the pages of a ward."""

    ward: Ward
    key: str

    def pair(self, accession: str) -> str:
        """The address of an examination's first pair."""
        found = self.ward.hospital.search(Search(accession=accession), by=ADMIN)
        return f"/pairs/{min(row.pair for row in found.rows)}"


@pytest.fixture(scope="module")
def desk() -> Iterator[_Desk]:
    """One server and one browser for all."""
    made = ward()
    access = AccessControl(made.store, FakeHasher())
    key = access.issue("Dr. Lead", [Role.REVIEWER, Role.ADMIN], by=ADMIN)
    with served(made.hospital, access) as address, browser() as launched:
        desk = _Desk(ward=made, browser=launched, address=address, key=key.secret)
        desk.sign_in(desk.key)
        yield desk


def _every_page(desk: _Desk) -> list[str]:
    ward = desk.ward
    pairs = [desk.pair(accession) for accession in (ward.scored, ward.waiting, ward.unscored, ward.textless)]
    return [*_PAGES, *pairs, f"{pairs[0]}?explain=true", f"{pairs[0]}/examinations/1"]


def test_no_page_has_a_serious_violation_of_accessibility(desk: _Desk) -> None:
    """By axe-core, all rules, on every page."""
    found = []
    with desk.open("/worklist") as page:
        for path in _every_page(desk):
            page.goto(path)
            found += violations(page)
    assert found == []


def test_words_can_be_read_in_the_dark(desk: _Desk) -> None:
    """By axe-core's rule of contrast, on pages that have between them all that the style sheet colours."""
    found = []
    with desk.open("/worklist", color_scheme="dark") as page:
        scored = desk.pair(desk.ward.scored)
        for path in (*_PAGES[:2], "/rates", "/samples", f"{scored}?explain=true", f"{scored}/examinations/1"):
            page.goto(path)
            assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
            found += violations(page, runOnly=["color-contrast"])
    assert found == []


def test_the_login_page_has_none_either(desk: _Desk) -> None:
    """Nor has it when it says what was wrong."""
    with desk.open("/login?problem=key") as page:
        expect(page.get_by_role("alert")).to_be_focused()
        assert violations(page) == []


@pytest.mark.parametrize(("width", "height", "most"), [(360, 740, 99), (3840, 2160, 4)])
def test_no_pageis_wider_than_its_screen(desk: _Desk, width: int, height: int, most: int) -> None:
    """From a phone to a wall: nothing scrolls sideways."""
    with desk.open("/worklist", width=width, height=height) as page:
        wide = []
        for path in _every_page(desk)[-most:]:
            page.goto(path)
            wide += [path] if is_wider_than_its_screen(page) else []
        assert wide == []


def test_reports_grow_with_the_page_on_a_wall(desk: _Desk) -> None:
    """What is compared is not smaller there than the list of what differs."""
    with desk.open("/worklist", width=3840, height=2160) as page:
        page.locator("a.open").first.click()
        sizes = page.eval_on_selector_all("html, #pair", "all => all.map(each => getComputedStyle(each).fontSize)")
        assert len(sizes) == 2
        assert len(set(sizes)) == 1


def test_filters_change_the_list_and_leave_the_page(desk: _Desk) -> None:
    """The address follows, so that it can be sent to somebody; what has changed is announced; Back goes back."""
    with desk.open("/worklist") as page:
        page.evaluate("window.sameDocument = true")
        page.get_by_label("Compared").select_option("draft-final")
        expect(page.locator("#announce")).to_have_text("20 pairs.")
        assert "kind=draft-final" in page.url
        assert page.evaluate("window.sameDocument") is True
        assert set(page.locator("td[data-label=Compared]").all_text_contents()) == {"AI draft → final"}
        page.get_by_role("link", name="remove filter Compared: AI draft → final").click()
        expect(page.locator(".told")).to_contain_text("64 pairs")
        page.go_back()
        expect(page.locator(".told")).to_have_text("20 pairs.")


def test_findings_are_offered_while_one_types(desk: _Desk) -> None:
    """The lexicon has more names than anybody knows; the one that is taken filters the list."""
    with desk.open("/worklist") as page:
        page.get_by_text("More filters").click()
        page.get_by_label("Finding").press_sequentially("appendici")
        expect(page.locator('#finding-names option[value="appendicitis"]')).to_be_attached()
        assert "More filters" in page.locator("#filters").inner_text()
        page.get_by_label("Finding").fill("appendicitis")
        page.get_by_label("Finding").press("Enter")
        expect(page.locator(".told")).to_have_text("10 pairs.")


def test_the_list_goes_on_where_it_ended(desk: _Desk) -> None:
    """The next rows take the place of the first ones, and the focus goes with them."""
    with desk.open("/worklist?order=newest") as page:
        first = page.locator("a.open").all_text_contents()
        page.get_by_role("link", name="Next 50").click()
        expect(page.locator(".told")).to_be_focused()
        rest = page.locator("a.open").all_text_contents()
        assert (len(first), len(rest)) == (50, 14)
        assert len({*first, *rest}) == 63  # one examination has two pairs
        page.get_by_role("link", name="Back to the first").click()
        expect(page.locator("a.open").first).to_have_text(first[0])


def test_a_pair_is_reviewed_by_mouse(desk: _Desk) -> None:
    """From the list to the pair, its verdict, its score, and on to the next pair of the list."""
    with desk.open("/worklist?review=open&kind=draft-final&modality=CT") as page:
        page.locator("a.open").first.click()
        number = int(page.url.partition("/pairs/")[2].partition("?")[0])
        page.get_by_label("Amend").first.check()
        page.get_by_label("Severity").first.select_option("insignificant")
        page.get_by_label("Reason").first.fill("known from the referral")
        page.get_by_label("2a").check()
        page.get_by_label("Comment").fill("to be discussed")
        page.get_by_role("button", name="Confirm review").click()
        expect(page.get_by_text("Your review is kept.").first).to_be_visible()
        expect(page.get_by_text("known from the referral")).to_be_visible()
        page.get_by_role("link", name="Go on to the next pair").click()
        page.wait_for_url(f"**/pairs/{number - 6}?*")
    [review] = desk.ward.hospital.pair(number, by=ADMIN).reviews
    assert review.reviewer == "Dr. Lead"
    assert review.radpeer is Radpeer.UNDERSTANDABLE_INSIGNIFICANT
    assert review.proposed is Radpeer.EXPECTED_SIGNIFICANT
    assert [verdict.kind for verdict in review.verdicts] == [VerdictKind.AMEND]


def test_a_pair_is_reviewed_by_keys_alone(desk: _Desk) -> None:
    """Without a pointer: the keys that the help names, and those that every browser has."""
    path = desk.pair("A0009")
    with desk.open(f"{path}?at=0&order=newest") as page:
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        page.keyboard.press("2")
        expect(page.locator('.asks.at[data-number="2"]')).to_be_visible()
        page.keyboard.press("k")
        page.keyboard.press("a")
        expect(page.locator('[data-number="1"] [value=agree]')).to_be_checked()
        page.keyboard.press("j")
        page.keyboard.press("d")
        expect(page.locator('[data-number="2"] textarea')).to_be_focused()
        page.keyboard.type("jad? no: they were there before")
        page.keyboard.press("Escape")
        expect(page.locator('.asks.at[data-number="2"] [value=disagree]')).to_be_focused()
        page.keyboard.press("r")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("c")
        page.keyboard.type("by keys")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**kept=*")  # and its scripts, which listen to the next key
        expect(page.get_by_text("Your review is kept.").first).to_be_visible()
        page.keyboard.press("n")
        page.wait_for_url("**/pairs/*?order=newest&at=0")
        assert path not in page.url
    [review] = desk.ward.hospital.pair(int(path.rpartition("/")[2]), by=ADMIN).reviews
    said = {verdict.kind: verdict.reason for verdict in review.verdicts}
    assert said == {VerdictKind.AGREE: "", VerdictKind.DISAGREE: "jad? no: they were there before"}
    assert (review.radpeer, review.comment) == (Radpeer.CONCUR, "by keys")


def test_what_is_missing_is_added_by_keys(desk: _Desk) -> None:
    """From the worklist to its first pair, and there to a discrepancy that is not listed, and to one more."""
    with desk.open("/worklist?kind=draft-final") as page:
        page.keyboard.press("n")
        page.wait_for_url("**/pairs/*")
        page.keyboard.press("x")
        expect(page.locator("#added-0-category")).to_be_focused()
        page.locator("#added-0-category").select_option("B")
        page.locator("h1").click()
        page.keyboard.press("x")
        expect(page.get_by_role("group", name="Discrepancy 2 to add")).to_be_visible()
        expect(page.locator("#added-0-category")).to_have_value("B")


def test_a_learning_point_is_kept_by_keys_and_does_not_take_a_review_with_it(desk: _Desk) -> None:
    """Ctrl+Enter in its form keeps it alone; where a verdict was not confirmed yet, one is asked before it is lost."""
    path = desk.pair("A0012")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    with desk.open(path) as page:
        page.on("dialog", stay)
        page.keyboard.press("l")
        page.keyboard.type("Look twice.")
        page.get_by_label("Comment").fill("not confirmed yet")
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(300)
        expect(page.locator("#point-text")).to_have_value("Look twice.")
        expect(page.get_by_label("Comment")).to_have_value("not confirmed yet")
        page.get_by_label("Comment").fill("")
        page.locator("#point-text").focus()
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**#learning")
        expect(page.get_by_text("Look twice.")).to_be_visible()
    number = int(path.rpartition("/")[2])
    assert asked == ["beforeunload"]
    assert desk.ward.hospital.pair(number, by=ADMIN).reviews == ()
    assert [point.text for point in desk.ward.hospital.learning_points(number, by=ADMIN).points] == ["Look twice."]


def test_ten_pairs_are_reviewed_by_keys_alone(desk: _Desk) -> None:
    """Each with a verdict or a score, confirmed from wherever one is; then the store has ten reviews."""
    opened = "/worklist?review=open&kind=draft-final&order=newest"
    numbers = []
    with desk.open(opened) as page:
        page.locator("a.open").first.focus()
        page.keyboard.press("Enter")
        for _ in range(10):
            page.wait_for_url("**/pairs/*")
            expect(page.locator("#review")).to_be_visible()
            numbers.append(int(page.url.partition("/pairs/")[2].partition("?")[0]))
            page.keyboard.press("d")
            page.keyboard.type("n, p: the keys of a text are its own")
            page.keyboard.press("Control+Enter")
            page.wait_for_url(f"**kept={numbers[-1]}")
            expect(page.get_by_text(f"Your review of pair {numbers[-1]} is kept.")).to_be_visible()
    assert len(set(numbers)) == 10
    for number in numbers:
        [review] = desk.ward.hospital.pair(number, by=ADMIN).reviews
        assert review.reviewer == "Dr. Lead"
        assert [verdict.kind for verdict in review.verdicts] == [VerdictKind.DISAGREE]


def test_enter_confirms_from_every_field_that_takes_one_line(desk: _Desk) -> None:
    """It presses the form's first button, which must not be the one that only asks for more room."""
    for accession, chosen in (("A0013", "#listed-0-kind [value=agree]"), ("A0014", "#radpeer [value='1']")):
        _confirmed_by_enter(desk, accession, _checks(chosen), chosen)

    def amend(page: Page) -> None:
        page.locator("#listed-0-kind [value=amend]").check()
        page.locator("#listed-0-reason").fill("it is one")
        page.locator("#listed-0-finding").fill("pneumothorax")

    _confirmed_by_enter(desk, "A0019", amend, "#listed-0-finding")


def _checks(chosen: str) -> Callable[[Page], None]:
    return lambda page: page.locator(chosen).check()


def _confirmed_by_enter(desk: _Desk, accession: str, fill: Callable[[Page], None], focused: str) -> None:
    path = desk.pair(accession)
    with desk.open(path) as page:
        fill(page)
        page.locator(focused).press("Enter")
        page.wait_for_url("**kept=*")
    assert len(desk.ward.hospital.pair(int(path.rpartition("/")[2]), by=ADMIN).reviews) == 1


def test_a_review_that_is_not_confirmed_is_asked_after(desk: _Desk) -> None:
    """By the browser, whatever leads away; who stays finds it as it was, and who confirms is not asked."""
    with desk.open("/worklist?order=newest&kind=preliminary-final") as page:
        asked: list[str] = []
        page.locator("a.open").first.click()
        page.wait_for_url("**/pairs/*")
        address = page.url

        def stay(dialog: Dialog) -> None:
            asked.append(dialog.type)
            dialog.dismiss()

        page.on("dialog", stay)
        page.keyboard.press("n")
        page.wait_for_url(lambda url: url != address)
        assert asked == []
        address = page.url
        page.keyboard.press("r")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#unsaved")).to_have_text("Not confirmed yet.")
        page.keyboard.press("n")
        expect(page.locator("#unsaved")).to_have_text("Not confirmed yet.")
        assert (page.url, asked) == (address, ["beforeunload"])
        page.get_by_role("link", name="Rates").click()
        assert (page.url, asked) == (address, ["beforeunload"] * 2)
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**kept=*")
        assert len(asked) == 2


def test_a_form_that_was_given_back_is_asked_after_too(desk: _Desk) -> None:
    """Its fields are as the server filled them in, and nothing of them is kept."""
    with desk.open(desk.pair(desk.ward.scored)) as page:
        asked: list[str] = []
        page.get_by_label("Disagree").first.check()
        page.get_by_role("button", name="Confirm review").click()
        expect(page.locator("#amiss")).to_be_focused()
        expect(page.locator("#unsaved")).to_have_text("Not confirmed yet.")

        def leave(dialog: Dialog) -> None:
            asked.append(dialog.type)
            dialog.accept()

        page.on("dialog", leave)
        page.get_by_role("link", name="Rates").click()
        page.wait_for_url("**/rates")
        assert asked == ["beforeunload"]


def test_a_review_is_kept_once_however_often_it_is_sent(desk: _Desk) -> None:
    """Enter that is pressed again, while the answer is awaited, sends nothing more."""
    path = desk.pair("A0032")
    with desk.open(path) as page:
        held: list[Route] = []
        page.route("**/review?*", lambda route: held.append(route))  # noqa: PLW0108 - which playwright marks
        page.locator("#radpeer [value='1']").check()
        with page.expect_request("**/review?*"):
            page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        held[0].continue_()
        page.wait_for_url("**kept=*")
        assert len(held) == 1
    assert len(desk.ward.hospital.pair(int(path.rpartition("/")[2]), by=ADMIN).reviews) == 1


def test_shortcuts_can_be_switched_off(desk: _Desk) -> None:
    """For good, in this browser, as WCAG's criterion 2.1.4 wants; and on again."""
    with desk.open(desk.pair(desk.ward.scored)) as page:
        page.keyboard.press("?")
        page.get_by_label("Shortcuts are on").uncheck()
        page.get_by_role("button", name="Close").click()
        page.reload()
        page.keyboard.press("a")
        expect(page.locator("[value=agree]").first).not_to_be_checked()
        page.goto("/help")
        page.get_by_label("Shortcuts are on").check()
        page.goto(desk.pair(desk.ward.scored))
        page.keyboard.press("a")
        expect(page.locator("[value=agree]").first).to_be_checked()


def test_an_entry_of_the_list_rings_its_words_in_both_reports(desk: _Desk) -> None:
    """The one style element that stands in the page is let in by the policy's nonce."""
    with desk.open(desk.pair(desk.ward.scored)) as page:
        page.locator("#pair-card1 a").first.focus()
        mark = page.locator("mark.d1").first
        expect(mark).to_have_css("outline-style", "solid")


def test_lines_of_the_plan_stay_in_their_picture(desk: _Desk) -> None:
    """Between the units of both reports, and not over what stands below."""
    with desk.open(f"{desk.pair(desk.ward.scored)}?explain=true") as page:
        picture, lines = (page.locator(f"#pair-graph{within}").bounding_box() for within in ("", " .lines svg"))
        assert picture is not None
        assert lines is not None
        assert lines["y"] + lines["height"] <= picture["y"] + picture["height"]


def test_fields_of_an_amendment_are_there_when_they_are_wanted(desk: _Desk) -> None:
    """Agreement asks for nothing more, disagreement for a reason, an amendment for what it should be."""
    with desk.open(desk.pair(desk.ward.scored)) as page:
        reason, severity = page.locator("#listed-0-reason"), page.locator("#listed-0-severity")
        for verdict, asks in (("Agree", (False, False)), ("Disagree", (True, False)), ("Amend", (True, True))):
            page.get_by_label(verdict, exact=True).first.check()
            assert (reason.is_visible(), severity.is_visible()) == asks


def test_what_is_amiss_has_the_focus_and_leads_to_its_field(desk: _Desk) -> None:
    """What was filled in is still there."""
    with desk.open(desk.pair(desk.ward.scored)) as page:
        page.get_by_label("Disagree").first.check()
        page.get_by_label("Comment").fill("so far")
        page.get_by_role("button", name="Confirm review").click()
        expect(page.locator("#amiss")).to_be_focused()
        assert violations(page) == []
        page.get_by_role("link", name="Give a reason.").click()
        assert page.url.endswith("#listed-0-reason")
        expect(page.get_by_label("Comment")).to_have_value("so far")


def test_everything_can_be_done_without_scripts(desk: _Desk) -> None:
    """Filter, next rows, review, sample: forms and links, as ever."""
    with desk.open("/worklist", java_script_enabled=False) as page:
        page.get_by_label("Compared").select_option("preliminary-final")
        page.get_by_role("button", name="Show").click()
        expect(page.locator(".told")).to_have_text("43 pairs.")
        page.locator("a.open").first.click()
        page.get_by_label("Agree", exact=True).first.check()
        page.get_by_role("button", name="Confirm review").click()
        expect(page.get_by_text("Your review is kept.").first).to_be_visible()
        page.goto("/worklist?review=open&kind=preliminary-final")
        page.locator("a.open").first.click()
        page.get_by_label("Agree", exact=True).first.check()
        page.get_by_role("button", name="Confirm and open the next pair").click()
        expect(page.get_by_text("is kept.").first).to_contain_text("Your review of pair")
        page.goto("/worklist")
        page.get_by_role("link", name="Next 50").click()
        expect(page.locator(".told")).to_have_text("64 pairs, the next 14 of them here.")


def test_what_an_answer_is_about_has_the_focus_without_scripts(desk: _Desk) -> None:
    """What is amiss, and the room for one more discrepancy: both stand far down the page."""
    with desk.open(desk.pair(desk.ward.scored), java_script_enabled=False) as page:
        page.get_by_label("Disagree").first.check()
        page.get_by_role("button", name="Confirm review").click()
        expect(page.locator("#amiss")).to_be_focused()
        page.get_by_text("Add a discrepancy that is not listed").click()
        page.locator("#added-0-reason").fill("left out")
        page.get_by_role("button", name="Room for one more").click()
        expect(page.get_by_role("group", name="Discrepancy 2")).to_be_focused()


def test_a_sample_is_drawn_shown_and_counted(desk: _Desk) -> None:
    """Weighted by risk: the list tells what each pair stands for, and rates over it say that they are of a sample."""
    with desk.open("/worklist?modality=CT") as page:
        page.get_by_role("link", name="Draw a sample of these").click()
        page.get_by_label("Pairs wanted").fill("10")
        page.get_by_label("Weighted by risk").check()
        page.get_by_label("Seed").fill("7")
        page.get_by_role("button", name="Draw").click()
        expect(page.locator(".told")).to_have_text("10 pairs.")
        weights = [float(words) for words in page.locator('td[data-label="Stands for"]').all_text_contents()]
        assert len(set(weights)) > 1
        page.get_by_role("link", name="Rates of these").click()
        expect(page.get_by_role("columnheader", name="Stand for").first).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("link", name="Figures as CSV").click()
        assert download.value.suggested_filename == "overread-rates.csv"


def test_a_sample_too_small_for_its_groups_is_told_so(desk: _Desk) -> None:
    """The form stays as it was filled in."""
    with desk.open("/samples") as page:
        page.get_by_label("Pairs wanted").fill("1")
        page.get_by_label("Stratified:").check()
        page.get_by_role("button", name="Draw").click()
        expect(page.get_by_role("alert")).to_contain_text("2 groups")
        expect(page.get_by_label("Pairs wanted")).to_have_value("1")


def test_paper_has_the_reports_and_not_the_controls(desk: _Desk) -> None:
    """Both reports and the reviews are printed, in dark ink whatever the screen is like; forms and menus are not."""
    with desk.open(desk.pair(desk.ward.scored), color_scheme="dark") as page:
        page.emulate_media(media="print")
        expect(page.get_by_text("Final report", exact=True).last).to_be_visible()
        for hidden in ("Worklist", "Confirm review", "Agree"):
            expect(page.get_by_text(hidden, exact=True).first).to_be_hidden()
        expect(page.locator("body")).to_have_css("color", "rgb(27, 36, 48)")


def test_tables_are_tables_on_paper(desk: _Desk) -> None:
    """A page is as wide as a small screen, and is not read like one."""
    for path in ("/rates", "/worklist"):
        with desk.open(path, width=700) as page:
            expect(page.locator("table.stack").first).to_have_css("display", "block")
            page.emulate_media(media="print")
            expect(page.locator("table.stack").first).to_have_css("display", "table")
            assert not is_wider_than_its_screen(page)


def test_whoever_signs_out_sees_nothing_more(desk: _Desk) -> None:
    """Going back shows the login page, not what was seen before."""
    with desk.open("/help") as page:
        page.context.clear_cookies()
        page.goto("/worklist")
        page.get_by_label("Key").fill(desk.key)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/login")
        page.go_back()
        page.wait_for_url("**/login**")
