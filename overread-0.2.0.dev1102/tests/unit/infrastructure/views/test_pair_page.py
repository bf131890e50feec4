"""The HTML page of one pair."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from itertools import combinations
from typing import Final

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.lexicon import load_knowledge, sign_reader
from overread.domain.findings.signs import Cue, CueKind
from overread.domain.findings.unit import ClinicalUnit, Polarity
from overread.domain.reports.report import Span
from overread.domain.results.result import EntityEvidence, EvaluationResult, Scored, TransportEvidence
from overread.infrastructure.views.web.marking import Ground, Mark, segments
from overread.infrastructure.views.web.pair_page import pair_page
from overread.infrastructure.views.web.plan_graph import plan_graph

from . import build

_VOID: Final = frozenset({"meta", "br", "line"})


class Page(HTMLParser):
    """A page read back: tags must nest, ids must be unique, links within the page must lead somewhere."""

    def __init__(self, html: str, *, strict: bool = True) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.classes: list[str] = []
        self.ids: Counter[str] = Counter()
        self.targets: list[str] = []
        self.addresses: list[str] = []
        self.tags: Counter[str] = Counter()
        self.text = ""
        self.reports = ["", ""]
        self.rung: dict[str, list[str]] = {}
        self._report = -1
        self.feed(html)
        self.close()
        assert not (strict and self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.tags[tag] += 1
        self.ids.update([values["id"]] if "id" in values else [])
        self.addresses += [values[name] for name in ("href", "src", "action") if name in values]
        if tag not in _VOID:
            self.open.append(tag)
            self.classes.append(values.get("class", ""))
            self._report += values.get("class") == "text"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _VOID, attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag
        self.classes.pop()

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.text += data
        if "text" in self.classes and "sup" not in self.open:
            self.reports[self._report] += data
            for name in self.classes[-1].split():
                self.rung.setdefault(name, []).append(data)


def read(html: str) -> Page:
    """The page, checked for what every page must hold."""
    page = Page(html)
    assert max(page.ids.values()) == 1
    assert all(address.startswith("#") and address[1:] in page.ids for address in page.addresses)
    return page


def whole() -> Page:
    return read(pair_page(build.pair(), build.results(), build.finding_name))


def test_the_reports_stand_in_the_page_unchanged() -> None:
    """Marks cut the text into pieces and lose none of it; the raised numbers are no part of it."""
    assert whole().reports == [build.REFERENCE, build.CANDIDATE]


def test_report_text_and_ids_are_escaped() -> None:
    """Report text that looks like markup stays text."""
    html = pair_page(build.pair(), build.results(), build.finding_name)
    page = read(html)
    assert page.tags["script"] == 0
    assert "&lt;script&gt;" in html
    assert "s<1>" in page.text
    assert "cough [bold] & fever" in page.text


def test_the_page_fetches_nothing() -> None:
    """No address leads outside the page, in markup or in style."""
    html = pair_page(build.pair(), build.results(), build.finding_name)
    assert not re.search(r"https?:|//|url\(|@import|<link|<img|<script", html)
    assert "default-src 'none'" in html


def test_every_discrepancy_is_listed_and_rings_its_words() -> None:
    """An entry each, gravest first; overlapping spans keep all of their words."""
    page = whole()
    assert [page.ids[f"d{number}"] for number in range(1, 7)] == [1, 1, 1, 1, 1, 0]
    for discrepancy in build.discrepancies():
        assert discrepancy.reason.lower() in page.text.lower()
    assert page.text.index("the candidate contradicts itself") < page.text.index("the degree differs by two steps")
    assert "".join(page.rung["d4"]) == (
        "A large right pleural effusion is unchanged" + "A small right pleural effusion"
    )
    assert "".join(page.rung["d2"]) == "large right pleural effusion" + "small right pleural effusion"


def test_what_is_wrong_comes_first_and_what_scores_rest_on_is_folded() -> None:
    """A radiologist sees discrepancies and reports; plan, edges, units and subscores wait behind one element."""
    html = pair_page(build.pair(), build.results(), build.finding_name)
    first, _, rest = html.partition('<details class="rest"')
    seen = Page(first[first.index("<body>") + 6 :].replace("<style>", "<i>").replace("</style>", "</i>"), strict=False)
    for words in ("mass", "edge", "plan", "align", "channel", "units", "(A)"):
        assert words not in seen.text.partition("Candidate report read")[2].lower()
    assert "matched" not in first.partition("</style>")[2].partition("<style>")[2].partition("</style>")[2]
    assert first.index('class="found"') < first.index("Reference report")
    for words in (
        "Edges of highest mass-weighted risk",
        "How the units were matched",
        "What the discrepancies count as",
    ):
        assert words in rest
    assert "<details open" not in html


def test_differences_at_the_same_words_are_one_card() -> None:
    """The words are quoted once; each difference keeps its number, grade and reason."""
    effusion = evolve(build.discrepancies()[0], reference_spans=build.discrepancies()[1].reference_spans)
    effusion = evolve(effusion, candidate_spans=build.discrepancies()[1].candidate_spans)
    html = pair_page(build.pair(), {"n": build.notation((effusion, *build.discrepancies()[1:3]))}, build.finding_name)
    page = read(html)
    cards = re.findall(r'<li id="card\d+".*?</li>', html, re.DOTALL)
    assert len(cards) == 2
    assert page.ids["d1"] == page.ids["d2"] == page.ids["d3"] == 1
    assert [len(re.findall(r'id="d\d"', card)) for card in cards] == [2, 1]
    assert cards[0].count("large right pleural effusion") == 1
    assert cards[0].index("Wrong severity") < cards[0].index("Omitted comparison")


def test_a_second_reader_is_explained_in_one_sentence_where_one_spoke() -> None:
    """Its share stands with each discrepancy, and what that does to the risk once below them."""
    doubted = tuple(evolve(d, probability=0.31) for d in build.discrepancies())
    page = read(pair_page(build.pair(), {"notation": build.notation(doubted)}, build.finding_name))
    assert page.text.count("second reader: 31%, doubtful") == 2 * len(doubted)
    assert page.text.count("it adds that share of its weight to the risk") == 1
    assert "second reader" not in whole().text


def test_words_tell_their_section_and_what_denies_them() -> None:
    """The cue is marked in both places, and "denied" is said: colour and weight are not all that tells it."""
    reader = sign_reader(load_knowledge())
    text = "FINDINGS: No effusion or pneumothorax.\n\nIMPRESSION: Clear."
    start = text.index("pneumothorax")
    denied = ClinicalUnit(
        span_text="pneumothorax",
        start=start,
        end=start + 12,
        section="findings",
        canonical_finding="pneumothorax",
        polarity=Polarity.ABSENT,
    )
    evidence = evolve(build.evidence(), reference_units=(denied, *build.reference_units()[1:]))
    found = evolve(build.discrepancies()[3], reference_spans=(Span(start, start + 12),))
    outcome = Scored(score=0.5, discrepancies=(found,), evidence=evidence)
    results = {"notation": build.result("notation", build.SHARE, outcome)}
    html = pair_page(build.pair(text), results, build.finding_name, signs=reader)
    assert '\u201c<b class="cue negation">No</b> \u2026 pneumothorax\u201d <span class="where">findings, denied' in html
    assert '<b class="cue negation">No</b> effusion' in html.replace("</span>", "")
    assert '<b class="cue negation">no</b> denies it' in html


def test_only_marks_that_occur_are_explained() -> None:
    """The legend of a page without a contradiction does not explain how one would look."""
    html = pair_page(build.pair(), {"n": build.notation(build.discrepancies()[1:2])}, build.finding_name)
    legend = html.partition('aria-label="how to read the marks"')[2].partition("</ul>")[0]
    assert re.findall(r'class="([^"]+)"', legend) == ["d significant"]
    assert "how to read the marks" not in pair_page(build.pair(), {}, build.finding_name)


def test_a_silent_report_has_no_link() -> None:
    """An omission leads into the reference only."""
    page = whole()
    assert page.ids["r3"] == 1
    assert page.ids["c3"] == 0
    assert "does not state it" in page.text


def test_scores_say_their_direction_and_missing_scores_their_reason() -> None:
    """A score cannot be read without its direction, nor a missing one without its reason."""
    text = whole().text
    assert "0 to infinity, lower is better" in text
    assert "0 to 1, higher is better" in text
    assert "rouge not scored: language" in text
    assert "candidate: not a language the reader knows" in text
    assert "a stand-in backend answered" in text
    assert "Clinically significant. 5 discrepancies: 1 critical, 2 significant, 2 insignificant." in text


def test_edges_and_contributions_are_those_of_the_evidence() -> None:
    """R3 to C3 by hand: 0.20 (0.50 + 1.00) = 0.300; a risk beyond its terms is a constant."""
    text = " ".join(whole().text.split())
    first = re.search(r"MW risk 1(R3 .*?)2R", text)
    assert first is not None
    assert first.group(1).strip().endswith("C3 The heart is normal0.2000.5001.000.300")
    assert "modifier expected" in text
    assert "7.224" in text
    assert "somebody elses feature" in text
    assert text.count("constant") == 1
    assert "constant 0.125" in text.replace("constant0", "constant 0")


def test_a_plan_that_did_not_converge_says_so() -> None:
    """Costs of a plan that did not converge must not be taken for those of one that did."""
    results = {"radot": build.radot(converged=False)}
    assert "did NOT converge" in read(pair_page(build.pair(), results, build.finding_name)).text
    assert "did NOT converge" not in whole().text


def test_an_empty_candidate_is_shown_as_empty() -> None:
    """The units are joined to nothing, and the omissions are listed."""
    pair, results = build.against_nothing()
    page = read(pair_page(pair, results, build.finding_name))
    assert "This report is empty." in page.text
    assert "no unit in this report" in page.text
    assert "(nothing: this report has no unit)" in page.text
    assert "nodule can change what is done" in page.text


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ({}, "No metric in these results lists discrepancies."),
        ({"rouge": build.unscored()}, "No metric in these results lists discrepancies."),
        ({"radot": build.radot()}, "No metric in these results lists discrepancies."),
        ({"notation": build.notation(())}, "No discrepancies found."),
    ],
)
def test_silence_is_not_mistaken_for_agreement(results: Mapping[str, EvaluationResult], words: str) -> None:
    """Only a metric that looks for discrepancies can say that there are none."""
    page = read(pair_page(build.pair(), results, build.finding_name))
    assert words in page.text
    assert ("No discrepancies found." in page.text) == ("notation" in results)


def test_a_verdict_on_reports_little_of_which_was_read_says_so() -> None:
    """That nothing was found is no statement about what nobody read."""
    known = build.notation(())
    partly = evolve(
        known, outcome=evolve(known.scored, subscores={**known.scored.subscores, "candidate_coverage": 0.5})
    )
    page = read(pair_page(build.pair(), {"notation": partly}, build.finding_name))
    assert "No discrepancies found in what was read: " in page.text
    assert "50% of the candidate's words" in page.text
    assert "No discrepancies found." not in page.text


def test_truncation_and_two_listing_metrics_are_named() -> None:
    """With two metrics that list discrepancies each has its own verdict, and the numbers run on."""
    notation = build.notation()
    cut = evolve(notation, outcome=evolve(notation.scored, truncated=True))
    judge = build.result("judge", build.SHARE, Scored(score=1.0, discrepancies=build.discrepancies()[:1]))
    page = read(pair_page(build.pair(), {"notation": cut, "judge": judge}, build.finding_name))
    assert "Part of a report was not read." in page.text
    assert "judge: Not clinically significant. 1 discrepancy: 1 insignificant." in page.text
    assert page.ids["d6"] == 1


def test_characters_that_cannot_be_shown_are_replaced() -> None:
    """NUL, escape sequences, overrides and undecodable bytes neither break the page nor shift a mark."""
    page = read(pair_page(build.pair(candidate="a\x00b\x1b[2J\udcffc\u202ed"), {}, build.finding_name))
    assert page.reports[1] == "a\ufffdb\ufffd[2J\ufffdc\ufffdd"
    page.text.encode()


def test_entities_and_their_matches_are_shown_where_a_metric_compared_them() -> None:
    """Both sides' tables, with the note of a backend that stands in; no other page has the section."""
    html = pair_page(build.pair(), {"ratescore": build.ratescore(), "radot": build.radot()}, build.finding_name)
    page = read(html)
    assert page.ids["entities-ratescore"] == 1
    assert "Candidate entities, matched in the reference: precision 0.416" in page.text
    cells = " ".join(re.sub(r"<[^>]+>", " ", html).split())
    assert "C1 pneumothorax disease R1 pneumothorax non-disease 21 to 33 1.000 0.900 0.360 0.216" in cells
    assert "R2 <script>alert('x')</script>" in page.text
    assert page.tags["script"] == 0
    assert "another reader stands in" in page.text
    assert not any(name.startswith("entities-") for name in whole().ids)


