"""PDFs written by hand: pages of lines in Helvetica, and odd ones."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["pdf_of", "pdf_with"]


def pdf_of(pages: Sequence[Sequence[str]], *, trailer: str = "", catalog: str = "", page_entries: str = "") -> bytes:
    """A PDF with pages of lines; an empty line is a gap, and a tab puts the rest of a line further to the right."""
    contents = [_content(lines) for lines in pages]
    return pdf_with(contents, trailer=trailer, catalog=catalog, page_entries=page_entries)


def _content(lines: Sequence[str]) -> bytes:
    written = []
    for row, line in enumerate(lines):
        for column, cell in enumerate(line.split("\t")):
            shown = cell.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
            if cell:
                written.append(b"BT /F1 11 Tf %d %d Td (%s) Tj ET" % (50 + 200 * column, 780 - 14 * row, shown))
    return b"\n".join(written)


def pdf_with(
    contents: Sequence[bytes],
    *,
    trailer: str = "",
    catalog: str = "",
    page_entries: str = "",
    stream_entries: str = "",
    further: Sequence[bytes] = (),
) -> bytes:
    """A PDF with pages that these content streams draw; objects from 4 + 2 * len(contents) on are the further ones."""
    numbers = [4 + 2 * place for place in range(len(contents))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        f"<</Type/Catalog/Pages 2 0 R {catalog}>>".encode(),
        f"<</Type/Pages/Kids[{kids}]/Count {len(contents)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for number, content in zip(numbers, contents, strict=True):
        page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {number + 1} 0 R {page_entries}"
        resources = "" if "/Resources" in page_entries else "/Resources<</Font<</F1 3 0 R>>>>"
        objects.append(f"{page} {resources}>>".encode())
        objects.append(f"<</Length {len(content)} {stream_entries}>>stream\n".encode() + content + b"\nendstream")
    objects += further
    data, places = bytearray(b"%PDF-1.4\n"), []
    for number, entry in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, entry)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += f"trailer<</Size {len(objects) + 1}/Root 1 0 R {trailer}>>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(data)
