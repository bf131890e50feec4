"""Profiles: what a set of pairs is for, and so how often everything in it happens."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import evolve, frozen

from overread.domain.vocabulary.taxonomy import ErrorCategory

__all__ = ["CONTRAST", "COUNTS", "PROFILES", "READOUT", "REWORDED", "Origin", "Profile", "Purpose"]


class Origin(StrEnum):
    """Source of a candidate."""

    COPY = "copy"
    EDITED = "edited"
    RETRIEVED = "retrieved"


class Purpose(StrEnum):
    """Purpose that pairs are made for.

    Readout pairs state a few dozen findings in the grammar's own sentences. Counts pairs, for a model that reads the
    texts themselves, take their findings from the whole lexicon and unknown words, and look like real reports. In
    contrast pairs, of the same material, both reports use the same words, except for the errors. In reworded pairs
    two writers describe the same study, each in their own words, and half of the candidates have no error.
    """

    READOUT = "readout"
    COUNTS = "counts"
    CONTRAST = "contrast"
    REWORDED = "reworded"


@frozen(kw_only=True)
class Profile:
    """Shares and weights; all are overread's choice.

    Attributes:
        origins: percent of candidates of each origin.
        normal, sectioned: share of references without any finding, and with headings.
        lengths: fewest and most statements of a report, with weights.
        findings: how many findings a report asserts that is not normal, with weights; a short one fewer.
        stated: how often a slot is filled.
        errors: how many errors an edited candidate gets, with weights.
        categories: how often each category is tried first. A report without findings has room for false ones only, so
            these come more often than their weight.
        significant: share of the errors that are to matter.
        dropped_negation: share of the false findings that are a denial turned round.
        flipped: share of the omissions that leave a denial in the finding's place.
        contradicted: share of the false findings that stand beside their own denial.
        other_side: share of the location errors in the impression alone, where it has a finding with a side.
        vigour: how thoroughly an edited candidate is rewritten, each as often: words must not tell how many errors
            there are.
        wide: whether findings come from the whole lexicon, and the surface is that of real reports.
        verbatim: whether an edited candidate keeps the words and the layout of its reference.
        reworded: whether sentences, lists and words are those of ``rewording.toml`` besides, each writer having some.
    """

    origins: Mapping[Origin, float]
    normal: float = 0.2
    sectioned: float = 0.3
    lengths: Mapping[tuple[int, int], float]
    findings: Mapping[int, float]
    stated: Mapping[str, float]
    errors: Mapping[int, float]
    categories: dict[ErrorCategory, float]
    significant: float = 0.55
    dropped_negation: float = 0.35
    flipped: float = 0.35
    contradicted: float = 0.15
    other_side: float = 0.4
    vigour: tuple[float, ...] = (0.0, 0.3, 0.6, 1.0)
    wide: bool = False
    verbatim: bool = False
    reworded: bool = False


READOUT: Final = Profile(
    # ReXVal's candidates were all retrieved and 13 % are identical to their reference (CREPE, Table 2). Edits, whose
    # errors come one at a time, are the larger part here.
    origins={Origin.COPY: 4, Origin.EDITED: 80, Origin.RETRIEVED: 16},
    lengths={(1, 1): 10, (2, 4): 28, (5, 8): 40, (9, 14): 22},
    findings={1: 3, 2: 5, 3: 6, 4: 5, 5: 3, 6: 2, 7: 1},
    stated={"side": 0.85, "zone": 0.5, "grade": 0.45, "change": 0.4, "hedge": 0.25, "size": 0.6},
    errors={0: 8, 1: 5, 2: 5, 3: 4, 4: 3, 5: 2, 6: 2},
    categories={
        ErrorCategory.FALSE_FINDING: 14,
        ErrorCategory.OMITTED_FINDING: 22,
        ErrorCategory.LOCATION: 13,
        ErrorCategory.SEVERITY: 12,
        ErrorCategory.COMPARISON_NOT_IN_REFERENCE: 9,
        ErrorCategory.OMITTED_COMPARISON: 13,
        ErrorCategory.UNSUPPORTED_UNCERTAINTY: 7,
        ErrorCategory.OMITTED_UNCERTAINTY: 12,
    },
)

COUNTS: Final = Profile(
    origins={Origin.COPY: 8, Origin.EDITED: 72, Origin.RETRIEVED: 20},
    normal=0.22,
    sectioned=0.35,
    lengths={(1, 1): 10, (2, 4): 40, (5, 8): 36, (9, 14): 11, (15, 24): 3},
    findings={1: 6, 2: 7, 3: 5, 4: 3, 5: 2, 6: 1, 7: 1},
    stated={"side": 0.75, "zone": 0.45, "grade": 0.45, "change": 0.5, "hedge": 0.15, "size": 0.6},
    errors={0: 24, 1: 26, 2: 20, 3: 13, 4: 7, 5: 4, 6: 3, 7: 2, 8: 1},
    categories={
        ErrorCategory.FALSE_FINDING: 11,
        ErrorCategory.OMITTED_FINDING: 14,
        ErrorCategory.LOCATION: 20,
        ErrorCategory.SEVERITY: 17,
        ErrorCategory.COMPARISON_NOT_IN_REFERENCE: 12,
        ErrorCategory.OMITTED_COMPARISON: 22,
        ErrorCategory.UNSUPPORTED_UNCERTAINTY: 0.5,
        ErrorCategory.OMITTED_UNCERTAINTY: 0.5,
    },
    dropped_negation=0.45,
    flipped=0.45,
    contradicted=0.04,
    other_side=0.15,
    vigour=(0.0, 0.3, 0.7, 1.0, 1.3),
    wide=True,
)

CONTRAST: Final = evolve(
    COUNTS,
    origins={Origin.COPY: 14, Origin.EDITED: 86, Origin.RETRIEVED: 0},
    errors={1: 60, 2: 25, 3: 15},
    categories=COUNTS.categories | {ErrorCategory.FALSE_FINDING: 40, ErrorCategory.OMITTED_FINDING: 40},
    dropped_negation=0.85,
    flipped=0.85,
    verbatim=True,
)

REWORDED: Final = evolve(
    COUNTS,
    origins={Origin.COPY: 0, Origin.EDITED: 100, Origin.RETRIEVED: 0},
    lengths={(1, 1): 14, (2, 4): 46, (5, 8): 32, (9, 14): 8},
    errors={0: 50, 1: 30, 2: 13, 3: 7},
    categories=COUNTS.categories | {ErrorCategory.FALSE_FINDING: 30, ErrorCategory.OMITTED_FINDING: 30},
    dropped_negation=0.7,
    flipped=0.6,
    vigour=(0.7, 1.0),
    reworded=True,
)

PROFILES: Final[Mapping[Purpose, Profile]] = {
    Purpose.READOUT: READOUT,
    Purpose.COUNTS: COUNTS,
    Purpose.CONTRAST: CONTRAST,
    Purpose.REWORDED: REWORDED,
}
