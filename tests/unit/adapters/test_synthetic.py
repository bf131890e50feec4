"""Synthetic pairs: determinism, coherent reports, and labels that say what is wrong and nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from attrs import evolve

from overread.adapters.lexicon import load_knowledge
from overread.adapters.synthetic import Origin, SyntheticPair, SyntheticPairs
from overread.adapters.synthetic._composition import compose
from overread.adapters.synthetic._draft import SLOTS, Assertion, Coherence, Denial, Draft, Mention, Normality
from overread.adapters.synthetic._draws import Draws
from overread.adapters.synthetic._edits import corrupt, introduce, rewrite
from overread.adapters.synthetic._grammar import FindingForms, fill, load_grammar
from overread.adapters.synthetic._labels import Mistake, differences, mistakes
from overread.domain.lexicon import Finding, Lexicon
from overread.domain.severity import Actionability
from overread.domain.taxonomy import ErrorCategory

GRAMMAR = load_grammar()

PARENTS = {
    **dict.fromkeys(("consolidation", "pneumonia", "atelectasis", "pulmonary_edema", "lung_nodule"), "lung_opacity"),
    **dict.fromkeys(("picc", "port_catheter"), "central_venous_catheter"),
}


def _lexicon() -> Lexicon:
    return Lexicon.of(
        (
            Finding(id=f, name=f, category="", parent=PARENTS.get(f, ""), actionability=Actionability.ACTIONABLE)
            for f in GRAMMAR.findings
        ),
        (),
    )


LEXICON = _lexicon()
COHERENCE = Coherence(GRAMMAR, LEXICON)


@pytest.fixture(scope="module")
def pairs() -> list[SyntheticPair]:
    return list(SyntheticPairs(3, 150, 4, LEXICON))


def _references(number: int) -> Iterator[tuple[Draft, Draws]]:
    for seed in range(number):
        draws = Draws.seeded("test", seed)
        yield compose(COHERENCE, draws), draws


# ---------------------------------------------------------------- reading generated text back


def _pattern(sentence: str, forms: FindingForms) -> re.Pattern[str]:
    parts = []
    for word in sentence.split():
        slot = re.fullmatch(r"\{(\w+)\}(\W?)", word)
        if slot is None:
            parts.append(" " + re.escape(word))
        else:
            values = "|".join(map(re.escape, sorted(forms.values(slot[1]), key=len, reverse=True)))
            parts.append(f"(?: (?P<{slot[1]}>{values}))?{re.escape(slot[2])}")
    return re.compile("".join(parts), re.IGNORECASE)


PRESENT = [(f, _pattern(s, forms)) for f, forms in GRAMMAR.findings.items() for s in forms.present]
DENIED = {
    **{s: (f,) for f, forms in GRAMMAR.findings.items() for s in forms.absent},
    **{s: forms.denies for forms in GRAMMAR.normals.values() for s in forms.sentences},
}
FILLERS = {filler.sentence for filler in GRAMMAR.fillers.values()}

Read = tuple[list[tuple[str, dict[str, str]]], set[str]]


def _read(text: str) -> Read:
    """Assertions (finding and slots) and denied findings of a text; every sentence must be one of the grammar's."""
    asserted: list[tuple[str, dict[str, str]]] = []
    denied: set[str] = set()
    for sentence in re.split(r"(?<=\.)\s+", re.sub(r"(FINDINGS|IMPRESSION): ", "", text)):
        if sentence in FILLERS:
            continue
        if sentence in DENIED:
            denied |= set(DENIED[sentence])
            continue
        found = [(f, match) for f, pattern in PRESENT if (match := pattern.fullmatch(" " + sentence))]
        assert found, "a sentence the grammar does not hold"
        finding, match = found[0]
        asserted.append((finding, {k: (v or "").lower() for k, v in match.groupdict().items()}))
    return asserted, denied


def _broader(finding: str) -> set[str]:
    return {finding, PARENTS.get(finding, finding)}


# ---------------------------------------------------------------- grammar and draws


