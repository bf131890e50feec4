"""`overread corpus` and `overread rescore` with a language model: what is sent, kept, counted and read again."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing
from importlib import metadata
from io import StringIO
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar, Final

import pytest
from attrs import define, frozen
from typer.testing import CliRunner, Result

from overread.application.asking.inquiry import Inquiry, Question, UnreadableAnswerError
from overread.application.ports import Message, Request
from overread.application.traits import ModelTraits
from overread.bootstrap.corpus import _check_asks_none
from overread.bootstrap.services import build_service, open_component, open_run
from overread.cli.app import app
from overread.cli.progressing import progress
from overread.cli.support import watch_model
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.answer import Completion
from overread.domain.results.result import AnswerEvidence, Outcome, Scale, Scored, Unscored
from overread.exceptions import ConfigurationError
from overread.infrastructure.settings import Settings
from overread.infrastructure.store.answers import KeptModel
from overread.plugins import hookimpl
from overread.plugins.specs import ComponentSpec, MetricSpec
from overread.testing import FakeLanguageModel, FakeMetric

SCALE: Final = Scale(0.0, 100.0, higher_is_better=False)
PAIRS: Final = [{"id": f"p{n}", "reference": f"{n} nodules.", "candidate": f"Nodules: {n}."} for n in range(40)]


@frozen(eq=False)
class Counting:
    """Asks how many nodules the reference has."""

    inquiry: Inquiry
    reader: Callable[[str], int]
    prompt: str = "count@1:0"

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        return (("model", self.inquiry.model.identity), ("reader", self.reader.__name__))

    def questions(self, pairs: Sequence[ReportPair]) -> list[Question[int]]:
        said = [(Message("user", pair.reference.text),) for pair in pairs]
        requests = [Request(messages, {"title": self.prompt}, max_tokens=4) for messages in said]
        return [Question(self.prompt, request, self.reader) for request in requests]

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        return [
            reply.value
            if isinstance(reply.value, Unscored)
            else Scored(score=reply.value, evidence=AnswerEvidence(answers=reply.answers))
            for reply in self.inquiry.ask(self.questions(pairs))
        ]


def strict(text: str) -> int:
    if not text.isdigit():
        raise UnreadableAnswerError("unreadable answer", "no number")
    return int(text)


def lenient(text: str) -> int:
    return int("".join(filter(str.isdigit, text)))


def first_word(request: Request) -> str:
    number = request.messages[-1].text.split()[0]
    return number if int(number) % 2 == 0 else f"about {number}"


@frozen(eq=False)
class Asking:
    """An extractor that asks about each report."""

    inquiry: Inquiry
    identity: str = "asking"

    def questions(self, reports: Sequence[Report]) -> list[Question[int]]:
        return [Question("read@1:0", Request((Message("user", report.text),)), strict) for report in reports]


@define(eq=False)
class Scene:
    """The installed fakes: the model, how its answers are read, and the command line."""

    model: Any
    folder: Path
    reader: Callable[[str], int] = strict
    prompt: str = "count@1:0"

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, list(arguments))

    def corpus(self, *arguments: str) -> Result:
        command = arguments if arguments[0] == "rescore" else ("corpus", *arguments)
        return self.run(command[0], "pairs.jsonl", "-m", "counting", *command[1:])

    def results(self, name: str = "out.jsonl") -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def files(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()} - {"pairs.jsonl"}


@frozen(eq=False)
class Priced(FakeLanguageModel):
    """A model behind a server that has a name and a price."""

    traits: ClassVar[ModelTraits] = ModelTraits(destination="llm.example.org:443", price_in=10.0, price_out=100.0)


def spec(name: str, factory: Callable[..., Any], kind: type[Any] = ComponentSpec, **more: Any) -> Any:
    return kind(name=name, version="1.0", summary=name, factory=factory, **more)


CHOSEN: Final = ("--set", "model=fake")


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Scene:
    """An empty folder with 40 pairs, and overread with a metric that asks a model and one that does not."""
    installed, made = ModuleType("overread_asking"), Scene(FakeLanguageModel(first_word), tmp_path)

    def counting(_options: object, components: Any) -> Counting:
        inquiry = Inquiry(components.get("model"), components.get("answers"), repairs=0)
        return Counting(inquiry, made.reader, made.prompt)

    def reading(_options: object, components: Any) -> FakeMetric:
        components.get("model")
        return FakeMetric()

    def asking(_options: object, components: Any) -> Asking:
        return Asking(Inquiry(components.get("model")))

    offered = {
        "overread_extractors": [spec("asking", asking)],
        "overread_models": [spec("fake", lambda _options, _components: made.model)],
        "overread_metrics": [
            spec("counting", counting, MetricSpec, scale=SCALE),
            spec("plain", lambda _options, _components: FakeMetric(), MetricSpec, scale=FakeMetric.scale),
            spec("reading", reading, MetricSpec, scale=FakeMetric.scale),
        ],
    }
    for hook, specs in offered.items():
        setattr(installed, hook, hookimpl(lambda specs=specs: specs))
    monkeypatch.setitem(sys.modules, installed.__name__, installed)
    point = metadata.EntryPoint(name="asking", value=installed.__name__, group="overread")
    real = metadata.entry_points

    def entry_points(**chosen: str) -> Any:
        return [point] if chosen.get("group") == "overread" else real(**chosen)

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    return made


def test_answers_are_kept_beside_the_output_and_not_asked_again(scene: Scene) -> None:
    """The second run asks nothing and writes the same bytes."""
    first = scene.corpus("-o", "out.jsonl", *CHOSEN)
    assert first.exit_code == 0
    assert "answers: 40 asked now, 0 kept before; 80 prompt and 60 answer tokens -> out.jsonl.answers" in first.stderr
    assert scene.files() == {"out.jsonl", "out.jsonl.complete.json", "out.jsonl.answers.sqlite"}
    written = (scene.folder / "out.jsonl").read_bytes()
    second = scene.corpus("-o", "out.jsonl", *CHOSEN)
    assert "answers: 0 asked now, 40 kept before -> out.jsonl.answers.sqlite" in second.stderr
    assert (scene.folder / "out.jsonl").read_bytes() == written
    assert len(scene.model.asked) == 40


def test_results_tell_their_answers_scored_or_not(scene: Scene) -> None:
    """In the order of the pairs, without the answers' words."""
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    results = scene.results()
    assert [result["id"] for result in results] == [pair["id"] for pair in PAIRS]
    assert [result["score"] for result in results[:4]] == [0.0, None, 2.0, None]
    assert [result["reason"] for result in results[:2]] == [None, "unreadable answer"]
    assert [result["answers"][0]["outcome"] for result in results[:2]] == ["read", "unreadable answer"]
    assert all(result["answers"][0]["prompt"] == "count@1:0" for result in results)
    assert "about" not in (scene.folder / "out.jsonl").read_text(encoding="utf-8")


