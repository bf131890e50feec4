"""The words of a document in RTF."""

from __future__ import annotations

import string
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from striprtf.striprtf import rtf_to_text

from overread.hospital.infrastructure.exchange.documents.reading import text_of_document, text_of_source
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

_FONTS = (
    r"{\fonttbl{\f0\fnil Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset2 Symbol;}{\f3\fcharset2 Wingdings;}"
    r"{\f4\fcharset128 MS Gothic;}}"
)


def rtf(body: str, head: str = r"\ansi\ansicpg1252\deff0") -> str:
    """A document with this body."""
    return rf"{{\rtf1{head}{_FONTS}{body}}}"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (r"Line one\par Line two\line Line three", "Line one\nLine two\nLine three"),
        ("Clear\\\nlungs", "Clear\nlungs"),
        (r"\u8805?\u176\'b0 and {\uc0\u8804}5, {\uc2\u177\'b1\'b1}2", "≥° and ≤5, ±2"),
        (r"Na\'efve caf\'e9 \'93quoted\'94", "Naïve café “quoted”"),
        (r"\f1\'c4\'e0\plain\'e9", "Даé"),
        (r"\f4\'83\'41\'83A", "アア"),
        (r"{\f2\'b3}5 mm, {\f2\'a3}6 mm, {\f2 m}m", "≥5 mm, ≤6 mm, μm"),
        (r"\u-3917?5 mm", "≥5 mm"),
        (r'{\field{\*\fldinst SYMBOL 179 \\f "Symbol" \\s 11}{\fldrslt\f2\fs22}} 5 mm', "≥ 5 mm"),
        (r'{\field{\*\fldinst HYPERLINK "http://x.example"}{\fldrslt prior}} CT', "prior CT"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"No {\strike small }nodule. {\striked1 Old. }{\v hidden }{\deleted gone }Clear.", "No nodule. Clear."),
        (r"\strike old\strike0  new \v x\plain y", "new y"),
        (r"\trowd Liver\cell normal\cell\row Spleen\cell large\cell\row", "Liver normal\nSpleen large"),
        (r"{\header North Hospital}{\footer Page 1}{\*\annotation why?}Clear.", "Clear."),
        (r"{\pict\wmetafile8 0100090000}{\*\shppict{\pict 89504e47}}{\*\unknown lost}Clear.", "Clear."),
        (r"{\listtext\f3\'a7\tab}Nodule\par{\pntext\f2\'b7\tab}Effusion", "• Nodule\n• Effusion"),
        (r"pneumo\-thorax, left\_sided, 5\~mm, \{a\\b\}", "pneumothorax, left-sided, 5 mm, {a\\b}"),
        ("cle\nar\r\n lungs", "clear lungs"),
    ],
)
def test_the_words_that_a_word_processor_shows_are_read(body: str, words: str) -> None:
    """Escapes, code pages and signs become letters; what is hidden, struck out or beside the text is left out."""
    assert text_of_source(rtf(body)) == words


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (r"{\rtf1 Clear.", "bad-rtf"),
        (r"{\rtf1 Clear.} {\rtf1 Another.}", "bad-rtf"),
        (r"{\rtf1 Clear.\'zz}", "bad-rtf"),
        ("{\\rtf1 Clear.\\", "bad-rtf"),
        (r"{\rtf1 \u-10179? alone}", "bad-rtf"),
        (rtf(r"{\f3\'fc} fracture"), "bad-rtf"),
        (rtf(r"{\field{\*\fldinst FORMCHECKBOX }{\fldrslt}} fracture"), "bad-rtf"),
        (rtf(r"{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt Addendum: nodule.}}Clear."), "unread-part"),
        (rtf(r"Clear.{\footnote Except the left.}"), "unread-part"),
        (rtf(r"\'81", r"\ansi\ansicpg1252"), "bad-charset"),
        (rtf("Clear.", r"\ansi\ansicpg7777"), "bad-charset"),
        (r"{\rtf1" + "{" * 10**5 + "}" * 10**5 + "}", "bad-rtf"),
        (r"{\rtf1 " + r"\b x" * 300_000 + "}", "too-large"),
        (r"{\rtf1 " + "x" * 600_000 + "}", "too-large"),
    ],
)
def test_what_would_be_lost_is_refused(source: str, code: str) -> None:
    """A document that ends early, hides a part, or is meant to exhaust is refused, and nothing of it is told."""
    with pytest.raises(RefusedMessageError) as refused:
        text_of_source(source, location="OBX-5")
    assert (refused.value.code, refused.value.location) == (code, "OBX-5")
    assert "nodule" not in str(refused.value)