def test_grammar_keeps_its_own_rules() -> None:
    """Sentences hold exactly their finding's slots, normal statements name known findings, wordings are distinct."""
    for forms in GRAMMAR.findings.values():
        wanted = sorted(slot for slot in SLOTS if forms.values(slot))
        for sentence in forms.present:
            assert sorted(name for _, name, _, _ in Formatter().parse(sentence) if name) == wanted, forms.id
    for normal in GRAMMAR.normals.values():
        assert set(normal.denies) <= GRAMMAR.findings.keys(), normal.id
    denials = [s for forms in GRAMMAR.findings.values() for s in forms.absent]
    normals = [s for forms in GRAMMAR.normals.values() for s in forms.sentences]
    assert len(set(denials + normals)) == len(denials + normals)


def test_the_shipped_lexicon_knows_every_finding_of_the_grammar() -> None:
    """Kinds are looked up by id, so an unknown id would be kin to nothing."""
    assert GRAMMAR.findings.keys() <= load_knowledge().lexicon.findings.keys()


def test_empty_slots_leave_no_trace() -> None:
    """Spaces and capitals are mended around empty slots."""
    slots = {"hedge": "", "grade": "small", "zone": ""}
    assert fill("{hedge} {grade} nodule {zone}.", slots) == "Small nodule."


def test_draws_are_pinned() -> None:
    """The sequence behind every choice; computed with Python 3.9 and 3.13 alike."""
    draws = Draws.seeded(7, 1, "reference")
    assert [draws.below(1000) for _ in range(5)] == [148, 252, 0, 859, 16]
    assert sorted(Draws.seeded(1).shuffled("abcde")) == list("abcde")


def test_weighted_draws_follow_their_weights() -> None:
    """An item of weight zero never comes, one of three quarters comes three times in four."""
    draws = Draws.seeded("weights")
    seen = Counter(draws.weighted("abc", (3, 0, 1)) for _ in range(4000))
    assert seen["b"] == 0
    assert seen["a"] / 4000 == pytest.approx(0.75, abs=0.03)


# ---------------------------------------------------------------- reports


def test_no_report_denies_what_it_asserts(pairs: list[SyntheticPair]) -> None:
    """Read back from the text: no sentence denies an asserted finding or a broader one."""
    for text in {t for pair in pairs for t in (pair.reference, pair.candidate)}:
        asserted, denied = _read(text)
        for finding, _ in asserted:
            assert not _broader(finding) & denied


def test_impression_and_findings_agree(pairs: list[SyntheticPair]) -> None:
    """A finding that is written twice has the same slots both times, also after an error."""
    repeated = 0
    for text in {t for pair in pairs for t in (pair.reference, pair.candidate)}:
        slots: dict[str, dict[str, str]] = {}
        for finding, stated in _read(text)[0]:
            repeated += finding in slots
            assert slots.setdefault(finding, stated) == stated
    assert repeated > 50


def test_reports_vary_as_real_ones_do() -> None:
    """About a quarter are normal; some are short, some have headings, few repeat."""
    drafts = [draft for draft, _ in _references(600)]
    assert sum(not d.findings for d in drafts) / 600 == pytest.approx(0.25, abs=0.06)
    assert 0.1 < sum(len(d.body) <= 4 for d in drafts) / 600 < 0.6
    assert sum(d.sectioned for d in drafts) / 600 == pytest.approx(0.3, abs=0.06)
    assert max(len(d.findings) for d in drafts) == 7
    assert len({d.text(GRAMMAR) for d in drafts}) > 590
    assert all(bool(d.impression) == d.sectioned for d in drafts)


def test_findings_of_a_report_are_unrelated() -> None:
    """Else an omission could hide behind a kin of the finding."""
    for draft, _ in _references(300):
        for a in draft.findings:
            assert not any(b != a and b in _broader(a) for b in draft.findings)


# ---------------------------------------------------------------- rewrites and errors


@pytest.mark.parametrize("vigour", [0.0, 0.3, 1.0])
def test_rewrites_are_no_errors(vigour: float) -> None:
    """Other words, order, fillers, headings and normal statements leave every count at zero."""
    changed = 0
    for reference, draws in _references(200):
        rewritten = rewrite(reference, vigour, COHERENCE, draws)
        assert mistakes(reference, rewritten, COHERENCE) == []
        assert {f for f, _ in _read(rewritten.text(GRAMMAR))[0]} == reference.findings.keys()
        changed += rewritten.text(GRAMMAR) != reference.text(GRAMMAR)
    assert (changed > 0) == (vigour > 0)
    assert vigour < 1 or changed > 190