def test_a_side_without_entities_says_so() -> None:
    """No share is given for a side that has nothing to match, and both tables say why."""
    silent = EntityEvidence(reference_entities=build.entities().reference_entities, candidate_entities=())
    page = read(pair_page(build.pair(), {"ratescore": build.ratescore(silent)}, build.finding_name))
    assert page.text.count("No entity was found in the candidate.") == 2
    assert "recall" not in page.text.partition("matched in the candidate")[2].partition("No entity")[0]


def test_predicted_errors_are_a_table_with_bars() -> None:
    """A bar is as long as its count beside the largest; the model's note and what it did not see are told."""
    html = pair_page(build.pair(), {"crepe": build.crepe(unseen=88)}, build.finding_name)
    page = read(html)
    assert page.ids["counts-crepe"] == 1
    assert re.findall(r'<svg width="([\d.]+)%" aria-hidden', html) == ["100.0", "25.0", "0.0", "0.0", "0.0", "0.0"]
    assert "(A) false finding" in page.text
    assert "100.0 %" in page.text
    assert "the model did NOT see 88 of them" in page.text
    assert "Part of a report was not read." in page.text
    assert "a small model stands in" in page.text
    assert "No discrepancies found." not in page.text
    assert "No metric in these results lists discrepancies." in page.text


