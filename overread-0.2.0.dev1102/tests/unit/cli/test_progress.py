"""How far a command is, and how it ends when it is interrupted."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from overread.application.asking.watching import ModelWatch
from overread.application.telling import tell
from overread.cli import progressing
from overread.cli.app import app, main
from overread.cli.grammar import Commands, if_stopped, kept_answers, kept_checkpoints
from overread.cli.progressing import TrainingClock, progress
from overread.infrastructure.engines.shards import PartialOutput
from overread.studies.cli import summary, synthesis


class _Screen(io.StringIO):
    """Standard error on a terminal of 80 columns."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[], _Screen]:
    """Puts a terminal in the place of standard error."""

    def put() -> _Screen:
        found = _Screen()
        monkeypatch.setattr("sys.stderr", found)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("TERM", "xterm")
        return found

    return put


def _frames(screen: _Screen) -> list[str]:
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    return [frame.strip() for frame in re.split(r"[\r\n]", plain) if frame.strip()]


def test_a_pipe_sees_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither on standard output nor on standard error."""
    with progress(3, of="pairs") as advance:
        advance(2)
        tell("computing", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_what_is_done_and_the_time_left(screen: Callable[[], _Screen]) -> None:
    """Counts where there is something to count, else shares; one bar at a time, which is gone in the end."""
    counted = screen()
    with progress(2000, of="pairs") as advance:
        advance(1200)
    assert "1,200/2,000 pairs" in _frames(counted)[-1]
    assert "left" in _frames(counted)[-1]
    shared = screen()
    with progress(2000, of="pairs") as advance:
        advance(2000)
        tell("computing", 250, 1000)
    assert _frames(shared)[-1].startswith("computing")
    assert "25 %" in _frames(shared)[-1]
    assert shared.getvalue().rpartition("\n")[2].endswith("\x1b[2K")


def test_answers_of_a_model_are_counted_beside(screen: Callable[[], _Screen]) -> None:
    """As they come."""
    seen, watch = screen(), ModelWatch()
    with progress(10, of="pairs", watch=watch) as advance:
        advance(4)
        assert watch.on_answer is not None
        watch.on_answer(17)
    assert "4/10 pairs, 17 answers" in _frames(seen)[-1]


def test_a_training_tells_how_long_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """From when it first told of itself; nothing where that is the first, and at the end."""
    times = iter([100.0, 160.0, 400.0])
    monkeypatch.setattr(progressing, "perf_counter", lambda: next(times))
    clock = TrainingClock()
    assert [clock.left(share) for share in (0.2, 0.4, 1.0)] == ["", "; about 3 min left", ""]


def _stop(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("module", "name", "arguments"),
    [
        (synthesis, "_with_progress", ("synthesise", "-o", "out.jsonl", "--studies", "1")),
        (summary, "_summarise_pairs", ("summary", "pairs.csv", "--set", "log_level=error")),
    ],
)
def test_an_interrupted_command_ends_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: Any, name: str, arguments: tuple[str, ...]
) -> None:
    """With the status that shells give, and nothing half written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, name, _stop)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("id,reference,candidate\na,Edema.,Edema.\n")
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, done.stdout) == (130, "")
    assert (
        done.stderr == "overread: interrupted: nothing was written; the same command starts again from the beginning\n"
    )
    assert list(tmp_path.iterdir()) == [pairs]


def test_the_line_says_what_is_kept(tmp_path: Path) -> None:
    """Answers and checkpoints are named where there are such; the innermost to say something is heard."""
    commands = Commands()

    @commands.command()
    def work(what: str) -> None:
        kept: dict[str, Callable[[], str]] = {
            "answers": lambda: kept_answers(tmp_path / "answers.sqlite"),
            "checkpoints": lambda: kept_checkpoints(tmp_path),
        }
        with if_stopped("outer"), if_stopped(kept[what]):
            _stop()

    def said(what: str) -> str:
        return CliRunner().invoke(commands, [what]).stderr

    assert "starts again from the beginning" in said("answers")
    assert "starts again from the beginning" in said("checkpoints")
    (tmp_path / "answers.sqlite").touch()
    (tmp_path / "checkpoints" / "checkpoint-3").mkdir(parents=True)
    assert f"what was answered is kept in {tmp_path / 'answers.sqlite'}" in said("answers")
    assert f"the last checkpoint in {tmp_path} is kept" in said("checkpoints")


def test_an_interruption_before_a_command_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As while options are read."""
    monkeypatch.setattr("overread.cli.app.app", _stop)
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 130
    assert capsys.readouterr().err.count("\n") == 1


def test_a_corpus_that_is_stopped_says_so_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is kept is told by the run itself; before it began, that nothing is."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},No effusion.,Effusion.\n" for i in range(6))
    Path("pairs.csv").write_text(f"id,reference,candidate\n{rows}", encoding="utf-8")
    stops = {"at": 2}

    def commit(self: Any, record: Any) -> None:
        original(self, record)
        stops["at"] -= 1
        if not stops["at"]:
            raise KeyboardInterrupt

    original = PartialOutput.commit
    monkeypatch.setattr(PartialOutput, "commit", commit)
    command = ["corpus", "pairs.csv", "-o", "out.jsonl", "-m", "rouge", "--shard-rows", "2"]
    stopped = CliRunner().invoke(app, command)
    assert stopped.exit_code == 130
    assert stopped.stderr == (
        "overread: stopped early; 4 scored pairs are kept in out.jsonl.partial, and the same command goes on from "
        "there\n"
    )
    Path("out.jsonl.answers.sqlite").touch()
    stops["at"] = 1
    assert "kept in out.jsonl.answers.sqlite, and the same" in CliRunner().invoke(app, command).stderr
    assert CliRunner().invoke(app, command).exit_code == 0
    assert len(Path("out.jsonl").read_text(encoding="utf-8").splitlines()) == 6
    monkeypatch.setattr("overread.bootstrap.corpus.open_partial", _stop)
    stopped = CliRunner().invoke(app, [*command[:3], "other.jsonl", "-m", "rouge"])
    assert (
        stopped.stderr
        == "overread: interrupted: nothing is kept yet; the same command starts again from the beginning\n"
    )
    Path("other.jsonl.answers.sqlite").touch()
    stopped = CliRunner().invoke(app, [*command[:3], "other.jsonl", "-m", "rouge"])
    assert "kept in other.jsonl.answers.sqlite, and the same command does not ask it again" in stopped.stderr