@pytest.mark.parametrize("errors", range(6))
def test_counts_match_the_errors_made(errors: int) -> None:
    """Every error shows once, in its category, however many are made and whatever the words."""
    for reference, draws in _references(150):
        wrong, made = corrupt(reference, errors, COHERENCE, draws)
        assert len(made) == errors
        found = mistakes(reference, rewrite(wrong, 1.0, COHERENCE, draws), COHERENCE)
        assert Counter(m.category for m in found) == Counter(made)


@pytest.mark.parametrize("category", list(ErrorCategory))
def test_each_category_can_be_made(category: ErrorCategory) -> None:
    """Where there is room for an error of a category, exactly that error results."""
    made = 0
    for reference, draws in _references(60):
        wrong = introduce(category, reference, reference, COHERENCE, draws)
        if wrong is not None:
            made += 1
            assert [m.category for m in mistakes(reference, wrong, COHERENCE)] == [category]
    assert made >= 10


def test_an_error_without_room_is_not_made() -> None:
    """A normal report has nothing to omit or to misplace."""
    normal = Draft(body=(Normality("lungs_clear"),))
    draws = Draws.seeded(0)
    made = [c for c in ErrorCategory if introduce(c, normal, normal, COHERENCE, draws) is not None]
    assert made == [ErrorCategory.FALSE_FINDING]


def test_an_omission_leaves_the_impression_too() -> None:
    """The finding goes from both sections; the impression is not left empty."""
    effusion = Assertion(finding="pleural_effusion")
    reference = Draft(
        body=(effusion, Normality("trachea_midline")), impression=(Mention(effusion.finding),), sectioned=True
    )
    wrong = introduce(ErrorCategory.OMITTED_FINDING, reference, reference, COHERENCE, Draws.seeded(1))
    assert wrong is not None
    assert Mention(effusion.finding) not in wrong.impression
    assert wrong.impression


def test_a_false_finding_takes_its_denials_with_it() -> None:
    """No statement of the candidate goes on denying what it now asserts."""
    denials = tuple(Denial(f) for f in GRAMMAR.findings)
    reference = Draft(body=(*denials, Normality("no_acute_process")))
    for seed in range(30):
        wrong = introduce(ErrorCategory.FALSE_FINDING, reference, reference, COHERENCE, Draws.seeded(seed))
        assert wrong is not None
        (false,) = wrong.findings
        assert not any(isinstance(s, Denial) and s.finding in _broader(false) for s in wrong.body)


# ---------------------------------------------------------------- labels

PLAIN = Assertion(finding="x")


def _stating(slots: Mapping[str, Any]) -> Assertion:
    return evolve(PLAIN, **slots)


