"""The labels of the ReEvalMed judge, and reading what models make of them (Beyond Scalar Scores, appendix I)."""

from __future__ import annotations

import re
from typing import Final

from attrs import frozen

from overread.application.asking.inquiry import UnreadableAnswerError
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ASPECTS_WITH_TYPE, ErrorAspect, ErrorType

__all__ = ["LABELS", "SEVERITIES", "Label", "read_label", "read_severity"]


@frozen
class Label:
    """An aspect, and its error type where the aspect has one.

    >>> str(Label(ErrorAspect.LOCATION, ErrorType.OMISSION)), str(Label(ErrorAspect.NOISE))
    ('Location - Omission', 'Noise')
    """

    aspect: ErrorAspect
    type: ErrorType | None = None

    def __str__(self) -> str:
        return self.aspect.value if self.type is None else f"{self.aspect.value} - {self.type.value.capitalize()}"


LABELS: Final = tuple(
    Label(aspect, kind)
    for aspect in ErrorAspect
    for kind in (tuple(ErrorType) if aspect in ASPECTS_WITH_TYPE else (None,))
)
"""The twenty labels: three for each aspect with a type, one for each of the others."""

SEVERITIES: Final = tuple(severity.value for severity in Severity)

_ASPECTS: Final = {
    **{re.sub("[^a-z]", "", aspect.value.lower()): aspect for aspect in ErrorAspect},
    "comparison": ErrorAspect.COMPARISON,
    "progression": ErrorAspect.COMPARISON,
    "compprog": ErrorAspect.COMPARISON,
    "size": ErrorAspect.SIZE,
    "distance": ErrorAspect.SIZE,
    "style": ErrorAspect.STYLE,
    "stylistic": ErrorAspect.STYLE,
    "stylisticvar": ErrorAspect.STYLE,
    "stylevariation": ErrorAspect.STYLE,
}
_TYPES: Final = {
    **{kind.value: kind for kind in ErrorType},
    "omitted": ErrorType.OMISSION,
    "fabricated": ErrorType.FABRICATION,
    "inaccurate": ErrorType.INACCURACY,
}
_FILLERS: Final = frozenset({"aspect", "type", "category", "error"})
_SEVERITIES: Final = {
    **{severity.value: severity for severity in Severity},
    "clinically significant": Severity.SIGNIFICANT,
    "clinically insignificant": Severity.INSIGNIFICANT,
    "not significant": Severity.INSIGNIFICANT,
    "not clinically significant": Severity.INSIGNIFICANT,
    "non significant": Severity.INSIGNIFICANT,
}
_WORD: Final = r"[^\W\d_]+"
_AROUND: Final = r"""\s"'`\u2018\u2019\u201c\u201d*_"""
_NAMED_SEVERITY: Final = re.compile(
    rf"[{_AROUND}#>(\[-]*(?:severity[{_AROUND}:=-]+)?([a-z]+(?:[\s_-]+[a-z]+)*)[{_AROUND}.,;:!)\]-]*"
)
_REMEDY: Final = f"Use only these labels, written exactly so: {', '.join(map(str, LABELS))}."


def read_label(written: str, kind: str = "") -> Label:
    """The label that a model wrote, in whatever case, order and punctuation.

    The type of an aspect that has none is passed over.

    Args:
        written: aspect, mostly with the type: "Location - Omission", "size", "Comparison (fabrication)".
        kind: the type where the model wrote it apart.

    Raises:
        UnreadableAnswerError: "unknown label" if there is not exactly one known aspect, there are words besides or
            several types, or an aspect with types has none.
    """
    words = re.findall(_WORD, f"{written} {kind}".lower())
    types = {_TYPES[word] for word in words if word in _TYPES}
    aspect = _ASPECTS.get("".join(word for word in words if word not in _TYPES and word not in _FILLERS))
    if aspect is None:
        raise UnreadableAnswerError("unknown label", "the answer names an aspect that is none of the twelve", _REMEDY)
    if aspect not in ASPECTS_WITH_TYPE:
        return Label(aspect)
    if len(types) != 1:
        detail = "the answer names an aspect without the one error type it needs"
        raise UnreadableAnswerError("unknown label", detail, _REMEDY)
    return Label(aspect, types.pop())


def read_severity(written: str) -> Severity | None:
    """The severity that one or a few words name, in whatever case; None if they name none.

    Beside the words may stand spaces, quotation marks, brackets, Markdown and marks that end a sentence: any other sign
    might turn what they say.

    >>> read_severity("**Not significant.**"), read_severity("¬ significant")
    (<Severity.INSIGNIFICANT: 'insignificant'>, None)
    """
    named = _NAMED_SEVERITY.fullmatch(written.lower())
    return None if named is None else _SEVERITIES.get(" ".join(re.findall(_WORD, named[1])))
