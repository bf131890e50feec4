"""Injects errors whose number is known into reports, and reads every edited report again to be sure of it.

An edit stays only where exactly the one unit that it meant has changed, in the one way that it meant; and only where no
other unit of the report speaks of the same finding or its kin, so that one edit is one error. What is added without
harm, a normal statement or an administrative sentence, must contradict nothing that either report says.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from _edits import EDITS
from attrs import evolve, field, frozen

from overread.adapters.lexicon.segments import split_sentences
from overread.application.ports import UnitExtractor
from overread.domain.annotation import AnnotatedPair
from overread.domain.lexicon import Lexicon
from overread.domain.report import Report, ReportPair
from overread.domain.result import Unscored
from overread.domain.taxonomy import REXVAL_SIX
from overread.domain.unit import ClinicalUnit, Polarity, largest

__all__ = ["Draft", "Injector"]

_FALSE: Final = (
    "There is a small right pneumothorax.",
    "There is a moderate left pleural effusion.",
    "Consolidation is present in the left lower lobe.",
    "The heart is markedly enlarged.",
    "A 14 mm nodule projects over the right upper lobe.",
    "There is diffuse interstitial pulmonary edema.",
    "An acute fracture of the left seventh rib is noted.",
    "A large hiatal hernia is present.",
    "There is a cavitary lesion in the right apex.",
    "Mild thoracic scoliosis is noted.",
    "The left hemidiaphragm is elevated.",
    "Subsegmental atelectasis is seen at the right base.",
    "There is a compression fracture of a mid thoracic vertebral body.",
    "A dual-chamber pacemaker is in place.",
    "A right internal jugular central venous catheter ends in the superior vena cava.",
    "The lungs are hyperinflated.",
    "There is left hilar lymphadenopathy.",
    "The thoracic aorta is tortuous.",
    "There is free air under the right hemidiaphragm.",
    "A 5 cm mass occupies the left upper lobe.",
    "Pulmonary vascular congestion is present.",
    "A calcified granuloma is seen in the left lung.",
    "There is biapical pleural thickening.",
    "The mediastinum is widened.",
    "There are reticular opacities at both lung bases, consistent with fibrosis.",
    "There is subcutaneous emphysema along the right chest wall.",
)
"""Sentences that each assert one finding."""

_NORMAL: Final = (
    "The trachea is midline.",
    "The visualized bones show no acute abnormality.",
    "The soft tissues are unremarkable.",
    "The hilar contours are normal.",
    "No pneumomediastinum is seen.",
    "The heart size is normal.",
    "The pulmonary vasculature is unremarkable.",
    "There is no free air beneath the diaphragm.",
    "The costophrenic angles are sharp.",
    "No acute rib fracture is seen.",
    "No pneumothorax.",
    "No pleural effusion is identified.",
    "The upper abdomen is unremarkable.",
    "The mediastinal contours are normal.",
)
"""Normal statements, that a report may hold or leave out."""

_ADMINISTRATIVE: Final = (
    "These results were discussed with the referring physician by telephone.",
    "The examination was performed in the upright position.",
    "Frontal and lateral views of the chest were obtained.",
    "Findings were communicated to the nurse in charge at the end of the reading.",
    "This report was dictated with speech recognition software and may hold errors of transcription.",
    "Clinical correlation is recommended.",
    "The images were reviewed by the attending radiologist.",
)
"""Sentences that say nothing of the patient's state."""

_CATEGORIES: Final = frozenset(
    {"airway", "bone", "device", "diaphragm", "heart", "lung", "mediastinum", "pleura", "spine", "vessel"}
    | {"post_operative"}
)
"""Categories of findings that errors are about."""
_NO_FINDING: Final = frozenset({"cardiac_silhouette_unchanged"})

_DEIDENTIFIED: Final = re.compile(r"X{3,}|_{2,}")
_NUMBER: Final = re.compile(r"\d+(?=[.)])")
_GREATER: Final = 2.0
"""From this factor on another size is an error."""


