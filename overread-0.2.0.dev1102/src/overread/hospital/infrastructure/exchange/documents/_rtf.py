"""The words of a document in Rich Text Format, as a word processor shows them.

Read by ourselves: libraries show what is hidden, struck out or deleted as if it were said, and lose signs of the font
Symbol. See docs/decisions/0055-documents-as-text.md.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from attrs import define, evolve, field, frozen

from overread.hospital.infrastructure.exchange.documents._symbols import symbol_of
from overread.hospital.infrastructure.exchange.documents._tidying import tidy_lines
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["is_rtf", "rtf_text", "rtf_text_of_bytes"]

_OPENING: Final = re.compile(r"\s*\{\s*\\\s*rtf")
_TOKEN: Final = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,9})? ?|\\'(?P<byte>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])"
    r"|(?P<brace>[{}])|(?P<break>[\r\n\0]+)|(?P<text>[^\\{}\r\n\0]+)",
    re.DOTALL,
)
_BINARY: Final = re.compile(rb"(?<!\\)((?:\\\\)*)\\bin(\d{1,9}) ?")
_HIGH: Final = re.compile(rb"[\x80-\xff]")
_LAST_BYTE: Final = 0xFF
_DEEPEST: Final = 1000
_MOST_TOKENS: Final = 400_000
"""Words, signs and pieces of text, which bound the time that a document takes; a long report has some ten thousand."""

_BREAKS: Final = {
    **dict.fromkeys(("par", "line", "row", "nestrow", "lbr", "softline"), "\n"),
    **dict.fromkeys(("sect", "page", "column", "softpage", "softcol"), "\n\n"),
    **dict.fromkeys(("tab", "cell", "nestcell"), "\t"),
}
_CHARACTERS: Final = {
    "emdash": "—",
    "endash": "–",
    "bullet": "•",
    "lquote": "‘",  # noqa: RUF001 - as it is named
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    **dict.fromkeys(("emspace", "enspace", "qmspace"), " "),
}
_SIGNS: Final = {"~": " ", "-": "", "_": "-", "\\": "\\", "{": "{", "}": "}", "\n": "\n", "\r": "\n", "|": "", ":": ""}
_OUT_OF_SIGHT: Final = {"v": "hidden", "webhidden": "hidden", "strike": "struck", "striked": "struck"} | {
    "deleted": "deleted",
    "mvf": "deleted",
}
"""Words after which text is not shown, is struck out, or was deleted or moved away in a change that is tracked."""

_LISTED: Final = """
    aftncn aftnsep aftnsepc annotation atnauthor atndate atnicn atnid atnref atntime atrfend atrfstart author
    background bkmkend bkmkstart blipuid buptim category colorschememapping colortbl comment company creatim datafield
    datastore defchp defpap doccomm docvar ebcend ebcstart factoidname falt fchars ffdeftext ffentrymcr ffexitmcr
    ffformat ffhelptext ffl ffname ffstattext file filetbl fldtype fontemb fontfile footer footerf footerl footerr
    formfield ftncn ftnsep ftnsepc generator gridtbl header headerf headerl headerr hlinkbase hlloc hlsrc info keycode
    keywords latentstyles lchars levelnumbers leveltext lfolevel list listlevel listname listoverride
    listoverridetable listpicture liststylename listtable lsdlockedexcept mailmerge manager mvfmf mvtof
    nesttableprops nextfile nonesttables objalias objclass objdata objname objsect objtime oldcprops oldpprops
    oldsprops oldtprops oleclsid operator panose password passwordhash pgp pgptbl picprop pict pn pnseclvl pntxta
    pntxtb printim private propname protend protstart protusertbl pxe revtbl revtim rsidtbl rxe sn sp stylesheet
    subject sv svb tc template themedata title txe ud userprops wgrffmtfilter windowcaption writereservation xe xform
