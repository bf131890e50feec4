"""The text of a PDF, read in a process apart."""

from __future__ import annotations

import zlib
from time import monotonic

import pytest

from overread.hospital.infrastructure.exchange.documents._pdf import joined_pages
from overread.hospital.infrastructure.exchange.documents.limits import DocumentLimits
from overread.hospital.infrastructure.exchange.documents.reading import text_of_document
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

from .invented_pdf import pdf_of, pdf_with

_IMAGE = (
    b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>stream\n"
    b"0\nendstream"
)


def read(data: bytes, limits: DocumentLimits | None = None) -> str:
    return text_of_document(data, "application/pdf", limits=limits, location="OBX-5")


def refusal(data: bytes, limits: DocumentLimits | None = None) -> str:
    with pytest.raises(RefusedMessageError) as refused:
        read(data, limits)
    assert refused.value.location == "OBX-5"
    return refused.value.code


def test_pages_become_one_text() -> None:
    """Rows keep their order and their cells; what repeats on each page stands once, page numbers not at all."""
    head = "North Hospital, Radiology"
    data = pdf_of(
        [
            [head, "", "FINDINGS: No pneumo-", "thorax. A left-", "sided effusion (small).", "Page 1 of 2"],
            [head, "Liver\tnormal", "IMPRESSION:", "Nodule of 5 mm.", "Page 2 of 2"],
        ]
    )
    assert read(data).splitlines() == [
        *(head, "", "FINDINGS: No pneumothorax. A left-sided effusion (small).", "Liver normal"),
        *("IMPRESSION:", "Nodule of 5 mm."),
    ]


def test_what_is_no_text_is_refused() -> None:
    """An image, an empty page, a password, a form and damage each have their code."""
    xobject = "/Resources<</XObject<</I 6 0 R>>>>"
    assert refusal(pdf_with([b"q 500 0 0 700 0 0 cm /I Do Q"], page_entries=xobject, further=[_IMAGE])) == (
        "scanned-document"
    )
    assert refusal(pdf_of([[]])) == "scanned-document"
    zeros = "00" * 32
    secret = f"/Encrypt<</Filter/Standard/V 1/R 2/O<{zeros}>/U<{zeros}>/P -4>>/ID[<00><00>]"
    assert refusal(pdf_of([["Clear."]], trailer=secret)) == "encrypted-document"
    assert refusal(pdf_of([["Clear."]], catalog="/AcroForm<</Fields[<</T(x)/V(Fracture)>>]>>")) == "unread-part"
    note = "/Annots[<</Type/Annot/Subtype/FreeText/Rect[0 0 9 9]/Contents(Fracture)>>]"
    assert refusal(pdf_of([["Clear."]], page_entries=note)) == "unread-part"
    assert refusal(b"%PDF-1.4\n%%EOF\n") == "bad-pdf"
    assert refusal(b"Clear.") == "bad-pdf"
    turned = b"BT /F1 11 Tf 0 1 -1 0 300 300 Tm (Clear lungs) Tj ET"
    assert refusal(pdf_with([turned])) == "bad-pdf"


def test_what_is_meant_to_exhaust_is_ended() -> None:
    """A stream that unpacks to hundreds of megabytes, one without end, and endless pages are refused in time."""
    begun = monotonic()
    assert (
        refusal(pdf_with([zlib.compress(bytes(400 * 2**20), 1)], stream_entries="/Filter/FlateDecode")) == "too-large"
    )
    endless = zlib.compress(b"BT /F1 11 Tf (a) Tj ET " * 2_000_000, 1)
    assert refusal(pdf_with([endless], stream_entries="/Filter/FlateDecode"), DocumentLimits(seconds=1)) == "too-large"
    assert refusal(pdf_of([["Clear."]] * 30), DocumentLimits(most_pages=20)) == "too-large"
    assert refusal(pdf_of([["Clear."] * 50]), DocumentLimits(most_characters=100)) == "too-large"
    assert monotonic() - begun < 60


@pytest.mark.parametrize(
    ("pages", "text"),
    [
        ([["Nodule 5 mm.", "End."], ["Nodule 6 mm.", "End."]], "Nodule 5 mm.\nNodule 6 mm.\nEnd."),
        ([["H", "a"], ["H", "b"], ["H", "c"]], "H\na\nb\nc"),
        ([["Dr. Roe | Page 1/2", "a"], ["Dr. Roe | Page 2/2", "b"]], "Dr. Roe | Page 1/2\na\nb"),
        ([["a", "- 1 -"], ["b", "2"]], "a\nb"),
        ([["Clear."], ["Clear."]], "Clear."),
        ([["calci-", "fied, T2-", "weighted, L4-", "L5, extra-", "axial, calci\u00ad", "fied"]], None),
    ],
)
def test_layout_is_undone_and_no_statement_with_it(pages: list[list[str]], text: str | None) -> None:
    """Lines that differ in a number are no header, and a hyphen that belongs to a word stays."""
    assert joined_pages(pages) == (text or "calcified, T2-weighted, L4-L5, extra-axial, calcified")


def test_long_words_take_no_longer_than_short_ones() -> None:
    """A word of half a million letters is no burden."""
    begun = monotonic()
    assert len(joined_pages([["a" * 500_000, "b"]])) == 500_002
    assert monotonic() - begun < 20


def test_ligatures_are_letters() -> None:
    """A font's fi is two letters."""
    table = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"1 beginbfchar <24> <FB01> endbfchar endcmap end"
    )
    fonts = "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>>>>>"
    stream = b"<</Length %d>>stream\n%s\nendstream" % (len(table), table)
    data = pdf_with([b"BT /F1 11 Tf 50 700 Td (calci$ed) Tj ET"], page_entries=fonts, further=[stream])
    assert "fi" in read(data)
    assert "\ufb01" not in read(data)