def test_a_model_without_presence_heads_has_no_column_for_them() -> None:
    """A model may predict counts alone; an empty column would look like a missing figure."""
    html = pair_page(build.pair(), {"crepe": build.crepe(presence={})}, build.finding_name)
    assert "Probability of any" not in read(html).text


SPANS: Final = st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30)), max_size=8)


@given(st.text(max_size=25), SPANS, SPANS)
def test_segments_join_to_the_text_and_cover_their_spans(
    text: str, marked: list[tuple[int, int]], read_: list[tuple[int, int]]
) -> None:
    """Whatever overlaps, nests or runs over the end, each mark covers just its characters."""
    marks = [Mark(*span, number, "significant") for number, span in enumerate(marked)]
    cues = [Cue(*span, CueKind.NEGATION) for span in read_[:1] if span[0] < span[1]]
    cut = segments(text, marks, [Ground(*span, "unit") for span in read_], cues)
    offsets = [0]
    for part in cut:
        offsets.append(offsets[-1] + len(part.text))
    assert offsets[-1] == len(text)
    for mark in marks:
        covered = {i for k, part in enumerate(cut) if mark.number in part.numbers for i in range(*offsets[k : k + 2])}
        assert covered == set(range(max(mark.start, 0), min(mark.end, len(text))))
        assert sum(mark.number in part.anchors for part in cut) == bool(covered)
        assert sum(mark.number in part.closing for part in cut) == bool(covered)
    in_units = {i for k, part in enumerate(cut) if part.ground for i in range(*offsets[k : k + 2])}
    assert in_units == {i for a, b in read_ for i in range(max(a, 0), min(b, len(text)))}


