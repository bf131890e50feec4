"""Writes report pairs from the Open-i chest radiograph collection (NLMCXR_reports.tgz), which users bring themselves.

    python benchmarks/openi.py NLMCXR_reports.tgz -o pairs.jsonl --against next
    python benchmarks/openi.py NLMCXR_reports.tgz -o pairs.jsonl --against others --pairs 20000

``--against self`` pairs each report with itself, ``shuffled`` with itself in another sentence order, ``next`` with
the report that follows in the archive's order of ids, ``others`` with those that follow
until there are as many pairs as ``--pairs`` says.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from overread.adapters.lexicon.segments import split_sentences

_NAME = re.compile(r"(\d+)\.xml$")


def reports(archive: Path) -> list[tuple[str, str]]:
    """(id, text) of every report by rising id; the text is FINDINGS and IMPRESSION under their titles."""
    with tarfile.open(archive) as tar:
        found = [
            (int(match[1]), _text(stream.read()))
            for member in tar
            if (match := _NAME.search(member.name)) and (stream := tar.extractfile(member)) is not None
        ]
    return [(f"CXR{number}", text) for number, text in sorted(found)]


def _text(xml: bytes) -> str:
    sections = {
        str(node.get("Label")): (node.text or "").strip()
        for node in ET.fromstring(xml).iter("AbstractText")  # noqa: S314 - a data file the user trusts
    }
    return "\n".join(f"{name}: {sections[name]}" for name in ("FINDINGS", "IMPRESSION") if sections.get(name))


def shuffled(text: str, seed: int) -> str:
    """The report with the sentences of each section in another order, one a line."""
    lines = []
    for line in text.split("\n"):
        title, _, body = line.partition(": ")
        sentences = [span.of(body) for span in split_sentences(body)]
        random.Random(seed).shuffle(sentences)
        lines.append(f"{title}:\n" + "\n".join(sentences))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--against", choices=["self", "next", "others", "shuffled"], default="next")
    parser.add_argument("--pairs", type=int, default=20000, help="of --against others, at most")
    arguments = parser.parse_args()
    rows = reports(arguments.archive)
    with arguments.output.open("w", encoding="utf-8") as out:
        for row in others(rows, arguments.pairs) if arguments.against == "others" else paired(rows, arguments.against):
            out.write(json.dumps(row) + "\n")


def paired(rows: list[tuple[str, str]], against: str) -> Iterator[dict[str, str]]:
    """Each report once."""
    for index, (name, text) in enumerate(rows):
        other = {
            "self": text,
            "shuffled": shuffled(text, index) if text else text,
            "next": rows[(index + 1) % len(rows)][1],
        }[against]
        yield {"id": name, "reference": text, "candidate": other}


def others(rows: list[tuple[str, str]], pairs: int) -> Iterator[dict[str, str]]:
    """Distinct pairs of texts: each report against the next, then each against the one after that, and so on."""
    seen = set()
    for step in range(1, len(rows)):
        for index, (name, text) in enumerate(rows):
            other, candidate = rows[(index + step) % len(rows)]
            if text and candidate and (text, candidate) not in seen:
                seen.add((text, candidate))
                yield {"id": f"{name}-{other}", "reference": text, "candidate": candidate}
                if len(seen) == pairs:
                    return


if __name__ == "__main__":
    main()