def test_answers_are_kept_in_the_file_that_is_named(scene: Scene) -> None:
    """Without the option answers are kept beside the output."""
    scene.corpus("-o", "out.jsonl", "--answers", "mine.sqlite", *CHOSEN)
    assert scene.files() == {"out.jsonl", "out.jsonl.complete.json", "mine.sqlite"}


def test_standard_output_keeps_nothing_unless_a_file_is_named(scene: Scene) -> None:
    """Its lines are results alone."""
    done = scene.corpus("-o", "-", *CHOSEN)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [pair["id"] for pair in PAIRS]
    assert "answers: 40 asked now, 0 kept before; 80 prompt and 60 answer tokens\n" in done.stderr
    assert scene.files() == set()
    scene.corpus("-o", "-", "--answers", "mine.sqlite", *CHOSEN)
    assert scene.files() == {"mine.sqlite"}


def test_a_run_that_asks_no_model_has_no_answers(scene: Scene) -> None:
    """Also where one is chosen."""
    done = scene.run("corpus", "pairs.jsonl", "-o", "out.jsonl", "-m", "plain", *CHOSEN)
    assert done.exit_code == 0
    assert "answers" not in done.stderr
    assert scene.files() == {"out.jsonl", "out.jsonl.complete.json"}


def test_a_stopped_run_goes_on_where_it_was(scene: Scene) -> None:
    """What was answered before it stopped is kept, down to the batch in which it stopped."""

    def stopping(request: Request) -> str:
        if request.messages[-1].text == PAIRS[35]["reference"]:
            stop: Future[str] = Future()
            stop.set_exception(KeyboardInterrupt())
            return (
                stop.result()
            )  # raised by Python itself, as Ctrl-C is; a model's own raise would be the model's fault
        return first_word(request)

    scene.model = FakeLanguageModel(stopping)
    stopped = scene.corpus("-o", "out.jsonl", "--shard-rows", "16", *CHOSEN)
    assert stopped.exit_code != 0
    assert "answers: 36 asked now" in stopped.stderr
    assert "stopped early; 32 scored pairs are kept in out.jsonl.partial, and the same command" in stopped.stderr
    scene.model = FakeLanguageModel(first_word)
    resumed = scene.corpus("-o", "out.jsonl", "--shard-rows", "16", *CHOSEN)
    assert "resumed: 32 pairs were scored before" in resumed.stderr
    assert "answers: 4 asked now, 4 kept before" in resumed.stderr
    assert [result["id"] for result in scene.results()] == [pair["id"] for pair in PAIRS]
    scene.corpus("-o", "fresh.jsonl", *CHOSEN)
    assert scene.results() == scene.results("fresh.jsonl")


