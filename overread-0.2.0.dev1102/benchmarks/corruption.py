"""How often a report with one injected error gets a higher risk than the same report against itself.

    python benchmarks/corruption.py pairs.jsonl --readout paper

Takes the distinct references of a JSONL file and injects one error into each by a plain edit of its text: a swapped
side, a dropped or added negation, an added finding, a removed sentence, a changed degree. It knows nothing of the
reader, so that the two cannot agree by design.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

_FALSE_FINDINGS = (
    "There is a small right pneumothorax.",
    "Moderate left pleural effusion.",
    "Consolidation in the left lower lobe.",
    "The heart is severely enlarged.",
    "A 2 cm nodule projects over the right upper lobe.",
    "New interstitial pulmonary edema.",
)
_SWAPS = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
_DEGREES = {"mild": "severe", "small": "large", "severe": "mild", "large": "small", "minimal": "marked"}
_SENTENCES = re.compile(r"(?<=[a-z][.])\s+")

Edit = Callable[[str, random.Random], str]


def swap_side(text: str, _: random.Random) -> str:
    return re.sub(r"\b([Ll]eft|[Rr]ight)\b", lambda match: _SWAPS[match[1]], text, count=1)


def drop_negation(text: str, _: random.Random) -> str:
    return re.sub(r"\b([Nn]o evidence of|[Nn]o|[Ww]ithout)\s+", "", text, count=1)


def add_finding(text: str, rng: random.Random) -> str:
    sentences = _SENTENCES.split(text)
    sentences.insert(rng.randrange(1, len(sentences) + 1), rng.choice(_FALSE_FINDINGS))
    return " ".join(sentences)


def drop_sentence(text: str, rng: random.Random) -> str:
    sentences = _SENTENCES.split(text)
    if len(sentences) < 2:
        return text
    del sentences[rng.randrange(len(sentences))]
    return " ".join(sentences)


def change_degree(text: str, _: random.Random) -> str:
    return re.sub(rf"\b({'|'.join(_DEGREES)})\b", lambda match: _DEGREES[match[1]], text, count=1)


EDITS: dict[str, Edit] = {
    "swapped side": swap_side,
    "dropped negation": drop_negation,
    "added finding": add_finding,
    "removed sentence": drop_sentence,
    "changed degree": change_degree,
}


def corrupt(text: str, rng: random.Random) -> tuple[str, str] | None:
    """An edit that changes the text, and its name; None where none applies."""
    names = list(EDITS)
    rng.shuffle(names)
    for name in names:
        edited = EDITS[name](text, rng)
        if edited != text:
            return edited, name
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--readout", default="paper")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    from overread.bootstrap.interface import open_service
    from overread.domain.reports.report import ReportPair
    from overread.infrastructure.settings import Settings

    rng = random.Random(arguments.seed)
    lines = arguments.pairs.read_text(encoding="utf-8").splitlines()
    texts = [text for text in dict.fromkeys(json.loads(line)["reference"] for line in lines) if text.strip()]
    made = [(text, edit) for text in texts if (edit := corrupt(text, rng))]
    service = open_service(Settings(choices={"readout": arguments.readout}), metrics=["radot"])
    clean = service.evaluate(ReportPair(id=str(i), reference=t, candidate=t) for i, (t, _) in enumerate(made))
    wrong = service.evaluate(ReportPair(id=str(i), reference=t, candidate=e[0]) for i, (t, e) in enumerate(made))
    wins: Counter[str] = Counter()
    tries: Counter[str] = Counter()
    for (_, (_, name)), a, b in zip(made, clean, wrong, strict=True):
        tries[name] += 1
        wins[name] += b["radot"].score > a["radot"].score
    share = sum(wins.values()) / sum(tries.values())
    print(f"readout {arguments.readout}: {share:.3f} of {sum(tries.values())} pairings")
    for name in EDITS:
        print(f"  {name:<18} {wins[name] / max(1, tries[name]):.3f} of {tries[name]}")


if __name__ == "__main__":
    main()