@pytest.mark.parametrize(
    ("reference", "candidate", "category", "for_significant", "for_insignificant"),
    [
        ({"side": "left"}, {"side": "right"}, "C", True, False),
        ({"side": "bilateral"}, {"side": "right"}, "C", True, False),
        ({"side": "left"}, {"side": "bilateral"}, "C", False, False),
        ({"side": "left"}, {}, "C", True, False),
        ({}, {"side": "left"}, "C", False, False),
        ({"zone": "apical"}, {"zone": "basal"}, "C", True, False),
        ({"zone": "mid lung"}, {"zone": "lower lobe"}, "C", False, False),
        ({"zone": "to the left"}, {"zone": "to the right"}, "C", True, False),
        ({"zone": "with its tip in the stomach"}, {"zone": "coiled in the pharynx"}, "C", True, True),
        ({"zone": "anterior"}, {"zone": "lateral"}, "C", False, False),
        ({"grade": "small"}, {"grade": "large"}, "D", True, False),
        ({"grade": "mild"}, {"grade": "moderate"}, "D", False, False),
        ({"grade": "severe"}, {}, "D", True, False),
        ({}, {"grade": "mild"}, "D", False, False),
        ({}, {"change": "new"}, "E", True, False),
        ({}, {"change": "stable"}, "E", False, False),
        ({"change": "stable"}, {"change": "increased"}, "E", True, False),
        ({"change": "improving"}, {"change": "unchanged"}, "E", False, False),
        ({"change": "worsening"}, {}, "F", True, False),
        ({"change": "stable"}, {}, "F", False, False),
        ({}, {"hedge": "possible"}, "G", True, False),
        ({}, {"hedge": "likely"}, "G", False, False),
        ({"hedge": "questionable"}, {}, "H", True, False),
        ({"hedge": "possible"}, {"hedge": "probable"}, "H", False, False),
    ],
)
def test_slots_are_judged_by_the_stated_rules(
    reference: dict[str, str],
    candidate: dict[str, str],
    category: str,
    for_significant: bool,  # noqa: FBT001
    for_insignificant: bool,  # noqa: FBT001
) -> None:
    """Each rule of the module's docstring, for a significant and an insignificant finding."""
    r, c = _stating(reference), _stating(candidate)
    assert differences(r, c, significant=True) == [Mistake(ErrorCategory(category), for_significant)]
    assert differences(r, c, significant=False) == [Mistake(ErrorCategory(category), for_insignificant)]


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ({"zone": "basal"}, {"zone": "lower lobe"}),
        ({"zone": "basal"}, {}),
        ({"zone": "upper lobe"}, {"zone": "diffuse"}),
        ({"zone": "interstitial"}, {"zone": "alveolar"}),
        ({"zone": "with its tip 2 cm above the carina"}, {"zone": "with its tip 4 cm above the carina"}),
        ({"grade": "severe"}, {"grade": "marked"}),
        ({"change": "stable"}, {"change": "unchanged"}),
        ({"hedge": "possible"}, {"hedge": "questionable"}),
    ],
)
def test_slots_that_say_the_same_are_no_error(reference: dict[str, str], candidate: dict[str, str]) -> None:
    """Synonyms, one level, and what only one report states of a zone."""
    r, c = _stating(reference), _stating(candidate)
    assert differences(r, c, significant=True) == []
    assert differences(c, r, significant=True) == []


def test_a_side_and_a_grade_are_two_errors() -> None:
    """Slots are judged apart; side and zone together are one location."""
    r = evolve(PLAIN, side="left", zone="apical", grade="mild")
    c = evolve(PLAIN, side="right", zone="basal", grade="severe")
    assert [m.category.value for m in differences(r, c, significant=True)] == ["C", "D"]


def test_a_kind_of_a_finding_is_compared_not_counted_twice() -> None:
    """Consolidation for opacity is no omission and no false finding, but its side counts."""
    r = Draft(body=(Assertion(finding="lung_opacity", side="left"),))
    c = Draft(body=(Assertion(finding="consolidation", side="right"),))
    assert mistakes(r, c, COHERENCE) == [Mistake(ErrorCategory.LOCATION, significant=True)]


def test_presence_counts_as_the_finding_does() -> None:
    """An omitted effusion is significant, an invented granuloma is not; silence about a normal is nothing."""
    r = Draft(body=(Assertion(finding="pleural_effusion"), Normality("bones_normal")))
    c = Draft(body=(Assertion(finding="granuloma"),))
    assert mistakes(r, c, COHERENCE) == [
        Mistake(ErrorCategory.OMITTED_FINDING, significant=True),
        Mistake(ErrorCategory.FALSE_FINDING, significant=False),
    ]


# ---------------------------------------------------------------- pairs


def test_omissions_and_false_findings_follow_from_the_texts(pairs: list[SyntheticPair]) -> None:
    """Counted again from the written reports: what one asserts and the other has no kin of."""
    for pair in pairs:
        r, c = ({f for f, _ in _read(text)[0]} for text in (pair.reference, pair.candidate))
        kin = [(a, b) for a in r for b in c if a in _broader(b) or b in _broader(a)]
        assert sum(pair.counts[ErrorCategory.OMITTED_FINDING]) == len(r - {a for a, _ in kin})
        assert sum(pair.counts[ErrorCategory.FALSE_FINDING]) == len(c - {b for _, b in kin})