def test_tokens_that_are_not_told_are_said_to_be_missing(scene: Scene) -> None:
    """A sum of tokens that lacks some is not taken for the whole."""
    scene.model = FakeLanguageModel(lambda _: Completion("1"))
    assert "(40 answers do not report theirs)" in scene.corpus("-o", "out.jsonl", *CHOSEN).stderr


def test_where_text_goes_is_told_before_it_is_sent(scene: Scene) -> None:
    """By every command that sends it, once, also if no answer ever comes."""
    for silent in (False, True):
        scene.model = Priced((lambda _: Unscored("no answer")) if silent else first_word)
        told = scene.corpus("-o", f"{silent}.jsonl", *CHOSEN).stderr
        assert told.startswith("report text goes to llm.example.org:443\n")
        assert told.count("report text goes") == 1
    texts = ("--reference-text", "3 nodules.", "--candidate-text", "x", "-m", "counting", *CHOSEN)
    for command in ("score", "explain"):
        assert "report text goes to llm.example.org:443" in scene.run(command, *texts).stderr


def test_it_is_not_told_where_nothing_is_sent(scene: Scene) -> None:
    """All answers being kept, or none to be asked for."""
    scene.model = Priced(first_word)
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    kept = ("--answers", "out.jsonl.answers.sqlite", *CHOSEN)
    for command in ((), ("rescore",)):
        done = scene.corpus(*command, "-o", "again.jsonl", *kept)
        assert "0 asked now, 40 kept before" in done.stderr
        assert "report text goes to" not in done.stderr