"""
_ASIDE: Final = frozenset(_LISTED.split())
"""Groups whose words are no part of the text (RTF 1.9.1, destinations), page headers and comments among them."""

_ELSEWHERE: Final = frozenset({"shptxt", "dptxbxtext", "footnote"})
"""Groups whose words stand beside the text: boxes and footnotes."""

_LISTS: Final = frozenset({"listtext", "pntext"})
_FONTS, _FIELD, _STARRED = "fonttbl", "fldinst", "*"
_LISTED_CHARSETS: Final = """
    0:cp1252 77:mac_roman 128:cp932 129:cp949 130:johab 134:gbk 136:cp950 161:cp1253 162:cp1254 163:cp1258 177:cp1255
    178:cp1256 186:cp1257 204:cp1251 222:cp874 238:cp1250 254:cp437 255:cp850
"""
_ENCODINGS: Final = {
    int(number): name for number, _, name in (pair.partition(":") for pair in _LISTED_CHARSETS.split())
}
"""Python's names of Windows' character sets (LOGFONT), by number."""

_SYMBOLS: Final = 2
"""Number of the character set of fonts of signs."""

_PAGES: Final = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850", "ansi": "cp1252"}
_UTF8_PAGE: Final = 65001
_SYMBOL_FIELD: Final = re.compile(r'\s*SYMBOL\s+(0x[0-9a-fA-F]{1,4}|\d{1,5})\b(?:.*\\f\s+"?([^"\\]*))?', re.DOTALL)
_FORM: Final = re.compile(r"\s*FORM(?:CHECKBOX|DROPDOWN)\b")
_OWN_AREA: Final = range(0xF000, 0xF100)
"""Where Windows puts the codes of fonts of signs."""


@frozen
class _State:
    """Properties of the text in a group, which end with it."""

    destination: str = ""
    unseen: frozenset[str] = frozenset()
    font: int | None = None
    skipped: int = 1
    is_list: bool = False


@define
class _Font:
    charset: int | None = None
    page: str = ""
    name: str = ""


@define(repr=False)
class _Reader:
    """Reads one document token by token, in one pass."""

    most: int
    state: _State = field(factory=_State)
    groups: list[_State] = field(factory=list)
    fonts: dict[int, _Font] = field(factory=dict)
    pieces: list[str] = field(factory=list)
    field_code: list[str] = field(factory=list)
    page: str = "cp1252"
    default_font: int | None = None
    left: int = 0
    """Characters to leave out: they stand in for one that older programs do not know."""
    pending: bytearray = field(factory=bytearray)
    length: int = 0
    is_starred: bool = False

    def read(self, source: str) -> str:
        at = 0
        for count, token in enumerate(_TOKEN.finditer(source)):
            if count > _MOST_TOKENS:
                raise RefusedMessageError("too-large", f"RTF may have at most {_MOST_TOKENS:,} words; send plain text")
            if token.start() != at:
                break
            at = token.end()
            self._take(token)
            if not self.groups and token["brace"] == "}":
                break
        if self.groups:
            raise _bad("it does not come to an end: a part of it is missing")
        if source[at:].strip("\0 \t\r\n"):
            raise _bad("something stands before or after it; send one document alone")
        return tidy_lines(_paired("".join(self.pieces)))

    def _take(self, token: re.Match[str]) -> None:
        if self.pending and not (token["byte"] or token["break"] or self._completes(token)):
            self._flush()
        if token["brace"]:
            self._group(token["brace"])
        elif token["word"]:
            was_starred, self.is_starred = self.is_starred, False
            self._word(token["word"], token["number"], is_starred=was_starred)
        elif token["byte"]:
            self._byte(int(token["byte"], 16))
        elif token["sign"]:
            self._sign(token["sign"])
        elif token["text"]:
            self._text(token["text"])

    def _group(self, brace: str) -> None:
        self.left = 0
        if brace == "{":
            if len(self.groups) >= _DEEPEST:
                raise _bad(f"its groups are nested more than {_DEEPEST} deep")
            self.groups.append(self.state)
            return
        if not self.groups:
            raise _bad("a group ends that has not begun")
        ended, self.state = self.state.destination, self.groups.pop()
        if ended == _FIELD and self.state.destination != _FIELD:
            self._field("".join(self.field_code))
            self.field_code.clear()

    def _word(self, word: str, number: str | None, *, is_starred: bool) -> None:
        self.left = 0
        if word == "u":
            self._character(int(number or 0))
            self.left = self.state.skipped
        elif word in _BREAKS:
            self._write(_BREAKS[word])
        elif word in _CHARACTERS:
            self._write(_CHARACTERS[word])
        elif word in _OUT_OF_SIGHT:
            self._hide(_OUT_OF_SIGHT[word], is_on=number != "0")
        elif word in _ASIDE or word in _ELSEWHERE or word in (_FONTS, _FIELD):
            self._enter(word)
        elif is_starred:
            self._enter(_STARRED)
        elif word in _LISTS:
            self.state = evolve(self.state, is_list=True)
        else:
            self._property(word, number)

    def _property(self, word: str, number: str | None) -> None:
        value = int(number or 0)
        if word == "plain":
            self.state = evolve(self.state, unseen=frozenset(), font=self.default_font)
        elif word == "uc":
            self.state = evolve(self.state, skipped=max(value, 0))
        elif word == "f":
            self.state = evolve(self.state, font=value)
        elif word == "deff":
            self.default_font = value
            self.state = evolve(self.state, font=value)
        elif word == "ansicpg":
            self.page = _page(value)
        elif word in _PAGES:
            self.page = _PAGES[word]
        elif word == "bin":
            raise _bad("it contains binary data at an unexpected place")
        elif self.state.destination == _FONTS and word in ("fcharset", "cpg"):
            font = self._font()
            if word == "cpg":
                font.page = _page(value)
            else:
                font.charset = value

    def _hide(self, how: str, *, is_on: bool) -> None:
        unseen = self.state.unseen | {how} if is_on else self.state.unseen - {how}
        self.state = evolve(self.state, unseen=unseen)

    def _enter(self, destination: str) -> None:
        """Begin a destination; within one that is not read nothing is, except text that must not be lost."""
        if self.state.destination in ("", _STARRED, _FONTS) or destination in _ELSEWHERE:
            self.state = evolve(self.state, destination=destination)

    def _font(self) -> _Font:
        return self.fonts.setdefault(self.state.font or 0, _Font())

    def _sign(self, sign: str) -> None:
        self.left = 0
        if sign == "*":
            self.is_starred = True
        elif sign == "'":
            raise _bad("a character is not written as two hexadecimal digits")
        else:
            self._write(_SIGNS.get(sign, ""))

    def _text(self, text: str) -> None:
        if self.pending:
            self._byte(ord(text[0]))
            text = text[1:]
        text, self.left = text[self.left :], max(self.left - len(text), 0)
        if self.state.destination == _FONTS:
            self._font().name += text
        elif self._is_of_signs():
            for character in text:
                self._symbol(ord(character))
        else:
            self._write(text)

    def _byte(self, byte: int) -> None:
        if self.left:
            self.left -= 1
        elif self._is_read():
            if self._is_of_signs():
                self._symbol(byte)
            else:
                self.pending.append(byte)

    def _completes(self, token: re.Match[str]) -> bool:
        """Return whether a character begins with the bytes so far, and ends with the text that follows."""
        if not token["text"] or ord(token["text"][0]) > _LAST_BYTE:
            return False
        decoder = codecs.getincrementaldecoder(self._encoding())()
        try:
            decoder.decode(bytes(self.pending))
        except UnicodeDecodeError:
            return False
        return bool(decoder.getstate()[0])

    def _flush(self) -> None:
        data = bytes(self.pending)
        self.pending.clear()
        try:
            self._write(data.decode(self._encoding()))
        except UnicodeDecodeError:
            detail = "the document has characters that are not in the character set that it names"
            raise RefusedMessageError("bad-charset", detail) from None

    def _encoding(self) -> str:
        font = self.fonts.get(self.state.font if self.state.font is not None else -1, _Font())
        return font.page or (_ENCODINGS.get(font.charset, self.page) if font.charset is not None else self.page)

    def _is_of_signs(self) -> bool:
        font = self.fonts.get(self.state.font) if self.state.font is not None else None
        return font is not None and font.charset == _SYMBOLS

    def _character(self, code: int) -> None:
        code %= 0x10000
        if code in _OWN_AREA:
            self._symbol(code)
        else:
            self._write(chr(code))

    def _symbol(self, code: int) -> None:
        """Write what a font of signs shows; a list's bullets are alike in all of them."""
        if not self._is_read():
            return
        font = self.fonts.get(self.state.font if self.state.font is not None else -1, _Font())
        is_known = not font.name or font.name.strip().startswith("Symbol") or font.charset != _SYMBOLS
        character = symbol_of(code) if is_known else "" if chr(code & _LAST_BYTE).strip() else " "
        if not character and not self.state.is_list:
            raise _bad("it has a pictogram that is not a letter; write it in words, or leave it out")
        self._write("•" if self.state.is_list else character)

    def _field(self, code: str) -> None:
        """Write the sign that a field stands for; the results of other fields stand in the text."""
        if _FORM.match(code):
            raise _bad("it has a check box or a list to choose from; write in words what was chosen")
        sign = _SYMBOL_FIELD.match(code)
        if sign is not None:
            number, name = int(sign[1], 0), (sign[2] or "").strip()
            character = symbol_of(number) if name.startswith("Symbol") or not name else ""
            if not character:
                raise _bad("it has a pictogram that is not a letter; write it in words, or leave it out")
            self._write(character)

    def _is_read(self) -> bool:
        return not self.state.destination and not self.state.unseen

    def _write(self, text: str) -> None:
        if self.state.destination == _FIELD:
            self.field_code.append(text)
        elif self.state.destination in _ELSEWHERE and not self.state.unseen and text.strip():
            detail = "the document has a text box or a footnote, whose place in the report is not known; write it there"
            raise RefusedMessageError("unread-part", detail)
        elif self._is_read():
            self.length += len(text)
            if self.length > self.most:
                raise RefusedMessageError("too-large", f"a document may have at most {self.most:,} characters of text")
            self.pieces.append(text)