def test_pictures_in_binary_and_bytes_of_the_code_page_are_read_in_files() -> None:
    """Binary pictures are skipped by their length, whatever bytes they hold; letters may be bytes of the code page."""
    data = rb"{\rtf1\ansi\ansicpg1252 Caf" + b"\xe9" + rb" \\bin5 {\pict\bin6 }{}\x{}clear.}"
    assert text_of_document(data, "application/rtf") == r"Café \bin5 clear."


def test_documents_of_word_processors_are_read() -> None:
    """With the tables that Word and LibreOffice write before the text, within which fonts have further names."""
    word = r"""{\rtf1\adeflang1025\ansi\ansicpg1252\uc1\adeff0\deff0\stshfdbch0{\fonttbl
{\f0\fbidi \froman\fcharset0\fprq2{\*\panose 02020603050405020304}Times New Roman;}
{\f3\fbidi \froman\fcharset2\fprq2{\*\panose 05050102010706020507}Symbol;}
{\f39\fbidi \froman\fcharset238\fprq2 Times New Roman CE;}}{\colortbl;\red0\green0\blue0;}
{\*\defchp \f31506 }{\stylesheet{\ql \li0\ri0 \snext0 Normal;}{\*\cs10 \additive Default Paragraph Font;}}
{\*\listtable{\list{\listlevel\levelnfc23{\leveltext\'01\u-3913 ?;}{\levelnumbers;}\f3}}}{\info{\title Invented}}
\paperw11906\pard\plain \ltrpar\ql {\rtlch\fcs1 \af0 \ltrch\fcs0 \b FINDINGS:\par }
{\listtext\pard\plain\ltrpar \f3 \loch\af3\dbch\af0\hich\f3 \'b7\tab}\pard\plain {\f0 No nodule {\f3 \'b3} 5 mm.\par}
{\*\bkmkstart x}{\*\bkmkend x}{\shp{\*\shpinst\shpleft0{\sp{\sn shapeType}{\sv 20}}}}Normal\rquote s chest.\par }"""
    assert text_of_source(word) == "FINDINGS:\n• No nodule ≥ 5 mm.\nNormal’s chest."
    libre = r"""{\rtf1\ansi\deff4\adeflang1025
{\fonttbl{\f0\froman\fprq2\fcharset0 Times New Roman;}{\f1\froman\fprq2\fcharset2 Symbol;}}
{\*\generator LibreOffice/7}{\info{\creatim\yr2026}}\deftab709
\pgndec\pard\plain \s0\hich\af6\langfe2052\loch\f4\fs24{\rtlch \ltrch\loch
Caf\u233\'e9 \u8805\'3f 5 mm}
\par \pard\plain {\loch Second}
\par }"""
    assert text_of_source(libre) == "Café ≥ 5 mm\nSecond"


@given(st.lists(st.text(string.ascii_letters + string.digits + " .,<>°≥é", min_size=1, max_size=40), min_size=1))
def test_plain_paragraphs_are_read_as_another_reader_reads_them(paragraphs: list[str]) -> None:
    """An independent reader, which knows less of RTF, agrees on what both know."""
    body = r"\par ".join("".join(c if c.isascii() else f"\\u{ord(c)}?" for c in line) for line in paragraphs)
    source = rf"{{\rtf1\ansi\ansicpg1252 {body}}}"
    assert text_of_source(source).split() == rtf_to_text(source).split()  # type: ignore[no-untyped-call]


@given(st.text("\\{}'*u8f2 \nparbinstkefldv-", max_size=60))
def test_whatever_stands_in_a_document_is_read_or_refused(body: str) -> None:
    """No input makes the reader fail in another way."""
    with suppress(RefusedMessageError):
        text_of_source(r"{\rtf1 " + body + "}")
