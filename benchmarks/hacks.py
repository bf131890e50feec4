"""What each known way to live off a reward earns, beside an honest attempt and the reference itself.

    python benchmarks/hacks.py

The least to the most that is earned with either kind of reference; `overread.studies.application.cards.tricks` has the
texts.
"""

from __future__ import annotations

from collections.abc import Mapping

from overread.studies.application.cards.tricks import ABNORMAL, HONEST, REFERENCES, tricks_for


def main() -> None:
    import overread

    give = overread.reward()
    earned: dict[str, dict[bool, list[float]]] = {}
    for name, reference in REFERENCES.items():
        reports = {"the reference": reference, "an honest attempt": HONEST[name], **tricks_for(name)}
        rewards = give(completions=list(reports.values()), reference=[reference] * len(reports))
        for report, reward in zip(reports, rewards, strict=True):
            earned.setdefault(report, {}).setdefault(name in ABNORMAL, []).append(reward or 0.0)
    print("| completion | reference with findings | normal reference |\n|---|---|---|")
    for report, found in earned.items():
        print(f"| {report} | {_range(found, key=True)} | {_range(found, key=False)} |")


def _range(found: Mapping[bool, list[float]], *, key: bool) -> str:
    if key not in found:
        return "-"
    least, most = (f"{end(found[key]):.2f}" for end in (min, max))
    return least if least == most else f"{least} to {most}"


if __name__ == "__main__":
    main()