def is_rtf(source: str) -> bool:
    r"""Return whether a text opens as a document in RTF.

    >>> is_rtf(r"{\rtf1 Clear.}"), is_rtf("Clear.")
    (True, False)
    """
    return _OPENING.match(source) is not None


def rtf_text(source: str, *, most: int) -> str:
    r"""The text of a document: a line a paragraph, the cells of a row apart.

    What is hidden, struck out, or deleted while changes are tracked is left out, as are page headers and comments. The
    time that it takes grows with the document's length and no faster.

    Args:
        source: of the document.
        most: characters that its text may have.

    Raises:
        RefusedMessageError: if it ends early, or something in it would be lost: check boxes, pictograms, boxes beside
            the text, or characters that its code page does not have.

    >>> rtf_text(r"{\rtf1\ansi No {\strike small }nodule \u8805?\'a05 mm.\par {\v hidden}Clear.}", most=100)
    'No nodule ≥ 5 mm.\nClear.'
    """
    if not is_rtf(source):
        raise _bad("it does not begin as RTF does")
    return _Reader(most=most).read(source.strip())


def rtf_text_of_bytes(data: bytes, *, most: int) -> str:
    """The same of a document as a file has it, in which pictures may be binary. Raises as `rtf_text`."""
    bare = _HIGH.sub(lambda byte: b"\\'%02x" % byte[0][0], _without_binary(data.removeprefix(b"\xef\xbb\xbf")))
    return rtf_text(bare.decode("ascii"), most=most)


def _without_binary(data: bytes) -> bytes:
    pieces, at = [], 0
    while (match := _BINARY.search(data, at)) is not None:
        pieces.append(data[at : match.end(1)])
        at = match.end() + int(match[2])
    return b"".join([*pieces, data[at:]])


def _page(number: int) -> str:
    name = "utf-8" if number == _UTF8_PAGE else f"cp{number}" if number else "cp1252"
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise RefusedMessageError("bad-charset", "the document names a code page that is not known") from None


def _paired(text: str) -> str:
    """A text in which the halves of a character are one again."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise _bad("half of a character is missing") from None


def _bad(what: str) -> RefusedMessageError:
    return RefusedMessageError("bad-rtf", f"the document is RTF that cannot be read: {what}")