def test_the_gravest_severity_colours_an_overlap() -> None:
    """Where marks overlap the text is cut, and each piece takes the gravest severity that covers it."""
    cut = segments("abc", [Mark(0, 3, 1, "insignificant"), Mark(1, 2, 2, "critical")], [Ground(0, 2, "unit", "R1")])
    assert [(part.text, part.tone, part.ground) for part in cut] == [
        ("a", "insignificant", "unit"),
        ("b", "critical", "unit"),
        ("c", "insignificant", ""),
    ]


def test_the_graph_draws_heavy_edges_wide_and_risky_edges_last() -> None:
    """Edges below 0.15/4 of the mass are left out; widths follow mass and levels follow risk.

    Of the plan's twelve entries seven have mass: the others are no edges.
    """
    graph = plan_graph(build.evidence())
    assert graph.total == 7
    assert {(c.edge.row, c.edge.column) for c in graph.curves} == {
        (0, 0), (1, 1), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2)
    }  # fmt: skip
    top = graph.curves[-1]
    assert (top.edge.row, top.edge.column, top.rank, top.level) == (2, 2, 1, 4)
    assert math.isclose(top.edge.risk, 0.3)
    assert [c.width for c in sorted(graph.curves, key=lambda c: c.edge.mass)] == sorted(c.width for c in graph.curves)
    assert sum(c.labelled for c in graph.curves) == 5
    assert top.path.startswith("M0,160.0 ")


def weighed_evidence() -> TransportEvidence:
    evidence = build.weighed()[0].outcome.evidence
    assert isinstance(evidence, TransportEvidence)
    return evidence


def test_edges_without_a_partner_end_short_of_the_other_side() -> None:
    """Each at the height of its unit, from its own report's side; labels stand at their ends."""
    curves = {(c.edge.row, c.edge.column): c for c in plan_graph(weighed_evidence()).curves}
    assert set(curves) == {(1, 1), (2, None), (3, None), (None, 0)}
    assert curves[2, None].path == "M0,160.0 L30,160.0"
    assert curves[None, 0].path == "M100,42.7 L70,42.7"
    assert (curves[2, None].x, curves[2, None].y) == (30.0, 160.0)
    assert curves[None, 0].rank == 1
    assert curves[None, 0].level == 4