@frozen
class Draft:
    """A report as titled blocks of sentences, each with what stands before it: space, a bullet, a number."""

    blocks: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

    @classmethod
    def of(cls, text: str) -> Draft:
        """The draft of a report whose blocks stand apart and begin with their titles.

        >>> Draft.of("IMPRESSION: 1. Normal.").blocks
        (('IMPRESSION', ((' 1. ', 'Normal.'),)),)
        """
        blocks = []
        for paragraph in text.split("\n\n"):
            title, _, body = paragraph.partition(":")
            last, sentences = 0, []
            for span in split_sentences(body):
                sentences.append((body[last : span.start], span.of(body)))
                last = span.end
            blocks.append((title, tuple(sentences)))
        return cls(tuple(blocks))

    @property
    def text(self) -> str:
        """The report; blocks without a sentence are left out, and numbers follow each other."""
        return "".join(piece for piece, _ in self._pieces())

    def starts(self) -> dict[tuple[int, int], int]:
        """Where each sentence starts in the text, in order."""
        starts, length = {}, 0
        for piece, place in self._pieces():
            if place is not None:
                starts[place] = length
            length += len(piece)
        return starts

    def _pieces(self) -> Iterator[tuple[str, tuple[int, int] | None]]:
        """The text in pieces: sentences with their places, and what stands between them."""
        gap = ""
        for block, (title, sentences) in enumerate(self.blocks):
            if not sentences:
                continue
            yield f"{gap}{title}:", None
            gap = "\n\n"
            number = 0
            for at, (lead, sentence) in enumerate(sentences):
                numbered, times = _NUMBER.subn(str(number + 1), lead, count=1)
                number += times
                yield numbered, None
                yield sentence, (block, at)

    def sentence(self, place: tuple[int, int]) -> str:
        """The sentence at a place."""
        return self.blocks[place[0]][1][place[1]][1]

    def sentences(self) -> list[tuple[int, int]]:
        """Places of all sentences: block and place in the block."""
        return [(b, s) for b, (_, sentences) in enumerate(self.blocks) for s in range(len(sentences))]

    def replaced(self, place: tuple[int, int], instead: Sequence[str]) -> Draft:
        """The draft with other sentences in place of one."""
        block, at = place
        title, sentences = self.blocks[block]
        lead = sentences[at][0]
        made = tuple((lead if i == 0 else " ", sentence) for i, sentence in enumerate(instead))
        return self._with(block, (title, (*sentences[:at], *made, *sentences[at + 1 :])))

    def inserted(self, place: tuple[int, int], sentence: str) -> Draft:
        """The draft with one more sentence behind one."""
        return self.replaced(place, (self.sentence(place), sentence))

    def shuffled(self, rng: random.Random) -> Draft:
        """The draft with the sentences of each block in another order."""
        blocks = []
        for title, sentences in self.blocks:
            order = rng.sample(range(len(sentences)), len(sentences))
            blocks.append((title, tuple((sentences[i][0], sentences[j][1]) for i, j in enumerate(order))))
        return Draft(tuple(blocks))

    def _with(self, block: int, made: tuple[str, tuple[tuple[str, str], ...]]) -> Draft:
        return Draft((*self.blocks[:block], made, *self.blocks[block + 1 :]))


def _statement(unit: ClinicalUnit) -> ClinicalUnit:
    """What a unit says, wherever it stands and however it is worded."""
    words = " ".join(unit.span_text.lower().split()) if unit.is_unread else ""
    return evolve(
        unit, span_text=words, start=0, end=0, section="", sentence_index=0, surface_finding="", confidence=1.0
    )


@frozen
class _Reading:
    """A draft as it is read: the units, and what they say without their places."""

    draft: Draft
    units: tuple[ClinicalUnit, ...]

    def statements(self) -> Counter[ClinicalUnit]:
        return Counter(map(_statement, self.units))

    def at(self, place: tuple[int, int]) -> list[ClinicalUnit]:
        """The units of one sentence, which start at the sentence."""
        start = self.draft.starts()[place]
        end = start + len(self.draft.sentence(place))
        return [unit.moved(-start, section="", sentence_index=0) for unit in self.units if start <= unit.start < end]

    def place(self, unit: ClinicalUnit) -> tuple[int, int]:
        """The sentence that a unit starts in."""
        return [place for place, start in self.draft.starts().items() if start <= unit.start][-1]


Change = tuple[Sequence[ClinicalUnit], Sequence[ClinicalUnit]]
"""What a report no longer says, and what it says instead."""


