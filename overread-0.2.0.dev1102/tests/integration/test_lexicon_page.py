"""The page of all findings, which is made when the documents are built."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from typer.testing import CliRunner

from overread.adapters.lexicon import load_knowledge
from overread.cli.app import app

_DOCS: Final = Path(__file__).parents[2] / "docs"


def _page(folder: Path) -> list[str]:
    target = folder / "lexicon-findings.md"
    outcome = CliRunner().invoke(app, ["lexicon", "page", "-o", str(target)])
    assert outcome.exit_code == 0, outcome.output
    return target.read_text(encoding="utf-8").splitlines()


def test_the_page_has_a_row_for_each_entry_of_the_lexicon(tmp_path: Path) -> None:
    """Each finding and normal statement stands in it once, by its id."""
    lexicon = load_knowledge().lexicon
    rows = [line.split(" | ") for line in _page(tmp_path)]
    ids = [cells[1].strip("`") for cells in rows if len(cells) > 1 and cells[1].startswith("`")]
    assert sorted(ids) == sorted([*lexicon.findings, *lexicon.normals])


def test_the_page_counts_the_entries_of_each_category(tmp_path: Path) -> None:
    """The rows of the table of sizes add up to the last one, which counts the whole lexicon."""
    lexicon = load_knowledge().lexicon
    lines = _page(tmp_path)
    first = lines.index("| category | entries | of these urgent or actionable | terms |") + 2
    rows = [line.strip("| ").split(" | ") for line in lines[first : lines.index("", first)]]
    *categories, _, _ = (row[0] for row in rows)
    assert categories == sorted({finding.category for finding in lexicon.findings.values()})
    for column in (1, 3):
        assert sum(int(row[column]) for row in rows[:-1]) == int(rows[-1][column])
    assert int(rows[-1][1]) == len(lexicon.findings) + len(lexicon.normals)


def test_the_page_is_not_kept_with_the_documents() -> None:
    """An added finding changes no document."""
    assert not (_DOCS / "lexicon-findings.md").exists()
