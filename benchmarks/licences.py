"""Lists the licence of each package that is installed, by its own metadata, as a table in Markdown.

python benchmarks/licences.py > licences.md
"""

from __future__ import annotations

from importlib.metadata import distributions

from overread.studies.infrastructure.licences import stated_licence

_COPYLEFT = ("GPL", "GNU General Public")


def main() -> None:
    print("| package | version | licence |\n|---|---|---|")
    known = {str(each.metadata["Name"]).lower(): each for each in distributions()}
    for name in sorted(known):
        licence = stated_licence(known[name]).replace("|", "/")
        print(f"| {known[name].metadata['Name']} | {known[name].version} | {licence} |")
    copyleft = [name for name in sorted(known) if any(word in stated_licence(known[name]) for word in _COPYLEFT)]
    print(f"\nUnder the GPL or LGPL: {', '.join(copyleft) or 'none'}.")
    if "unidecode" in copyleft:
        print("Unidecode comes with medspaCy's QuickUMLS; nothing of overread imports or calls it.")


if __name__ == "__main__":
    main()