def _is_denied(change: Change) -> bool:
    (before,), (after,) = change
    same = before.canonical_finding == after.canonical_finding or before.canonical_finding in after.denies
    return before.asserts_finding and after.denies_finding and same


def _is_affirmed(change: Change) -> bool:
    (before,), (after,) = change
    return before.denies_finding and after.asserts_finding and before.canonical_finding == after.canonical_finding


def _is_moved(change: Change) -> bool:
    (before,), (after,) = change
    return before.asserts_finding and before.anatomy != after.anatomy and evolve(before, anatomy=after.anatomy) == after


def _is_regraded(change: Change) -> bool:
    (before,), (after,) = change
    if not before.asserts_finding or evolve(before, severity=after.severity, measurements=after.measurements) != after:
        return False
    a, b = largest(before.measurements), largest(after.measurements)
    if a is None or b is None:
        return a is b and before.severity != after.severity
    return max(a.millimetres, b.millimetres) >= _GREATER * min(a.millimetres, b.millimetres)


def _is_compared(change: Change) -> bool:
    (before,), (after,) = change
    is_new = before.change is None and after.change is not None
    return before.asserts_finding and is_new and evolve(before, change=after.change) == after


def _is_comparison_dropped(change: Change) -> bool:
    return _is_compared((change[1], change[0]))


_MEANT: Final[dict[str, tuple[int, int, Callable[[Change], bool]]]] = {
    "denied": (1, 1, _is_denied),
    "affirmed": (1, 1, _is_affirmed),
    "dropped": (1, 0, lambda change: change[0][0].asserts_finding),
    "added": (0, 1, lambda change: change[1][0].asserts_finding),
    "relocated": (1, 1, _is_moved),
    "regraded": (1, 1, _is_regraded),
    "compared": (1, 1, _is_compared),
    "comparison dropped": (1, 1, _is_comparison_dropped),
}
"""How many statements each edit takes away and adds, and how they must differ."""


def _says_the_same(kind: str, unit: ClinicalUnit) -> bool:
    """Whether a unit about the same finding would contradict the edit, or undo it."""
    if kind == "relocated":
        return unit.asserts_finding and bool(unit.anatomy)
    if kind == "regraded":
        return unit.asserts_finding and (unit.severity is not None or bool(unit.measurements))
    if kind in ("compared", "comparison dropped"):
        return unit.asserts_finding and unit.change is not None
    return unit.asserts_finding or unit.denies_finding


_WEIGHTS: Final = {
    "denied": 1.5,
    "affirmed": 0.8,
    "dropped": 1.5,
    "added": 0.3,
    "relocated": 3.0,
    "regraded": 2.5,
    "compared": 1.5,
    "comparison dropped": 4.0,
}
"""Edits that few reports allow come first where they can."""

_FALSE_KINDS: Final = frozenset({"affirmed", "added"})
_MOST_FALSE: Final = 2
"""False findings in one candidate at most: every report allows any number of them."""

_REPEATED: Final = frozenset({"denied", "dropped", "relocated", "comparison dropped"})
"""Edits made wherever the report says the same again: its impression repeats what its findings say."""
_MOST_REPEATS: Final = 3


@frozen
class _Made:
    """A report with some errors in it, and the findings that they are about."""

    reading: _Reading
    errors: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()


