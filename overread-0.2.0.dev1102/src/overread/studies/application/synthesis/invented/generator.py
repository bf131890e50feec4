"""The generator: studies, each a reference with candidates of rising error count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from attrs import evolve, field, frozen, validators

from overread.domain.findings.lexicon import Lexicon
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.invented.breadth import Breadth
from overread.studies.application.synthesis.invented.composition import compose, impression
from overread.studies.application.synthesis.invented.disguise import disguise_report
from overread.studies.application.synthesis.invented.drafts import Coherence, Draft, Mention
from overread.studies.application.synthesis.invented.errors import corrupt
from overread.studies.application.synthesis.invented.grammar import load_grammar
from overread.studies.application.synthesis.invented.labels import Counts, Mistake, count, mistakes
from overread.studies.application.synthesis.invented.profiles import PROFILES, Origin, Profile, Purpose
from overread.studies.application.synthesis.invented.rewording import load_rewording
from overread.studies.application.synthesis.invented.rewrites import rewrite
from overread.studies.application.synthesis.invented.surface import STYLES, Habits, Style, write

__all__ = ["Origin", "Purpose", "Style", "SyntheticPair", "SyntheticPairs"]


_KEEPS_STYLE: Final = 0.55
"""How often, in a mixed set, a candidate has the style of its reference."""

_BRITISH: Final = 0.15
_ABBREVIATES: Final = (0.0, 0.0, 0.0, 0.25, 0.7)
_SLIPS: Final = (0.0, 0.0, 0.0, 0.0, 0.08, 0.15)
_JOINS: Final = (0.0, 0.3, 0.7)
_VARIES: Final = (0.0, 0.3, 0.6)
_MERGES: Final = (0.0, 0.3, 0.6)

_MOST_FALSE: Final = 2
_MOST_EACH: Final = 2
"""Most errors of a candidate whose reference has no finding, and more for each finding."""

_SHORTLIST: Final = 12
_NEAREST: Final = 0.6
"""Retrieval takes the most similar of a random shortlist this often, else the first of it."""


@frozen(kw_only=True)
class _Written:
    """A draft and the text it is written as."""

    draft: Draft
    style: Style
    text: str = field(repr=False)
    rewrites: tuple[str, ...] = ()


@frozen(kw_only=True, slots=False)
class SyntheticPair:
    """An invented reference and candidate, and the candidate's errors.

    Attributes:
        id, study: the pair and the study it belongs to.
        mistakes: every error of the candidate.
        rewrites: what was done to the candidate's words, none of it an error.
    """

    id: str
    study: str
    origin: Origin
    reference: str = field(repr=False)
    candidate: str = field(repr=False)
    reference_style: Style
    candidate_style: Style
    mistakes: tuple[Mistake, ...]
    rewrites: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> Counts:
        """Significant and insignificant errors in each of the eight categories."""
        return count(self.mistakes)

    @property
    def style(self) -> Style:
        """The style of both reports; mixed where they differ."""
        return self.reference_style if self.reference_style is self.candidate_style else Style.MIXED

    @property
    def significant(self) -> int:
        """Number of significant errors."""
        return sum(significant for significant, _ in self.counts.values())

    @property
    def insignificant(self) -> int:
        """Number of insignificant errors."""
        return sum(rest for _, rest in self.counts.values())

    @property
    def total(self) -> int:
        """Number of errors."""
        return self.significant + self.insignificant

    def as_row(self) -> dict[str, str | int]:
        """The pair as one flat row.

        Texts, totals, the errors of each category under its letter, the style, the words of each report, each error
        as category, significance and finding, and the rewrites.
        """
        return {
            "id": self.id,
            "study": self.study,
            "reference": self.reference,
            "candidate": self.candidate,
            "total": self.total,
            "significant": self.significant,
            "insignificant": self.insignificant,
            **{category.value: sum(pair) for category, pair in self.counts.items()},
            "style": self.style.value,
            "reference_style": self.reference_style.value,
            "candidate_style": self.candidate_style.value,
            "reference_words": len(self.reference.split()),
            "candidate_words": len(self.candidate.split()),
            "errors": "; ".join(map(_describe_mistake, self.mistakes)),
            "rewrites": "; ".join(self.rewrites),
        }


@frozen(slots=False)
class SyntheticPairs:
    """Labelled pairs of invented chest radiograph reports, the same for the same arguments.

    A candidate is a copy of its reference, the reference with 0 to 6 errors and in other words, or another study's
    report as retrieval would find it. Candidates of a study come in the order of their error count, as `SyntheticPair`
    counts it from what the two reports mean; its module of labels states the rules. Wording, length and style are
    drawn apart from the errors.

    Attributes:
        lexicon: what is a kind of what.
        seed: of every random choice.
        studies: number of references.
        candidates_per_study: number of candidates for each.
        style: of every report; mixed draws one a report.
        purpose: what the pairs are for: to fit a readout, or a model that reads the texts.
    """

    lexicon: Lexicon = field(repr=False, eq=False)
    seed: int = field(kw_only=True)
    studies: int = field(validator=validators.ge(1), kw_only=True)
    candidates_per_study: int = field(default=4, validator=validators.ge(1), kw_only=True)
    style: Style = field(default=Style.MIXED, converter=Style, kw_only=True)
    purpose: Purpose = field(default=Purpose.READOUT, converter=Purpose, kw_only=True)

    def __len__(self) -> int:
        """Number of pairs."""
        return self.studies * self.candidates_per_study

    def __iter__(self) -> Iterator[SyntheticPair]:
        """The pairs, study by study."""
        for study in range(self.studies):
            yield from self._study(study)

    @cached_property
    def _coherence(self) -> Coherence:
        grammar = self._breadth.grammar if self._breadth else load_grammar()
        return Coherence(grammar, self.lexicon, self._profile)

    @cached_property
    def _breadth(self) -> Breadth | None:
        return Breadth.of(self.lexicon, reworded=self._profile.reworded) if self._profile.wide else None

    def _study_coherence(self, study: int) -> Coherence:
        """Rules for what the reports made for a study may say: one patient has few of all findings."""
        if self._breadth is None:
            return self._coherence
        draws = Draws.from_parts(self.seed, study, "vocabulary")
        return evolve(self._coherence, grammar=self._breadth.draw_grammar(draws))

    @cached_property
    def _profile(self) -> Profile:
        return PROFILES[self.purpose]

    @cached_property
    def _references(self) -> Sequence[_Written]:
        return [self._reference(study) for study in range(self.studies)]

    def _reference(self, study: int) -> _Written:
        draws = Draws.from_parts(self.seed, study, "reference")
        style = self._style(draws)
        coherence = self._study_coherence(study)
        draft = _fit_sections(compose(coherence, draws), style, coherence, draws)
        if self._profile.verbatim:
            return self._retell_draft(draft, style, study)
        return self._write_report(draft, style, self._habits(draws), draws)

    def _study(self, study: int) -> Iterator[SyntheticPair]:
        name = f"synthetic-{self.seed}-{study:04d}"
        reference = self._references[study]
        coherence = self._study_coherence(study)
        candidates = [self._candidate(study, number, coherence) for number in range(self.candidates_per_study)]
        graded = [(*made, mistakes(reference.draft, made[1].draft, self._coherence)) for made in candidates]
        for number, (origin, candidate, errors) in enumerate(sorted(graded, key=_burden), start=1):
            yield SyntheticPair(
                id=f"{name}-{number}",
                study=name,
                origin=origin,
                reference=reference.text,
                candidate=candidate.text,
                reference_style=reference.style,
                candidate_style=candidate.style,
                mistakes=tuple(errors),
                rewrites=candidate.rewrites,
            )

    def _candidate(self, study: int, number: int, coherence: Coherence) -> tuple[Origin, _Written]:
        draws = Draws.from_parts(self.seed, study, "candidate", number)
        origin = draws.weighted(tuple(self._profile.origins), tuple(self._profile.origins.values()))
        reference = self._references[study]
        if origin is Origin.COPY:
            return origin, evolve(reference, rewrites=())
        if origin is Origin.RETRIEVED and self.studies > 1:
            return origin, self._retrieve_report(study, draws)
        errors = draws.weighted(tuple(self._profile.errors), tuple(self._profile.errors.values()))
        if self._profile.wide:
            errors = min(errors, _MOST_FALSE + _MOST_EACH * len(reference.draft.findings))
        wrong, _ = corrupt(reference.draft, errors, coherence, draws)
        if self._profile.verbatim:
            return Origin.EDITED, self._retell_draft(wrong, reference.style, study)
        draft, rewrites = rewrite(wrong, draws.pick(self._profile.vigour), coherence, draws)
        style = reference.style if draws.chance(_KEEPS_STYLE) else self._style(draws)
        habits = evolve(self._habits(draws), varies=draws.pick(_VARIES))
        written = self._write_report(_fit_sections(draft, style, coherence, draws), style, habits, draws)
        return Origin.EDITED, evolve(written, rewrites=(*(kind.value for kind in rewrites), *written.rewrites))

    def _habits(self, draws: Draws) -> Habits:
        habits = _habits(draws)
        return evolve(habits, merges=draws.pick(_MERGES)) if self._profile.reworded else habits

    def _style(self, draws: Draws) -> Style:
        if self.style is not Style.MIXED:
            return self.style
        # Where sentences without a verb are many, nothing tells where the next one starts but a mark between them.
        styles = {s: w for s, w in STYLES.items() if not (self._profile.reworded and s is Style.LOWER)}
        return draws.weighted(tuple(styles), tuple(styles.values()))

    def _write_report(self, draft: Draft, style: Style, habits: Habits, draws: Draws) -> _Written:
        text = write(draft, style, habits, self._coherence.grammar, draws)
        if self._profile.reworded:
            text = load_rewording().in_own_words(text, draws)
        if self._profile.wide:
            text = disguise_report(text, draws)
        return _Written(draft=draft, style=style, text=text, rewrites=habits.names)

    def _retell_draft(self, draft: Draft, style: Style, study: int) -> _Written:
        """A draft in the words and the layout of its study: what two drafts share reads the same in both."""
        words = Draws.from_parts(self.seed, study, "words")
        return self._write_report(draft, style, _habits(words), words)

    def _retrieve_report(self, study: int, draws: Draws) -> _Written:
        """Another study's report: mostly the one of a shortlist that shares most findings, then has fewest errors."""
        reference = self._references[study].draft
        others = [(study + 1 + draws.below(self.studies - 1)) % self.studies for _ in range(_SHORTLIST)]
        shortlist = [evolve(self._references[other], rewrites=()) for other in others]
        if not draws.chance(_NEAREST):
            return shortlist[0]
        return min(shortlist, key=lambda written: self._distance(reference, written.draft))

    def _distance(self, reference: Draft, draft: Draft) -> tuple[int, int]:
        shared = len(reference.findings.keys() & draft.findings.keys())
        return -shared, len(mistakes(reference, draft, self._coherence))


def _fit_sections(draft: Draft, style: Style, coherence: Coherence, draws: Draws) -> Draft:
    """The draft with sections where the style has them, and without where it has none."""
    if style is Style.HEADED and not draft.sectioned:
        return impression(evolve(draft, sectioned=True), coherence, draws)
    if style is Style.PROSE and not any(isinstance(s, Mention) and s.side for s in draft.impression):
        return evolve(draft, sectioned=False, impression=())
    return draft


def _habits(draws: Draws) -> Habits:
    return Habits(
        british=draws.chance(_BRITISH),
        abbreviates=draws.pick(_ABBREVIATES),
        slips=draws.pick(_SLIPS),
        joins=draws.pick(_JOINS),
    )


def _describe_mistake(mistake: Mistake) -> str:
    return f"{mistake.category.value} {'significant' if mistake.significant else 'insignificant'} {mistake.finding}"


def _burden(graded: tuple[Origin, _Written, list[Mistake]]) -> int:
    return len(graded[2])
