"""The notebook of the documentation runs in a real kernel, and shows what it is stored with."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import nbclient
import nbformat
import pytest

_NOTEBOOK: Final = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


@pytest.fixture
def executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The notebook after a run, in a folder where it may write."""
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    notebook = nbformat.read(_NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    resources = {"metadata": {"path": str(tmp_path)}}
    return nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()


@pytest.mark.filterwarnings("default")
def test_the_notebook_runs_and_shows_what_is_stored(executed: Any, tmp_path: Path) -> None:
    """Every cell, with the same words, and HTML where it is stored with some; nothing on standard error."""
    stored = nbformat.read(_NOTEBOOK, as_version=4)
    nbformat.validate(executed)
    for cell, known in zip(executed.cells, stored.cells, strict=True):
        assert _shown(cell) == _shown(known), cell.source
    assert (tmp_path / "results.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    pages = [output.data["text/html"] for output in _outputs(executed) if "text/html" in output.get("data", {})]
    assert sum('class="orp"' in page for page in pages) == 3


def _outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def _shown(cell: Any) -> list[tuple[str, list[str], str]]:
    """Of each output its kind, the forms that it comes in, and its words."""
    return [
        (output.output_type, sorted(output.get("data", {})), output.get("text") or output.data["text/plain"])
        for output in cell.get("outputs", [])
    ]