@frozen(eq=False)
class Injector:
    """Makes candidates with known errors from reports.

    Attributes:
        extractor: reads the reports before and after.
        lexicon: that it reads with.
        refused: edits that did not come out as meant, by name.
    """

    extractor: UnitExtractor
    lexicon: Lexicon
    refused: Counter[str] = field(factory=Counter)

    def pair(self, name: str, text: str, errors: int, rng: random.Random) -> AnnotatedPair | None:
        """The report against a candidate with so many errors, or as many as it allows; None where it allows none.

        Args:
            name: of the report, and of the pair.
            text: the report, blocks with titles.
            errors: 0 for a candidate that differs harmlessly or not at all.
            rng: draws the edits.
        """
        made = self._start(text)
        if made is None:
            return None
        for _ in range(errors):
            full = sum(kind in _FALSE_KINDS for kind in made.errors) >= _MOST_FALSE
            kinds = [kind for kind in _MEANT if not (full and kind in _FALSE_KINDS)]
            made = self._one_more(made, kinds, rng) or made
        if errors and not made.errors:
            return None
        candidate = made.reading.draft.text if made.errors else text
        if rng.random() < (0.4 if errors else 0.85):
            candidate = self._harmless(made, rng)
        return _counted(name, text, candidate, made.errors)

    def negation(self, name: str, text: str, kind: str, rng: random.Random) -> AnnotatedPair | None:
        """The report with one finding "denied" or one denial "affirmed"; None where it allows none."""
        start = self._start(text)
        made = self._one_more(start, [kind], rng) if start else None
        return _counted(name, text, made.reading.draft.text, made.errors) if made else None

    def _start(self, text: str) -> _Made | None:
        draft = Draft.of(text)
        reading = self._read(draft)
        if reading is None or reading.statements() != Counter(map(_statement, self._units(text) or ())):
            return None
        return _Made(reading)

    def _units(self, text: str) -> tuple[ClinicalUnit, ...] | None:
        read = self.extractor.extract([Report(text)])[0]
        return None if isinstance(read, Unscored) else tuple(read)

    def _read(self, draft: Draft) -> _Reading | None:
        units = self._units(draft.text)
        return _Reading(draft, units) if units else None

    def _one_more(self, made: _Made, kinds: list[str], rng: random.Random) -> _Made | None:
        """The report with one more error, of the first kind drawn that it allows."""
        while kinds:
            kind = rng.choices(kinds, [_WEIGHTS[kind] for kind in kinds])[0]
            kinds.remove(kind)
            places = made.reading.draft.sentences()
            rng.shuffle(places)
            drafts = self._added(made, places, rng) if kind == "added" else self._edited(made, kind, places, rng)
            for draft in drafts:
                if after := self._accepted(made, kind, draft, rng):
                    return after
        return None

    def _edited(self, made: _Made, kind: str, places: Sequence[tuple[int, int]], rng: random.Random) -> Iterable[Draft]:
        _, edit = EDITS[kind]
        for place in places:
            sentence = made.reading.draft.sentence(place)
            if _DEIDENTIFIED.search(sentence):
                continue
            instead = edit(sentence, made.reading.at(place), rng)
            if instead is not None and instead != [sentence]:
                yield made.reading.draft.replaced(place, instead)

    def _added(self, made: _Made, places: Sequence[tuple[int, int]], rng: random.Random) -> Iterable[Draft]:
        first = [place for place in places if place[0] == 0] or places
        for sentence in rng.sample(_FALSE, len(_FALSE)):
            yield made.reading.draft.inserted(rng.choice(first), sentence)

    def _accepted(
        self, made: _Made, kind: str, draft: Draft, rng: random.Random, repeats: int = _MOST_REPEATS
    ) -> _Made | None:
        """What the edit makes of the report, where it is the one error that was meant."""
        reading = self._read(draft)
        if reading is None or (unit := self._meant(kind, made.reading, reading)) is None:
            self.refused[kind] += 1
            return None
        finding = unit.canonical_finding
        if not self._may_be_wrong(unit) or any(self._are_kin(finding, other) for other in made.touched):
            return None
        new = reading.statements() - made.reading.statements()
        again = [
            other
            for other in reading.units
            if _statement(other) not in new and _says_the_same(kind, other) and self._speaks_of(finding, other)
        ]
        if not again:
            return _Made(reading, (*made.errors, kind), (*made.touched, finding))
        if kind not in _REPEATED or not repeats:
            return None
        place = reading.place(again[0])
        sentence = reading.draft.sentence(place)
        instead = EDITS[kind][1](sentence, reading.at(place), rng)
        if instead is None or _DEIDENTIFIED.search(sentence):
            return None
        return self._accepted(
            evolve(made, reading=reading), kind, reading.draft.replaced(place, instead), rng, repeats - 1
        )

    def _meant(self, kind: str, before: _Reading, after: _Reading) -> ClinicalUnit | None:
        """The statement that the edit changed or made, where it did so as meant and nothing else changed."""
        a, b = before.statements(), after.statements()
        change = list((a - b).elements()), list((b - a).elements())
        fewer, more, is_meant = _MEANT[kind]
        if (len(change[0]), len(change[1])) != (fewer, more) or not is_meant(change):
            return None
        return next(chain(*change))

    def _may_be_wrong(self, unit: ClinicalUnit) -> bool:
        found = self.lexicon.findings.get(unit.canonical_finding)
        certain = unit.polarity is not Polarity.UNCERTAIN and (unit.asserts_finding or unit.denies_finding)
        return found is not None and found.category in _CATEGORIES and found.id not in _NO_FINDING and certain

    def _speaks_of(self, finding: str, unit: ClinicalUnit) -> bool:
        """Whether a unit says something of a finding: a denial says nothing of what only accounts for it."""
        kin = self._are_kin if unit.asserts_finding else self._are_related
        return kin(finding, unit.canonical_finding)

    def _are_related(self, a: str, b: str) -> bool:
        return self.lexicon.is_kind_of(a, b) or self.lexicon.is_kind_of(b, a)

    def _are_kin(self, a: str, b: str) -> bool:
        """Whether asserting one thing says something of the other."""
        lexicon = self.lexicon
        signs = lexicon.is_sign_of(a, b) or lexicon.is_sign_of(b, a)
        return self._are_related(a, b) or signs or lexicon.are_confusable(a, b)

    def _harmless(self, made: _Made, rng: random.Random) -> str:
        """The candidate after one to three changes that make no error."""
        ways = rng.sample((self._shuffled, self._benign, self._administrative, _spaced), rng.randint(1, 3))
        draft = made.reading.draft
        for way in (self._benign, self._administrative, self._shuffled):
            if way in ways:
                draft = way(draft, made, rng)
        if _spaced not in ways:
            return draft.text
        text = _spaced(draft.text, rng)
        return text if self._same(self._units(text), self._units(draft.text)) else draft.text

    def _same(self, a: Iterable[ClinicalUnit] | None, b: Iterable[ClinicalUnit] | None) -> bool:
        return Counter(map(_statement, a or ())) == Counter(map(_statement, b or ()))

    def _shuffled(self, draft: Draft, _: _Made, rng: random.Random) -> Draft:
        other = draft.shuffled(rng)
        return other if self._same(self._units(other.text), self._units(draft.text)) else draft

    def _benign(self, draft: Draft, made: _Made, rng: random.Random) -> Draft:
        return self._with_sentence(draft, _NORMAL, rng, lambda unit: self._contradicts_nothing(unit, made))

    def _administrative(self, draft: Draft, _: _Made, rng: random.Random) -> Draft:
        return self._with_sentence(draft, _ADMINISTRATIVE, rng, lambda unit: bool(unit.administrative))

    def _with_sentence(
        self, draft: Draft, sentences: Sequence[str], rng: random.Random, allowed: Callable[[ClinicalUnit], bool]
    ) -> Draft:
        before = Counter(map(_statement, self._units(draft.text) or ()))
        for sentence in rng.sample(sentences, len(sentences)):
            other = draft.inserted(rng.choice(draft.sentences()), sentence)
            after = Counter(map(_statement, self._units(other.text) or ()))
            if not before - after and all(map(allowed, after - before)):
                return other
        return draft

    def _contradicts_nothing(self, unit: ClinicalUnit, made: _Made) -> bool:
        """Whether a normal statement is true of both reports, and about nothing that an error is about."""
        denied = unit.denies or {unit.canonical_finding}
        asserted = [u.canonical_finding for u in made.reading.units if u.asserts_finding]
        return unit.denies_finding and not any(
            self._are_kin(one, other) for one in denied for other in (*asserted, *made.touched)
        )


def _spaced(text: str, rng: random.Random) -> str:
    """The text with other white space or in other letters."""
    way = rng.randrange(4)
    if way == 0:
        return text.upper()
    if way == 1:
        return re.sub(r"(?<=[a-z]\.) ", "\n", text)
    if way == 2:
        return re.sub(r" ", lambda _: "  " if rng.random() < 0.2 else " ", text)
    return text.replace("\n\n", "\n")


def _counted(name: str, reference: str, candidate: str, errors: Iterable[str]) -> AnnotatedPair:
    made = Counter("A" if error == "added" else EDITS[error][0] for error in errors)
    return AnnotatedPair(
        pair=ReportPair(id=name, reference=reference, candidate=candidate),
        study=name,
        ratings={category.value: (float(made[category.value]),) for category in REXVAL_SIX},
    )
