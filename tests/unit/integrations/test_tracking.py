"""A corpus as trackers are told of it."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import overread
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.scored import read_scores
from overread.integrations import tracking
from overread.integrations.tracking import TrackedCorpus, describe_corpus

from .corpora import PRIVATE, ROWS, scored_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return scored_corpus(tmp_path_factory.mktemp("corpus"))


def test_figures_are_those_of_the_summary(corpus: tuple[Path, Path]) -> None:
    """Means with their support and intervals by study, the figures of a corpus, and why pairs are unscored."""
    results, pairs = corpus
    with describe_corpus(results, pairs=pairs, draws=200) as described:
        figures = dict(described.figures)
    scores = read_scores(results)["rouge"].scores
    assert figures["rouge/mean"] == pytest.approx(np.nanmean(scores))
    assert (figures["rouge/scored"], figures["rouge/unscored"], figures["rouge/unscored/empty"]) == (7, 1, 1)
    assert figures["rouge/mean_low"] < figures["rouge/mean"] < figures["rouge/mean_high"]
    assert figures["bleu/corpus_bleu_low"] <= figures["bleu/corpus_bleu"] <= figures["bleu/corpus_bleu_high"]


def test_without_statistics_there_are_means_and_counts(
    corpus: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has not the extra still has the numbers that need none, and no page of the others."""
    monkeypatch.setattr(tracking, "find_missing", list)
    with describe_corpus(corpus[0], metrics="rouge") as described:
        assert set(described.figures) == {"rouge/mean", "rouge/scored", "rouge/unscored", "rouge/unscored/empty"}
        assert [path.name for path in described.files] == ["drafts.jsonl", "drafts.jsonl.complete.json", "pairs.csv"]


def test_no_report_text_is_logged_unless_it_is_asked_for(corpus: tuple[Path, Path]) -> None:
    """Neither in figures and tables nor in a file; asked for, it is in the table and on a page, and nowhere else."""
    results, pairs = corpus
    with describe_corpus(results, pairs=pairs, draws=20) as described:
        assert PRIVATE not in _everything(described)
        assert described.columns == ("id", "rouge", "rouge unscored", "bleu", "bleu unscored")
    with describe_corpus(results, pairs=pairs, draws=20, report_text=True) as described:
        quoting = {path.name for path in described.files if PRIVATE in path.read_text(encoding="utf-8")}
        assert quoting == {"pairs.csv", "pairs.html"}
        assert described.rows[0][-2:] == (ROWS[0]["reference"], ROWS[0]["candidate"])
        assert PRIVATE not in repr(described)


def test_what_tells_of_single_pairs_can_be_left_out(corpus: tuple[Path, Path]) -> None:
    """Results are health data without text, too; the figures alone are not of anybody."""
    with describe_corpus(corpus[0], per_pair=False, draws=20) as described:
        assert [path.name for path in described.files] == ["summary.html"]
        assert (described.columns, described.rows) == ((), ())
        assert all(row["id"] not in _everything(described) for row in ROWS)
    with (
        pytest.raises(ConfigurationError, match="part of what tells of single pairs"),
        describe_corpus(corpus[0], per_pair=False, report_text=True),
    ):
        pass


def test_the_table_has_a_row_for_each_pair_up_to_a_number(corpus: tuple[Path, Path]) -> None:
    """With the score of each metric, or why there is none."""
    with describe_corpus(corpus[0], most_rows=8, draws=20) as described:
        [table] = [path for path in described.files if path.name == "pairs.csv"]
        rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
        assert (rows[-1]["id"], rows[-1]["rouge"], rows[-1]["rouge unscored"]) == ("case-7", "", "empty")
        assert float(rows[0]["rouge"]) == described.rows[0][1]
    with describe_corpus(corpus[0], most_rows=3, draws=20) as described:
        assert [row[0] for row in described.rows] == ["case-0", "case-1", "case-2"]


def test_results_in_memory_are_logged_like_a_file(corpus: tuple[Path, Path]) -> None:
    """With the same figures and facts; their reports are known without a file of pairs."""
    held = overread.score_many(ROWS, metrics=["rouge", "bleu"])
    with describe_corpus(corpus[0], draws=50) as described:
        figures, facts, signatures = described.figures, described.facts, described.signatures
    with describe_corpus(held, draws=50, report_text=True) as described:
        assert (described.figures, described.facts, described.signatures) == (figures, facts, signatures)
        assert read_scores(described.files[1]).keys() == {"rouge", "bleu"}
        assert described.rows[0][-2] == ROWS[0]["reference"]
    assert facts.keys() == {"pairs", "overread", "python", "platform"}
    assert facts["pairs"] == "8"
    assert signatures["rouge"].startswith("rouge|")


def test_what_cannot_be_logged_is_told(corpus: tuple[Path, Path]) -> None:
    """Before anything is logged."""
    with pytest.raises(ConfigurationError, match="rogue: not in"), describe_corpus(corpus[0], metrics=["rogue"]):
        pass
    with pytest.raises(InputError, match="have no reports"), describe_corpus(corpus[0], report_text=True, draws=20):
        pass
    with pytest.raises(InputError, match="is dict, not results"), describe_corpus({}):
        pass


def _everything(described: TrackedCorpus) -> str:
    files = [path.read_text(encoding="utf-8") for path in described.files]
    return "\n".join([repr(described), repr(described.rows), *files])