def test_same_arguments_same_pairs() -> None:
    """Everything follows from the seed; another seed gives other reports."""
    first = [pair.as_row() for pair in SyntheticPairs(11, 8, 3, LEXICON)]
    assert first == [pair.as_row() for pair in SyntheticPairs(11, 8, 3, LEXICON)]
    other = [pair.as_row() for pair in SyntheticPairs(12, 8, 3, LEXICON)]
    assert not {row["reference"] for row in first} & {row["reference"] for row in other}


def test_candidates_of_a_study_come_by_rising_error_count(pairs: list[SyntheticPair]) -> None:
    """Four candidates a study, one reference, the best candidate first."""
    for start in range(0, len(pairs), 4):
        study = pairs[start : start + 4]
        assert len({(pair.study, pair.reference) for pair in study}) == 1
        assert [pair.total for pair in study] == sorted(pair.total for pair in study)
    assert len({pair.id for pair in pairs}) == len(pairs) == 600


def test_every_category_and_origin_occurs(pairs: list[SyntheticPair]) -> None:
    """Each of the eight categories is there, significant and not, and each kind of candidate."""
    for category in ErrorCategory:
        assert sum(pair.counts[category][0] for pair in pairs) > 0
        assert sum(pair.counts[category][1] for pair in pairs) > 0
    assert {pair.origin for pair in pairs} == set(Origin)
    copies = [pair for pair in pairs if pair.origin is Origin.COPY]
    assert all(pair.total == 0 and pair.reference == pair.candidate for pair in copies)
    retrieved = [pair for pair in pairs if pair.origin is Origin.RETRIEVED]
    assert all(pair.candidate in {p.reference for p in pairs if p.study != pair.study} for pair in retrieved)


def test_totals_add_up(pairs: list[SyntheticPair]) -> None:
    """Total is significant plus insignificant, and the sum over the categories."""
    assert all(pair.total == sum(map(sum, pair.counts.values())) for pair in pairs)
    assert all(pair.total == pair.significant + pair.insignificant for pair in pairs)
    assert len({pair.total for pair in pairs}) > 5


def test_one_study_has_no_other_to_retrieve() -> None:
    """Then every candidate is a copy or an edit."""
    origins = {pair.origin for pair in SyntheticPairs(1, 1, 40, LEXICON)}
    assert origins == {Origin.COPY, Origin.EDITED}


def test_rows_are_written_one_a_line(tmp_path: Path) -> None:
    """The file holds ids, texts, totals and a column for each category."""
    source = SyntheticPairs(5, 3, 2, LEXICON)
    path = tmp_path / "pairs.jsonl"
    assert source.write_jsonl(path) == len(source) == 6
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    columns = ["id", "study", "reference", "candidate", "total", "significant", "insignificant", *"ABCDEFGH"]
    assert [list(row) for row in rows] == [columns] * 6
    assert rows == [pair.as_row() for pair in source]
    assert all(row["total"] == sum(row[letter] for letter in "ABCDEFGH") for row in rows)


def test_labelled_pair_holds_texts_and_labels(pairs: list[SyntheticPair]) -> None:
    """Reference and candidate are not exchanged, and neither shows in a repr."""
    pair = next(pair for pair in pairs if pair.significant != pair.insignificant and pair.insignificant)
    labelled = pair.labelled
    assert (labelled.pair.reference.text, labelled.pair.candidate.text) == (pair.reference, pair.candidate)
    assert (labelled.pair.id, labelled.study) == (pair.id, pair.study)
    assert (labelled.total, labelled.significant) == (pair.total, pair.significant)
    assert labelled.insignificant == pair.insignificant
    assert pair.reference not in repr(pair)
    assert pair.candidate not in repr(pair)


@pytest.mark.parametrize(("studies", "candidates"), [(0, 4), (3, 0)])
def test_nothing_to_generate_is_refused(studies: int, candidates: int) -> None:
    """At least one study and one candidate."""
    with pytest.raises(ValueError, match=">= 1"):
        SyntheticPairs(1, studies, candidates, LEXICON)
