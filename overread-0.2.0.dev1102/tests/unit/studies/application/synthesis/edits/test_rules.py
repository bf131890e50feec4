"""Injection by rules on the units: what each category does to a report, and what the checks let pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import Report
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect as A
from overread.domain.vocabulary.taxonomy import ErrorType as T
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import BUCKETS, CATEGORIES, KINDS, Category, Subset
from overread.studies.application.synthesis.edits.checks import fault_of_reading, fault_of_text
from overread.studies.application.synthesis.edits.reading import Reading
from overread.studies.application.synthesis.edits.rules import RuleInjector, proposals
from overread.studies.application.synthesis.injected.by_rules import by_rules
from overread.studies.application.synthesis.injected.material import Material, Synthesis

Sound = Callable[[str, Category, Subset], set[str]]
D, R = Subset.DISCRIMINATION, Subset.ROBUSTNESS


@pytest.fixture(scope="module")
def sound(extractor: MedspacyUnitExtractor, lexicon: Lexicon) -> Sound:
    """Every candidate of a report in a category that stands up to the checks."""

    def made(text: str, category: Category, subset: Subset) -> set[str]:
        (units,) = extractor.extract([Report(text)])
        assert isinstance(units, tuple)
        reading = Reading.of(text, units, lexicon)
        injector = RuleInjector(extractor)
        edits = list(proposals(reading, category, subset))
        return {edit.apply(text) for edit in edits if not injector.fault(reading, edit, category, subset)}

    return made


@pytest.mark.parametrize(
    ("text", "category", "subset", "expected"),
    [
        ("Large left pneumothorax.", Category(A.LOCATION, T.OMISSION), D, "Large pneumothorax."),
        ("Large left pleural effusion.", Category(A.LOCATION, T.OMISSION), R, "Large left effusion."),
        ("Small left pneumothorax.", Category(A.LOCATION, T.FABRICATION), D, "Small bilateral pneumothoraces."),
        ("No pneumothorax.", Category(A.LOCATION, T.FABRICATION), R, "No pneumothorax on either side."),
        ("Small left pneumothorax.", Category(A.LOCATION, T.INACCURACY), D, "Small right pneumothorax."),
        ("Left basilar atelectasis.", Category(A.LOCATION, T.INACCURACY), R, "Left basal atelectasis."),
        ("Severe pulmonary edema.", Category(A.SEVERITY, T.OMISSION), D, "Pulmonary edema."),
        ("Mild scoliosis.", Category(A.SEVERITY, T.OMISSION), R, "Scoliosis."),
        ("There is a pleural effusion.", Category(A.SEVERITY, T.FABRICATION), D, "There is a large pleural effusion."),
        ("The aorta is tortuous.", Category(A.SEVERITY, T.FABRICATION), R, "The aorta is mildly tortuous."),
        ("Mild pulmonary edema.", Category(A.SEVERITY, T.INACCURACY), D, "Severe pulmonary edema."),
        ("Mild scoliosis.", Category(A.SEVERITY, T.INACCURACY), R, "Slight scoliosis."),
        ("Heart normal. Left effusion.", Category(A.DESCRIPTION, T.OMISSION), D, "Heart normal."),
        ("The trachea is midline. Left effusion.", Category(A.DESCRIPTION, T.OMISSION), R, "Left effusion."),
        (
            "Heart normal. No pleural effusion.",
            Category(A.DESCRIPTION, T.FABRICATION),
            D,
            "Heart normal. No pleural effusion. A moderate left pneumothorax is present.",
        ),
        (
            "The lungs are clear. No pneumothorax.",
            Category(A.DESCRIPTION, T.FABRICATION),
            R,
            "The lungs are clear. No pneumothorax. The costophrenic angles are sharp.",
        ),
        ("Worsening effusion.", Category(A.COMPARISON, T.OMISSION), D, "Effusion."),
        ("Unchanged scoliosis.", Category(A.COMPARISON, T.OMISSION), R, "Scoliosis."),
        ("Pulmonary edema.", Category(A.COMPARISON, T.FABRICATION), D, "Worsening pulmonary edema."),
        ("Scoliosis.", Category(A.COMPARISON, T.FABRICATION), R, "Stable scoliosis."),
        ("Improving pulmonary edema.", Category(A.COMPARISON, T.INACCURACY), D, "Worsening pulmonary edema."),
        ("Unchanged pneumonia.", Category(A.COMPARISON, T.INACCURACY), R, "Stable pneumonia."),
        ("No pneumothorax or effusion.", Category(A.NEGATION), D, "There is a pneumothorax. No effusion."),
        ("There is pneumonia.", Category(A.NEGATION), D, "No pneumonia."),
        ("No pneumothorax.", Category(A.NEGATION), R, "No evidence of pneumothorax."),
        ("CT of the chest is recommended.", Category(A.MODALITY), D, "MRI of the chest is recommended."),
        (
            "CT of the chest is recommended.",
            Category(A.MODALITY),
            R,
            "Computed tomography of the chest is recommended.",
        ),
        ("A 5 mm nodule.", Category(A.SIZE), D, "A 15 mm nodule."),
        ("A 12 mm nodule.", Category(A.SIZE), R, "A 1.2 cm nodule."),
        ("Pneumonia is present.", Category(A.CONTRADICTION), D, "Pneumonia is present. There is no pneumonia."),
        ("Possible pneumonia.", Category(A.UNCERTAINTY), D, "Pneumonia."),
        ("There is pneumonia.", Category(A.UNCERTAINTY), D, "There may be pneumonia."),
        ("Possible pneumonia.", Category(A.UNCERTAINTY), R, "Questionable pneumonia."),
        ("Emphysema.", Category(A.TERMINOLOGY), D, "Empyema."),
        ("No pulmonary nodule.", Category(A.TERMINOLOGY), R, "No lung nodule."),
        ("No pneumothorax.", Category(A.NOISE), D, "Now pneumothorax."),
        ("The lungs are clear.", Category(A.NOISE), R, "The lungs is clear."),
        ("There is a left effusion.", Category(A.STYLE), R, "Left effusion."),
    ],
    ids=lambda value: value.name if isinstance(value, Category) else None,
)
def test_a_category_makes_its_difference(
    sound: Sound, text: str, category: Category, subset: Subset, expected: str
) -> None:
    """Each kind of error beside its harmless twin."""
    assert expected in sound(text, category, subset)


@pytest.mark.parametrize(
    ("text", "category", "subset"),
    [
        ("Left granuloma.", Category(A.LOCATION, T.INACCURACY), D),
        ("Mild spinal cord compression.", Category(A.SEVERITY, T.OMISSION), R),
        ("Small left effusion. Impression: Left effusion.", Category(A.DESCRIPTION, T.OMISSION), D),
        ("Effusion not seen.", Category(A.DESCRIPTION, T.OMISSION), D),
        ("Left effusion.", Category(A.DESCRIPTION, T.OMISSION), D),
        ("No pneumothorax.", Category(A.SIZE), D),
        ("A 5 mm nodule.", Category(A.MODALITY), D),
        ("There is a left effusion.", Category(A.STYLE), D),
    ],
)
def test_a_report_without_a_place_for_it_gets_none(sound: Sound, text: str, category: Category, subset: Subset) -> None:
    """An edit that only looks like its category is not made."""
    assert not sound(text, category, subset)


def test_asserting_takes_one_item_out_of_a_list_and_leaves_the_others_denied(
    sound: Sound, extractor: MedspacyUnitExtractor
) -> None:
    """One error is injected, not three."""
    made = sound("No pneumothorax, pulmonary edema, or acute fracture is seen.", Category(A.NEGATION), D)
    assert made
    for text in made:
        (units,) = extractor.extract([Report(text)])
        assert isinstance(units, tuple)
        assert [unit.asserts_finding for unit in units] == [True, False, False]


@pytest.mark.parametrize("text", ["The lungs are clear.", "No acute disease or XXXX."])
def test_what_denies_no_finding_by_name_is_not_asserted(sound: Sound, text: str) -> None:
    """Nothing in the text says what would be there."""
    assert not sound(text, Category(A.NEGATION), D)


def test_a_finding_told_twice_is_not_moved_in_one_place_only(sound: Sound) -> None:
    """The report would contradict itself, which is another error."""
    text = "FINDINGS: Left pleural effusion.\n\nIMPRESSION: Pleural effusion on the XXXX left."
    assert not sound(text, Category(A.LOCATION, T.INACCURACY), D)


def test_several_edits_are_of_kinds_and_sentences_of_their_own(
    material: Material, extractor: MedspacyUnitExtractor
) -> None:
    """Errors that meet in a sentence could undo each other."""
    injector, kinds = RuleInjector(extractor), [(category, D) for category in CATEGORIES]
    for number, reading in enumerate(material.readings[:20]):
        draws = Draws.from_parts("several", number)
        first = injector.several(reading, kinds, 2, draws)
        more = injector.several(reading, kinds, 3, draws, beside=[edit for _, _, edit in first])
        assert len(first) <= 2
        assert len(more) <= 3
        for made in (first, more):
            assert len({category for category, _, _ in made}) == len(made)
        places = [{reading.sentence_number(c.start) for c in edit.changes} for _, _, edit in (*first, *more)]
        assert len(set().union(*places)) == sum(map(len, places))


def test_an_edit_that_does_not_matter_is_taken_where_none_has_to(
    extractor: MedspacyUnitExtractor, lexicon: Lexicon
) -> None:
    """A benchmark may count errors that no care depends on."""
    text = "Heart normal. Left granuloma."
    (units,) = extractor.extract([Report(text)])
    assert isinstance(units, tuple)
    reading, moved = Reading.of(text, units, lexicon), Category(A.LOCATION, T.INACCURACY)
    for matters in (True, False):
        edit = RuleInjector(extractor, matters=matters).edit(reading, moved, D, Draws.from_parts(1))
        assert (edit is None) == matters


def test_a_harmless_edit_never_changes_the_findings_and_a_harmful_one_always_matters(
    material: Material, extractor: MedspacyUnitExtractor, made: Synthesis
) -> None:
    """Labels rest on what the reader reads afterwards."""
    readings = dict(zip(material.studies, material.readings, strict=True))
    for pair in made.pairs:
        (after,) = extractor.extract([Report(pair.candidate)])
        assert isinstance(after, tuple)
        assert not fault_of_reading(readings[pair.study], after, pair.category, pair.subset)
        assert not fault_of_text(pair.reference, pair.candidate, pair.spans, slips=pair.category.aspect is A.NOISE)
        if pair.subset is R and pair.category.aspect not in (A.DESCRIPTION, A.TERMINOLOGY):
            before = {u.canonical_finding for u in readings[pair.study].units if u.asserts_finding}
            assert {u.canonical_finding for u in after if u.asserts_finding} == before
        assert pair.severity.counts_as_significant == (pair.subset is D)
        assert (pair.severity is Severity.CRITICAL) == (pair.category.aspect is A.CONTRADICTION and pair.subset is D)


def test_every_category_is_balanced(made: Synthesis) -> None:
    """No category, subset or length prevails."""
    assert Counter((pair.category, pair.subset) for pair in made.pairs) == dict.fromkeys(KINDS, 2)
    assert {pair.bucket for pair in made.pairs} == set(BUCKETS)
    assert len({pair.id for pair in made.pairs}) == len({(p.reference, p.candidate) for p in made.pairs}) == 78


def test_a_seed_makes_the_same_pairs_again(material: Material, extractor: MedspacyUnitExtractor) -> None:
    """A set can be made again, and another seed makes another."""
    made = [by_rules(material, extractor, per_category=2, seed=seed, categories=CATEGORIES[:2]) for seed in (9, 9, 8)]
    rows = [[pair.as_row() for pair in one.pairs] for one in made]
    assert rows[0] == rows[1] != rows[2]


def test_nothing_but_the_labelled_stretches_differs(made: Synthesis) -> None:
    """A metric is tried on the error that the label names."""
    for pair in made.pairs:
        if len(pair.spans) == 1 and pair.spans[0].reference and pair.spans[0].candidate:
            (label,) = pair.spans
            reference, candidate = label.reference, label.candidate
            assert reference is not None
            assert candidate is not None
            # An article beside the label may be mended with it.
            assert pair.reference[: max(0, reference.start - 3)] == pair.candidate[: max(0, candidate.start - 3)]
            assert pair.reference[reference.end :] == pair.candidate[candidate.end :]


def test_reports_that_cannot_be_read_are_counted(extractor: MedspacyUnitExtractor, lexicon: Lexicon) -> None:
    """Each has its reason, and equal texts count once."""
    texts = [("a", "Clear lungs."), ("b", "Clear lungs."), ("c", " "), ("d", "Clear\0lungs.")]
    material = Material.read(texts, extractor, lexicon)
    assert material.studies == ("a",)
    assert material.left_out == {"empty": 1, "same text as another": 1, "control characters": 1}


@pytest.mark.parametrize(
    ("candidate", "fault"),
    [
        ("Clear lungs.", "nothing changed"),
        (" ", "nothing changed"),
        ("Clear lungs. One. Two. Three.", "length"),
        ("Clear  lungs", "blemish"),
        ("Clear clear lungs.", "blemish"),
    ],
)
def test_a_text_that_is_no_report_is_refused(candidate: str, fault: str) -> None:
    """Doubled words and spaces would betray an edit."""
    assert fault_of_text("Clear lungs.", candidate, ()) == fault