def test_on_a_terminal_answers_are_counted_before_their_batch_is_done(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch of 32 may take minutes: what came of it is seen at once. Other lines stand above the bar."""
    screen: list[str] = []

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            screen.append(text)
            return len(text)

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    scene.model = Priced(first_word)
    watch = watch_model()
    run = open_run(settings(), watch=watch)
    pairs = [ReportPair(id=p["id"], reference=p["reference"], candidate=p["candidate"]) for p in PAIRS[:17]]
    with progress(40, of="pairs", watch=watch):
        run.service.evaluate_batch(pairs)
    shown = "".join(screen)
    assert "pairs, 17 answers" in shown
    assert re.search(r"\x1b\[2Kreport text goes to llm.example.org:443\s*\n", shown)


def test_answers_are_kept_for_their_owner_alone(scene: Scene) -> None:
    """They quote reports. Beside the output or named; one that is there already stays as it is."""
    before = os.umask(0)
    try:
        scene.corpus("-o", "out.jsonl", *CHOSEN)
        scene.corpus("-o", "x.jsonl", "--answers", "mine.sqlite", *CHOSEN)
    finally:
        os.umask(before)
    for name in ("out.jsonl.answers.sqlite", "mine.sqlite"):
        assert stat.S_IMODE((scene.folder / name).stat().st_mode) == 0o600
    (scene.folder / "mine.sqlite").chmod(0o640)
    scene.corpus("-o", "x.jsonl", "--answers", "mine.sqlite", *CHOSEN)
    assert stat.S_IMODE((scene.folder / "mine.sqlite").stat().st_mode) == 0o640


def test_answers_that_are_not_found_are_told_from_what_is_kept(scene: Scene) -> None:
    """Under another prompt, of another model, or about other reports; the exit status says that nothing was scored."""
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    again = ("rescore", "-o", "again.jsonl", "--answers", "out.jsonl.answers.sqlite")
    holds = "out.jsonl.answers.sqlite keeps 40 answers to count@1:0 of fake"
    assert holds not in scene.corpus(*again).stderr
    scene.prompt = "count@2:1"
    other = scene.corpus(*again)
    assert other.exit_code == 3
    assert f"{holds}\nand none to count@2:1 of fake, which this run looks for\n" in other.stderr
    scene.prompt, scene.model = "count@1:0", FakeLanguageModel(identity="other")
    assert f"{holds}\nand none to count@1:0 of other" in scene.corpus(*again, *CHOSEN).stderr
    scene.model = FakeLanguageModel()
    (scene.folder / "pairs.jsonl").write_text('{"id": "new", "reference": "99 nodules.", "candidate": "x"}\n')
    assert "asked about other reports" in scene.corpus(*again, *CHOSEN).stderr


def test_a_dry_run_tells_what_would_be_asked_and_does_nothing(scene: Scene) -> None:
    """Requests, tokens and the most it may cost: 80 x 10 + 160 x 100 of a millionth."""
    scene.model = Priced(first_word)
    done = scene.corpus("-o", "out.jsonl", "--dry-run", *CHOSEN)
    assert done.exit_code == 0
    assert [line.split(maxsplit=2) for line in done.stdout.splitlines()[:3]] == [
        ["requests", "40"],
        ["kept", "0", "that were answered before and are not asked again"],
        ["repeated", "0", "that are the same as another and are asked once"],
    ]
    cost = "0.0168 at most for these requests alone, in the currency of the prices"
    for part in ("about 80", "160 at most", "llm.example.org:443", cost):
        assert part in done.stdout
    assert "report text goes to" not in done.stderr
    assert scene.model.asked == []
    assert scene.files() == set()


def test_a_dry_run_knows_what_is_kept(scene: Scene) -> None:
    """Beside the output or in the file named, neither of which it touches; a file that is not there is not made."""
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    with (scene.folder / "pairs.jsonl").open("a", encoding="utf-8") as pairs:
        pairs.write('{"id": "new", "reference": "99 nodules.", "candidate": "x"}\n')
    before = {name: (scene.folder / name).read_bytes() for name in scene.files()}
    for arguments in ([], ["--answers", "out.jsonl.answers.sqlite"]):
        done = scene.corpus("-o", "out.jsonl", "--dry-run", *arguments, *CHOSEN)
        assert done.stdout.split()[:2] == ["requests", "1"]
        assert "40 that were answered before" in done.stdout
        assert "cost" not in done.stdout
    assert scene.corpus("-o", "x.jsonl", "--dry-run", "--answers", "none.sqlite", *CHOSEN).stdout.split()[1] == "41"
    assert {name: (scene.folder / name).read_bytes() for name in scene.files()} == before


def test_a_dry_run_that_cannot_tell_says_so(scene: Scene) -> None:
    """No requests and requests that are not known beforehand are two things."""
    plain = scene.run("corpus", "pairs.jsonl", "-o", "o.jsonl", "-m", "plain", "--dry-run")
    assert plain.stdout == "No metric asks a language model.\n"
    reading = scene.run("corpus", "pairs.jsonl", "-o", "o.jsonl", "-m", "reading", "--dry-run", *CHOSEN)
    assert reading.stdout == "A language model is asked, but no metric can say beforehand what.\n"


def test_a_dry_run_counts_what_an_extractor_asks(scene: Scene) -> None:
    """About each report once, whatever the number of metrics that read it."""
    names = ("-m", "radot", "-m", "notation", "--set", "extractor=asking", *CHOSEN)
    done = scene.run("corpus", "pairs.jsonl", "-o", "out.jsonl", "--dry-run", *names)
    assert done.stdout.split()[:2] == ["requests", "80"]
    assert scene.model.asked == []


def test_old_answers_are_read_anew_without_asking(scene: Scene) -> None:
    """A more lenient reader scores what a strict one could not, under another signature; no model need be chosen."""
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    scene.model, scene.reader = FakeLanguageModel(), lenient
    done = scene.corpus("rescore", "-o", "again.jsonl", "--answers", "out.jsonl.answers.sqlite")
    assert done.exit_code == 0
    assert "answers: 0 asked now, 40 kept before -> out.jsonl.answers.sqlite" in done.stderr
    assert [result["score"] for result in scene.results("again.jsonl")] == [float(n) for n in range(40)]
    assert "|model:fake|reader:lenient|" in scene.results("again.jsonl")[0]["signature"]
    assert scene.model.asked == []


def test_read_again_in_the_same_way_answers_give_the_same_results(scene: Scene) -> None:
    """Byte for byte, signature and all, with the model chosen or not."""
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    for chosen in (CHOSEN, ()):
        scene.corpus("rescore", "-o", "again.jsonl", "--answers", "out.jsonl.answers.sqlite", *chosen)
        assert (scene.folder / "again.jsonl").read_bytes() == (scene.folder / "out.jsonl").read_bytes()


def test_a_pair_whose_answer_is_not_kept_is_not_asked_about(scene: Scene) -> None:
    """Scoring again costs nothing; what is new stays unscored."""
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    with (scene.folder / "pairs.jsonl").open("a", encoding="utf-8") as pairs:
        pairs.write('{"id": "new", "reference": "99 nodules.", "candidate": "x"}\n')
    done = scene.corpus("rescore", "-o", "again.jsonl", "--answers", "out.jsonl.answers.sqlite", *CHOSEN)
    assert scene.results("again.jsonl")[-1]["reason"] == "not asked"
    assert "not asked 1" in done.stderr
    assert len(scene.model.asked) == 40


def test_rescoring_needs_kept_answers(scene: Scene) -> None:
    """None named, no such file, a file without any, and one of two models, each in one clear line."""
    for arguments, words in (
        ((), "no file of kept answers is named; give it with `answers=FILE`"),
        (("--answers", "none.sqlite"), "no such file"),
    ):
        failed = scene.corpus("rescore", "-o", "again.jsonl", *arguments)
        assert words in str(failed.exception)
    scene.model = FakeLanguageModel(lambda _: Unscored("no answer"))
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    answers = ("--answers", "out.jsonl.answers.sqlite")
    assert "keeps no answers" in str(scene.corpus("rescore", "-o", "again.jsonl", *answers).exception)
    for identity in ("m", "n"):
        scene.model = FakeLanguageModel(first_word, identity=identity)
        scene.corpus("-o", "out.jsonl", *CHOSEN)
    failed = scene.corpus("rescore", "-o", "again.jsonl", *answers)
    assert "keeps answers of several models" in str(failed.exception)
    assert scene.corpus("rescore", "-o", "again.jsonl", *answers, *CHOSEN).exit_code == 0


def test_kept_answers_are_not_replaced_by_results(scene: Scene) -> None:
    """The answers are the dearest file of a run."""
    (scene.folder / "answers.jsonl").write_bytes(b"")
    failed = scene.corpus("rescore", "-o", "answers.jsonl", "--answers", "answers.jsonl")
    assert "is also the input file" in str(failed.exception)


@pytest.mark.parametrize("option", ["--answers", "--store", "--config"])
def test_no_output_takes_the_place_of_a_file_of_the_run(scene: Scene, option: str) -> None:
    """Whether it is there yet or not, and however it is written."""
    if option == "--config":
        (scene.folder / "mine.jsonl").write_text("log_level = 'info'\n")
    failed = scene.corpus("-o", "mine.jsonl", option, str(scene.folder / "." / "mine.jsonl"), *CHOSEN)
    assert "is also the input file" in str(failed.exception)
    assert scene.files() == ({"mine.jsonl"} if option == "--config" else set())


def test_answers_that_came_meanwhile_are_used_when_a_run_goes_on(scene: Scene) -> None:
    """A server that was down, and answers that were not kept: the end is that of an undisturbed run."""
    pairs = (scene.folder / "pairs.jsonl").read_text(encoding="utf-8")
    (scene.folder / "pairs.jsonl").write_text(pairs + "broken\n")
    scene.model = FakeLanguageModel(lambda _: Unscored("no answer"))
    assert scene.corpus("-o", "out.jsonl", "--shard-rows", "10", *CHOSEN).exit_code != 0
    (scene.folder / "pairs.jsonl").write_text(pairs)
    scene.model = FakeLanguageModel(first_word)
    again = scene.corpus("-o", "out.jsonl", "--shard-rows", "10", *CHOSEN)
    assert "40 pairs in shards that lack answers of a language model are scored again" in again.stderr
    assert "resumed" not in again.stderr
    scene.corpus("-o", "fresh.jsonl", *CHOSEN)
    assert scene.results() == scene.results("fresh.jsonl")


def test_an_input_that_changed_since_is_told(scene: Scene) -> None:
    """Its first pairs, which were scored, are as they were, or it would stop."""
    pairs = (scene.folder / "pairs.jsonl").read_text(encoding="utf-8")
    (scene.folder / "pairs.jsonl").write_text(pairs + "broken\n")
    scene.corpus("-o", "out.jsonl", "--shard-rows", "40", *CHOSEN)
    (scene.folder / "pairs.jsonl").write_text(pairs)
    again = scene.corpus("-o", "out.jsonl", "--shard-rows", "40", *CHOSEN)
    assert "resumed: 40 pairs were scored before" in again.stderr
    assert "pairs.jsonl changed since this run began; it goes on if the 40 pairs are as they were" in again.stderr


def test_an_input_that_changes_while_it_is_scored_is_told(scene: Scene) -> None:
    """The results are of what was read, which may be less than there is now."""
    path = scene.folder / "pairs.jsonl"

    def answer(request: Request) -> str:
        os.utime(path, (1, 1))
        return first_word(request)

    scene.model = FakeLanguageModel(answer)
    done = scene.corpus("-o", "out.jsonl", *CHOSEN)
    assert "pairs.jsonl changed while it was scored; the results are of what was read of it" in done.stderr
    scene.model = FakeLanguageModel(first_word)
    assert "changed while" not in scene.corpus("-o", "again.jsonl", *CHOSEN).stderr


def test_score_and_explain_keep_answers_where_they_are_told_to(scene: Scene) -> None:
    """Explain shows the raw answer that score paid for; without a file nothing is kept."""
    texts = ("--reference-text", "3 nodules.", "--candidate-text", "x", "-m", "counting", *CHOSEN)
    assert scene.run("score", *texts, "--max-unscored", "1").exit_code == 0
    assert scene.files() == set()
    scene.run("score", *texts, "--answers", "mine.sqlite")
    explained = scene.run("explain", *texts, "--answers", "mine.sqlite")
    assert "not scored (unreadable answer): no number" in explained.stdout
    assert "ended: stop; found kept" in explained.stdout
    assert "about 3" in explained.stdout
    record = json.loads(scene.run("explain", *texts, "--answers", "mine.sqlite", "-f", "json").stdout)
    assert record["evidence"]["answers"][0]["text"] == "about 3"
    assert len(scene.model.asked) == 2


def test_stored_results_keep_their_answers(scene: Scene) -> None:
    """From the store the same lines come as from the model."""
    scene.corpus("-o", "out.jsonl", "--store", "results.db", *CHOSEN)
    scene.corpus("-o", "again.jsonl", "--store", "results.db", *CHOSEN)
    assert scene.results() == scene.results("again.jsonl")
    assert len(scene.model.asked) == 40


def test_no_report_text_is_kept_with_an_answer(scene: Scene) -> None:
    """But for what the model itself repeats: here it does not."""
    scene.model = FakeLanguageModel(lambda _: "1")
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    with closing(sqlite3.connect(scene.folder / "out.jsonl.answers.sqlite")) as connection:
        assert "odule" not in "\n".join(connection.iterdump())


def settings(**changes: Any) -> Settings:
    return Settings(metrics=("counting",), choices={"model": "fake"}, **changes)


def test_batches_are_small_where_a_model_is_asked(scene: Scene) -> None:
    """So that progress is live; a model that is chosen but not asked changes nothing."""
    assert open_run(settings()).service.batch_size == 32
    plain = open_run(Settings(metrics=("plain",), choices={"model": "fake"}))
    assert (plain.service.batch_size, plain.model) == (256, None)
    assert scene.files() == set()


def test_embedding_software_keeps_answers_too(scene: Scene) -> None:
    """By the setting, in a service and in a component of its own."""
    path = scene.folder / "mine.sqlite"
    pairs = [ReportPair(id=p["id"], reference=p["reference"], candidate=p["candidate"]) for p in PAIRS[:2]]
    build_service(settings(answers=path)).evaluate(pairs)
    build_service(settings(answers=path)).evaluate(pairs)
    assert len(scene.model.asked) == 2
    kept = build_service(Settings(metrics=("counting",), answers=path), only_kept=True)
    assert kept.evaluate(pairs)[0]["counting"].score == 0.0
    assert open_component(settings(answers=path), "model") is scene.model
    with pytest.raises(ConfigurationError, match="no file of kept answers"):
        build_service(settings(), only_kept=True)


def test_the_model_of_kept_answers_stands_in(scene: Scene) -> None:
    """Kept answers name their model, so that none needs to be chosen."""
    scene.corpus("-o", "out.jsonl", *CHOSEN)
    answers = scene.folder / "out.jsonl.answers.sqlite"
    run = open_run(Settings(metrics=("counting",), answers=answers), only_kept=True)
    assert run.model == KeptModel("fake")
    run.close()


def test_several_processes_are_refused_before_they_start(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a metric that asks a model; the message names what makes that model faster, if anything does."""
    monkeypatch.setattr("overread.infrastructure.engines.workers.WorkerPool", None)
    done = scene.corpus("-o", "out.jsonl", "--workers", "2", *CHOSEN)
    assert isinstance(done.exception, ConfigurationError)
    [problem] = done.exception.problems
    assert problem.endswith("score with `workers=1` on the local engine")


def test_what_makes_a_file_of_a_model_faster_is_its_threads() -> None:
    """It has no requests at once."""
    asking: Any = SimpleNamespace(model=FakeLanguageModel())
    for model, hint in {"llamacpp:m.gguf": "threads", "openai:m": "concurrency"}.items():
        with pytest.raises(ConfigurationError, match=f"and for more .* at once set model.{hint}$"):
            _check_asks_none(asking, Settings(choices={"model": model}))
