"""What every kind of edit leaves behind: whole sentences, untouched remarks, words of its category, and its reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import Report
from overread.domain.vocabulary.taxonomy import ErrorAspect as A
from overread.domain.vocabulary.taxonomy import ErrorType as T
from overread.studies.application.synthesis.edits.categories import CATEGORIES, KINDS, Category, Subset
from overread.studies.application.synthesis.edits.reading import Reading
from overread.studies.application.synthesis.edits.rules import RuleInjector, proposals
from overread.studies.application.synthesis.edits.sentences import is_broken, number_broken
from overread.studies.application.synthesis.edits.word_exchange import region_of
from overread.studies.application.synthesis.injected.material import Synthesis
from overread.studies.application.synthesis.injected.pairs import InjectedPair

REMARKS = (
    "This report was dictated with voice recognition and may contain an effusion of typographical errors.",
    "The examination is limited by rotation and small left effusions may be missed.",
    "Electronically signed by Dr. Okafor, who saw no pneumothorax.",
    "The left pneumothorax was discussed with the resident at 5:30 pm.",
)
_SOME = r"an?|the|is|are|has|have|there|of|in|on|at|from"
OWN_WORDS = {
    A.LOCATION: r"left|right|bilateral|both|sided?|upper|lower|lobes?|lungs?|either|\w*apical|\w*basal|\w*basilar"
    r"|aortic|pleural|pulmonary|spine|thoracic|dorsal|[lts]\d.*|effusions?|pneumothora\w+|hematomas?|fractures?|brain|kidneys?|gallbladder"
    r"|abdomen|abdominal|heart|chest|white|matter|around|hips?|joint|head|tail|ascending|descending|frontal|occipital|artery"
    r"|medial|lateral|median|midline|hepatic|parenchyma|sigmoid|colon|below|beneath|under|arch|aorta\w*|quadrant|paraspinal"
    r"|stomach|esophagus|main|bronchus",
    A.SEVERITY: r"mild\w*|moderate\w*|severe\w*|small|tiny|large|massive|marked\w*|slight\w*|minimal\w*|extensive"
    r"|pronounced|sized|sizeable|bulky|voluminous|volume|very",
    A.COMPARISON: r"new|unchanged|stable|increas\w+|decreas\w+|worse\w*|improv\w+|progress\w+|enlarging|since|prior"
    r"|previous|study|examination|which|size|larger|smaller|better|than|not|present|without|change|resolving|shrinking",
    A.SIZE: r"\d+|mm|cm",
    A.UNCERTAINTY: r"possible|questionable|potential|equivocal|definite|likely|probable|may|might|could|be|seem\w*"
    r"|cannot|excluded|noted|present|represents?|not",
    A.MODALITY: r"ct|mri?|imaging|computed|tomography|magnetic|resonance|ultrasound|sonography|radiographs?|x|rays?"
    r"|films?|angiography|cta|mrcp",
}


def changed_words(pair: InjectedPair) -> set[str]:
    old, new = (re.findall(r"[a-z]+|\d+", text.lower()) for text in (pair.reference, pair.candidate))
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return {word for tag, a, b, c, d in codes if tag != "equal" for word in (*old[a:b], *new[c:d])}


def test_every_edit_leaves_whole_sentences(made: Synthesis) -> None:
    """Only a slip may break one."""
    broken = [p.candidate for p in made.pairs if p.category.aspect is not A.NOISE and number_broken(p.candidate)]
    assert broken == []


def test_every_edit_changes_no_more_than_the_words_of_its_category(made: Synthesis) -> None:
    """The label says what the edit does: a side is changed by words of place, a degree by words of degree."""
    checked = 0
    for pair in made.pairs:
        words = OWN_WORDS.get(pair.category.aspect)
        if words is not None:
            strange = {word for word in changed_words(pair) if not re.fullmatch(f"{words}|{_SOME}", word)}
            assert not strange, (pair.id, strange)
            checked += 1
    assert checked >= 40


def test_a_category_is_told_from_its_neighbours(made: Synthesis) -> None:
    """Left out, made up and turned round are three things, and a denial is one."""
    for pair in made.pairs:
        shorter = len(pair.candidate) < len(pair.reference)
        if pair.category.aspect is A.NEGATION and pair.subset is Subset.DISCRIMINATION:
            denials = [len(re.findall(r"\bno\b", text.lower())) for text in (pair.reference, pair.candidate)]
            assert abs(denials[0] - denials[1]) == 1
        if pair.category.type is T.OMISSION:
            assert shorter
        if pair.category.type is T.FABRICATION and pair.category.aspect is not A.LOCATION:
            assert not shorter
        if pair.category.aspect in (A.STYLE, A.TERMINOLOGY):
            assert set(re.findall(r"\d+", pair.reference)) == set(re.findall(r"\d+", pair.candidate))


def test_every_reason_quotes_its_pair_and_says_why(made: Synthesis) -> None:
    """The reason of either weight is another, and true of this pair alone."""
    for pair in made.pairs:
        harmful = pair.subset is Subset.DISCRIMINATION
        said, against = (
            ("It matters: ", "It does not matter: ") if harmful else ("It does not matter: ", "It matters: ")
        )
        facts, why = pair.explanation.split(said)
        assert pair.contrary.startswith(facts + against)
        assert why != pair.contrary.removeprefix(facts + against)
        for quote in re.findall(r'"([^"]+)"', facts):
            assert any(quote in " ".join(text.split()) for text in (pair.reference, pair.candidate))


@pytest.fixture(scope="module")
def read(extractor: MedspacyUnitExtractor, lexicon: Lexicon) -> Callable[[str], Reading]:
    def reading(text: str) -> Reading:
        (units,) = extractor.extract([Report(text)])
        assert isinstance(units, tuple)
        return Reading.of(text, units, lexicon)

    return reading


def test_no_remark_on_the_report_is_edited(read: Callable[[str], Reading], extractor: MedspacyUnitExtractor) -> None:
    """A disclaimer names findings too, and a signature may deny one."""
    body = "Indication: Left chest pain, no fever.\n\nFINDINGS:\nSmall left pleural effusion. The trachea is midline. "
    reading = read(f"CHEST, LEFT LATERAL\n{body}{' '.join(REMARKS)}")
    injector, sound = RuleInjector(extractor, rereads=False), 0
    for category, subset in KINDS:
        for edit in proposals(reading, category, subset):
            if not injector.fault(reading, edit, category, subset):
                candidate = edit.apply(reading.text)
                assert candidate.startswith("CHEST, LEFT LATERAL\nIndication: Left chest pain, no fever.\n\nFINDINGS:")
                assert all(remark in candidate for remark in REMARKS)
                sound += 1
    assert sound > 10


@pytest.mark.parametrize(
    ("text", "category", "subset"),
    [
        ("The abscess measuring 45 mm has decreased.", Category(A.COMPARISON, T.OMISSION), Subset.DISCRIMINATION),
        ("Acute fracture of the left sixth rib.", Category(A.COMPARISON, T.FABRICATION), Subset.DISCRIMINATION),
        ("Comparison: None.\n\nLeft effusion.", Category(A.COMPARISON, T.FABRICATION), Subset.DISCRIMINATION),
        ("Probable pneumonia is present.", Category(A.UNCERTAINTY), Subset.DISCRIMINATION),
        ("No pneumothorax.", Category(A.CONTRADICTION), Subset.ROBUSTNESS),
        ("The pleura appears normal.", Category(A.STYLE), Subset.DISCRIMINATION),
        ("Consolidation in the right middle lobe.", Category(A.LOCATION, T.FABRICATION), Subset.DISCRIMINATION),
        ("A 4 mm calcified granuloma.", Category(A.SIZE), Subset.DISCRIMINATION),
        ("PET/CT is recommended.", Category(A.MODALITY), Subset.DISCRIMINATION),
        ("Comparison is made with the CT of 3 March.", Category(A.MODALITY), Subset.DISCRIMINATION),
        ("Moderate effusion, unchanged.", Category(A.COMPARISON, T.OMISSION), Subset.ROBUSTNESS),
        ("Suspected pneumonia.", Category(A.UNCERTAINTY), Subset.ROBUSTNESS),
        (
            "No pleural effusion. No pneumothorax. IMPRESSION: No acute disease.",
            Category(A.DESCRIPTION, T.FABRICATION),
            Subset.DISCRIMINATION,
        ),
        ("No skull fracture. The mastoid air cells are clear.", Category(A.DESCRIPTION, T.OMISSION), Subset.ROBUSTNESS),
    ],
)
def test_what_was_read_as_wrong_is_no_longer_made(
    read: Callable[[str], Reading], extractor: MedspacyUnitExtractor, text: str, category: Category, subset: Subset
) -> None:
    """Readers of earlier sets found these broken, arguable, or of another category."""
    reading, injector = read(text), RuleInjector(extractor)
    made = [edit.apply(text) for edit in proposals(reading, category, subset)]
    edits = [e for e in proposals(reading, category, subset) if not injector.fault(reading, e, category, subset)]
    assert edits == [], made


@pytest.mark.parametrize(
    ("sentence", "broken"),
    [
        ("Apical lung abscess measuring 45 mm has.", True),
        ("ANTERIOR FRACTURE IS.", True),
        ("There is no pneumothorax is seen.", True),
        ("There are a small effusion.", True),
        ("A small effusions is seen.", True),
        ("Probable possible pneumonia.", True),
        ("Mild severe edema.", True),
        ("There is new unchanged edema.", True),
        ("-", True),
        ("Small left effusion.", False),
        ("There are mild degenerative changes of the spine.", False),
        ("Mild to moderate edema, unchanged since the prior study.", False),
        ("No fracture or dislocation.", False),
    ],
)
def test_a_broken_sentence_is_told(sentence: str, broken: bool) -> None:  # noqa: FBT001 - a table
    """Cut off, said twice, or with a verb that does not agree."""
    assert is_broken(sentence) is broken


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("The heart is enlarged. No pleural effusion.", "chest"),
        ("The liver is normal. No hydronephrosis of the left kidney.", "abdomen"),
        ("The ventricles are normal. No midline shift.", "head"),
        ("No change.", ""),
    ],
)
def test_the_region_of_a_report_is_told(text: str, region: str) -> None:
    """A finding is made up only where the examination can show it."""
    assert region_of(text) == region


def test_style_alone_has_no_harmful_kind() -> None:
    """A turn of phrase that changes what is said is an error of another category."""
    assert [kind for kind in ((c, s) for c in CATEGORIES for s in Subset) if kind not in KINDS] == [
        (Category(A.STYLE), Subset.DISCRIMINATION)
    ]
