"""The difference of both texts on a page: what was put in, taken out and moved."""

from __future__ import annotations

import re

from overread.domain.differences.edits import Edits, EditType, edits_of
from overread.domain.differences.word_alignment import aligned_words
from overread.domain.reports.report import ReportPair
from overread.infrastructure.views.web.pair_view import Surroundings, pair_view
from overread.infrastructure.views.web.templating import template
from overread.infrastructure.views.web.word_difference import word_difference

_PAIR = ReportPair(
    id="1",
    candidate="Heart normal.\nNo effusion. Trachea midline.\n\nSmall left nodule. old <b>.",
    reference="Heart normal.\nTrachea midline. No effusion.\n\nSmall right nodule. Old <b>. New mass \x1b.",
)


def test_words_of_either_text_are_marked_as_elements() -> None:
    """Inserted, deleted, moved and retyped, in the layout of the reference; nothing a browser would run."""
    difference = word_difference(_PAIR, aligned_words(_PAIR.candidate.text, _PAIR.reference.text))
    told = "".join(
        f"{sentence.gap}[{sentence.fate}{'*' * sentence.retyped}] "
        + "".join(f"<{piece.tag}>{piece.text}</>" if piece.tag else piece.text for piece in sentence.pieces)
        for sentence in difference.sentences
    )
    assert told == (
        "[same] Heart normal.\n[moved] Trachea midline. [same] No effusion."
        "\n\n[changed] Small <del>left</> <ins>right</> nodule. [same*] Old <b>. [inserted] <ins>New mass \ufffd.</>"
    )
    assert difference.summary == "6 sentences: 1 changed, 1 added, 1 moved, 1 typed differently"


def test_a_page_tells_the_difference_to_eyes_and_ears() -> None:
    """Folded without a script; a hidden word beside each element, since few screen readers tell them."""
    page = _page(edits_of(_PAIR, ()))
    assert page.count("<details") == 1
    assert '<ins><span class="hidden">added: </span>right</ins>' in page
    assert '<del><span class="hidden">deleted: </span>left</del>' in page
    assert '<span class="moved"><b>moved</b> Trachea midline.</span>' in page
    assert "Old &lt;b&gt;." in page
    assert "No edit with a discrepancy. 4 sentences changed in style only, without a discrepancy." in page


def test_numbers_of_edits_are_told_in_words() -> None:
    """Each type that there is, and what is of style alone."""
    edits = Edits(types=(EditType.CORRECTION, EditType.CORRECTION, EditType.REMOVAL, None), style=1)
    assert "Edits: 2 corrections, 1 removal. 1 sentence changed in style only, without a discrepancy." in _page(edits)
    assert "Edits: 1 addition." in _page(Edits(types=(EditType.ADDITION,)))


def test_equal_texts_have_no_difference() -> None:
    """And the page says so."""
    pair = ReportPair(id="1", candidate="No effusion.", reference="No effusion.")
    difference = word_difference(pair, aligned_words("No effusion.", "No effusion."))
    assert difference.summary == "1 sentence, all the same"


def test_other_pages_show_no_difference() -> None:
    """A pair that is shown by itself looks as before."""
    view = pair_view(_PAIR, {}, str, around=Surroundings(part="pair"))
    page = template("pair_body.html.j2").render(pair=view, has_script=False)
    assert "<details" not in page
    assert "Edits:" not in page


def _page(edits: Edits | None) -> str:
    difference = word_difference(_PAIR, aligned_words(_PAIR.candidate.text, _PAIR.reference.text))
    view = pair_view(
        _PAIR, {}, str, around=Surroundings(part="pair"), edits=edits, edited="notation", difference=difference
    )
    page = template("pair_body.html.j2").render(pair=view, has_script=False)
    return re.sub(r"\s+", " ", page)
