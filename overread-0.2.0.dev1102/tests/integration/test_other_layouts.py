"""One report as word processors, tables and other systems leave it; evidence points into the text as given."""

from __future__ import annotations

from typing import Final

import pytest

import overread
from overread.domain.results.discrepancy import Discrepancy

_SENTENCES: Final = (
    "The heart is normal in size.",
    "Small left pleural effusion.",
    "No pneumothorax.",
    "8 mm nodule in the right upper lobe.",
)
_PLAIN: Final = " ".join(_SENTENCES)


def _joined(by: str) -> str:
    return by.join(sentence.rstrip(".") for sentence in _SENTENCES)


def _headed(findings: str, impression: str) -> str:
    return f"{findings}\n{_PLAIN}\n{impression}\n{_SENTENCES[1]} {_SENTENCES[3]}"


_LAYOUTS: Final[dict[str, str]] = {
    "strokes": _joined(" / "),
    "double strokes": _joined(" // "),
    "bars": _joined(" | "),
    "breaks of RTF": "\\par ".join(_SENTENCES),
    "a document of RTF": "{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}}\\f0\\fs20 "
    + "\\par ".join(_SENTENCES)
    + "\\par }",
    "entities of HTML": "&#10;".join(_SENTENCES),
    "a page number within a sentence": _PLAIN.replace("pleural effusion", "pleural\n- 2 -\neffusion"),
    "Roman headings": _headed("I. FINDINGS", "II. IMPRESSION"),
    "Roman items": "\n".join(f"{number}. {s}" for number, s in zip(("I", "II", "III", "IV"), _SENTENCES, strict=True)),
    "lettered items": "\n".join(f"{letter}) {s}" for letter, s in zip("ABCD", _SENTENCES, strict=True)),
    "headings with their examination": _headed("FINDINGS (CT):", "IMPRESSION (CT):"),
    "radiological headings": _headed("Radiological findings", "Radiological conclusion"),
    "advice in the heading": _headed("Radiology Report", "Conclusion and recommendations:"),
}


def _found(candidate: str) -> tuple[Discrepancy, ...]:
    return overread.score(reference=_PLAIN, candidate=candidate, metrics=["notation"])["notation"].discrepancies


@pytest.mark.parametrize("layout", _LAYOUTS)
def test_a_layout_changes_nothing(layout: str) -> None:
    """The same words have no discrepancy, and another side is found where it stands."""
    text = _LAYOUTS[layout]
    assert _found(text) == ()
    other = text.replace("right upper", "left upper")
    (found,) = _found(other)
    assert all("left upper lobe" in other[span.start : span.end] for span in found.candidate_spans)