def test_what_is_left_of_a_matched_unit_is_drawn_below_its_match() -> None:
    """Else the one would lie on the other where both begin."""
    evidence = weighed_evidence()
    rest = evolve(evidence.alignment, row_mass=np.array([0.0, 0.75, 0.2, 0.03]))
    curves = {(c.edge.row, c.edge.column): c for c in plan_graph(evolve(evidence, alignment=rest)).curves}
    assert curves[1, 1].path.startswith("M0,96.0 ")
    assert curves[1, None].path == "M0,110.0 L30,110.0"


def test_labels_of_edges_keep_clear_of_each_other() -> None:
    """Also those of edges without a partner."""
    labels = [(c.x, c.y) for c in plan_graph(weighed_evidence()).curves if c.labelled]
    assert len(labels) == 4
    assert all(abs(a[0] - b[0]) > 24 or abs(a[1] - b[1]) > 24 for a, b in combinations(labels, 2))


def test_a_page_tells_weights_partners_and_sums() -> None:
    """Weights by number and bar, edges without a partner by name and line, and what all edges add up to."""
    results = {result.metric: result for result in build.weighed()}
    markup = pair_page(build.pair(), results, build.finding_name)
    page = Page(markup)
    for words in (
        "actionable 0.5 \u00d7 1",
        "follow-up 0.2 \u00d7 0.6",
        "C1, no partner: mass 0.500",
        "R3, no partner: mass 0.200",
        "R2 to C2: mass 0.500",
        "(no partner)",
        "4 edges, together 0.800 = total",
        "risk relative to what there was to say",
        "0 to 1, lower is better",
        "false finding, actionable",
    ):
        assert words in page.text
    assert markup.count(' alone-edge" d=') == 3


def test_a_page_of_what_was_not_weighed_has_no_weights() -> None:
    """No empty column, and nothing about partners in a plan that must place all mass."""
    markup = pair_page(build.pair(), build.results(), build.finding_name)
    assert "Weight</th>" not in markup
    assert "no partner" not in markup
    assert "together" not in Page(markup).text


def test_a_judges_discrepancy_has_its_explanation() -> None:
    """As text, never as markup; a judge names no finding of the lexicon, and its sentence was read."""
    page = Page(pair_page(build.pair(), {"green": build.green()}, build.finding_name))
    assert "<b>reports</b> a pneumothorax, which the reference denies." in page.text
    assert "(A) false finding" in page.text
    assert "sentence not read" not in page.text
    assert "judged significant" not in page.text


def test_a_reason_and_an_explanation_are_told_apart() -> None:
    """Each in a paragraph of its own; a reason that says no more than the grade is left out."""
    judged = build.green().scored
    for reason, explanation, words in (
        ("by its aspect", "It is new.", 'by its aspect</p>\n<p class="why">It is new.</p>'),
        ("judged significant", "", 'significant">significant</span></p>\n'),
    ):
        found = evolve(judged.discrepancies[0], reason=reason, explanation=explanation)
        outcome = evolve(judged, discrepancies=(found,))
        html = pair_page(build.pair(), {"green": build.result("green", build.SHARE, outcome)}, build.finding_name)
        assert words in html


def test_a_judged_page_holds_what_the_model_said() -> None:
    """The explanation, the matched findings and, folded, each answer as it came, as text and never as markup."""
    html = pair_page(build.pair(), {"green": build.green()}, build.finding_name)
    page = Page(html)
    for words in ("One finding is [bold]invented[/bold].", "A right pleural\neffusion", "Heart size"):
        assert words in page.text
    folded = html[html.index('<details class="rest"') :]
    for words in ("Raw answer 2 of 2, green, attempt 2: read", "model: m-7b", "(a) False finding: 1."):
        assert words in folded
    assert "\x1b" not in html


def test_an_unscored_page_holds_the_answer_that_could_not_be_read() -> None:
    """Whoever asks why a pair is not scored finds the model's words on its page."""
    page = Page(pair_page(build.pair(), {"green": build.refused()}, build.finding_name))
    assert "green not scored: refusal" in page.text
    assert "I'm sorry, but I cannot help." in page.text


def test_categories_without_an_error_are_no_chips() -> None:
    """Neither a judge's nor those of a metric that looks for each."""
    for results in ({"green": build.green()}, {"n": build.notation(())}, build.results()):
        assert "(E) comparison not in reference <b>0</b>" not in pair_page(build.pair(), results, build.finding_name)
    html = pair_page(build.pair(), {"green": build.green()}, build.finding_name)
    assert "<li>(A) false finding <b>1</b></li>" in html
