"""Lists the licence of each package that is installed, by its own metadata, as a table in Markdown.

python benchmarks/licences.py > licences.md
"""

from __future__ import annotations

from importlib.metadata import Distribution, distributions

_LONGEST = 60
_COPYLEFT = ("GPL", "GNU General Public")


def main() -> None:
    print("| package | version | licence |\n|---|---|---|")
    known = {str(each.metadata["Name"]).lower(): each for each in distributions()}
    for name in sorted(known):
        print(f"| {known[name].metadata['Name']} | {known[name].version} | {_licence(known[name])} |")
    copyleft = [name for name in sorted(known) if any(word in _licence(known[name]) for word in _COPYLEFT)]
    print(f"\nUnder the GPL or LGPL: {', '.join(copyleft) or 'none'}.")
    if "unidecode" in copyleft:
        print("Unidecode comes with medspaCy's QuickUMLS; nothing of overread imports or calls it.")


def _licence(package: Distribution) -> str:
    meta = package.metadata
    classified = [line.rpartition(" :: ")[2] for line in meta.get_all("Classifier") or () if line.startswith("License")]
    stated = str(meta.get("License-Expression") or "; ".join(classified) or meta.get("License") or "not stated")
    return stated.splitlines()[0][:_LONGEST].replace("|", "/")


if __name__ == "__main__":
    main()
