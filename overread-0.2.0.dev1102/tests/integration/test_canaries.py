"""Words that stand in reports alone, and are looked for everywhere else: privacy as docs/privacy.md promises it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from attrs import frozen

import overread
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import TransportEvidence
from overread.infrastructure.views.evidence_rows import edge_rows, evidence_of, unit_rows
from overread.infrastructure.views.web.marking import segments

_CANARY: Final = "qzxcanary"
_REFERENCES: Final = (
    "INDICATION: Qzxcanary cough.\nFINDINGS: Small left pleural effusion with qzxcanary, unchanged. No pneumothorax.",
    "Right lower lobe qzxcanary opacity measuring 3 cm. Dr. Qzxcanary was called.",
    "Qzxcanary.",
)
_CANDIDATES: Final = (
    "Moderate right qzxcanary pleural effusion. Small left apical qzxcanary pneumothorax.",
    "",
    "There is a qzxcanary in the left qzxcanary lobe. No qzxcanary.",
)

_WATCH: Final = """
import logging, os, sys

folder = os.environ["WATCHED"]
handler = logging.FileHandler(os.path.join(folder, "log"))
handler.setFormatter(logging.Formatter("%(name)s %(levelname)s %(message)s %(args)r"))
logging.getLogger().addHandler(handler)
for name in ("", "sqlalchemy", "sqlalchemy.engine", "transformers", "huggingface_hub"):
    logging.getLogger(name).setLevel(logging.DEBUG)
sockets = os.open(os.path.join(folder, "sockets"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def hook(event, values):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"):
        os.write(sockets, f"{event} {values[1:]!r}\\n".encode())

sys.addaudithook(hook)
"""
"""What Python does before anything else: records every log line, and every socket that looks for another."""

_USE: Final = """
import logging, socket, sys, traceback
import overread
from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.cli.app import main
from overread.domain.results.result import Scale
from overread.infrastructure.logs import get_logger

def run(*arguments):
    sys.argv = ["overread", *arguments]
    try:
        main()
    except SystemExit as stop:
        return stop.code or 0
    return 0

class Breaking:
    signature_parts = ()
    def __init__(self, kind):
        self.kind = kind
    def evaluate(self, pairs):
        raise self.kind(" ".join(pair.reference.text for pair in pairs))

def raised(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except Exception:
        traceback.print_exc()
    else:
        raise SystemExit(f"{call} raised nothing")

text = "Qzx" "canary."
debug = ("--set", "log_level=debug")
every = [word for name in ("radot", "notation", "ratescore", "crepe", "rouge", "bleu") for word in ("-m", name)]
rows = overread.read_pairs("pairs.csv")
assert run("corpus", "pairs.csv", "-o", "plain.jsonl", "--store", "plain.sqlite", *every, *debug) == 0
for name in ("first", "again"):
    assert run("corpus", "pairs.csv", "-o", f"{name}.jsonl", "--store", "text.sqlite", "-s", "store_text=true",
               "-m", "rouge", "-m", "bleu", *debug) == 0
assert run("corpus", "pairs.csv", "-o", "two.parquet", "--shard-rows", "2", "-m", "notation", *debug) == 0
for name in ("cells.csv", "quote.csv", "list.jsonl", "age.jsonl"):
    assert run("corpus", name, "-o", "bad.jsonl", "-m", "rouge", *debug) == 2, name
    raised(lambda: list(overread.read_pairs(name)))
    if name != "quote.csv":
        print(list(overread.read_pairs(name, on_error="skip")))
for kind in (ValueError, MemoryError, SystemExit, KeyboardInterrupt):
    metric = NamedMetric(name="breaking", version="1", scale=Scale(0, 1, higher_is_better=True), metric=Breaking(kind))
    service = EvaluationService(metrics=[metric], log=get_logger("evaluate"))
    pair = overread.ReportPair(id="1", reference=text, candidate="Clear.")
    print(service.evaluate([pair])[0]["breaking"])
raised(overread.score, reference=[text], candidate="Clear.")
raised(overread.score_many, [{"id": "1", "reference": "Clear.", "candidate": text.encode()}])
print(list(rows), overread.score_many(list(overread.read_pairs("pairs.csv")), metrics=["radot"]))
logging.getLogger("host").debug("a line of the host")
socket.socket().connect_ex(("127.0.0.1", 9))
"""
"""Commands and calls, of which some break; at the end a line to a log and a socket, to see that both are recorded."""


@frozen
class Watched:
    """Folders of what was written: by the commands, in the home, for the time of a run, and by whoever watched."""

    place: Path
    output: str

    def having(self, folder: str) -> set[str]:
        """Names of the files below a folder in which the canary stands."""
        return {path.name for path in self.files(folder) if _CANARY.encode() in path.read_bytes().lower()}

    def files(self, folder: str) -> Iterator[Path]:
        """The files below a folder."""
        return (path for path in (self.place / folder).rglob("*") if path.is_file())


def _write_inputs(work: Path) -> None:
    with (work / "pairs.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "reference", "candidate", "indication", "comparison"])
        for number, texts in enumerate(zip(_REFERENCES, _CANDIDATES, strict=True)):
            table.writerow([str(number), *texts, "Qzxcanary fever", "Qzxcanary"])
    head = "id,reference,candidate\n"
    (work / "cells.csv").write_text(head + "1,Qzxcanary,Clear,Qzxcanary effusion\n", encoding="utf-8")
    (work / "quote.csv").write_text(head + '1,"Qzxcanary\n,Clear\n', encoding="utf-8")
    (work / "list.jsonl").write_text('{"id": "1", "reference": ["Qzxcanary"], "candidate": ""}\n', encoding="utf-8")
    aged = '{"id": "1", "reference": "Clear.", "candidate": "", "age": "Qzxcanary."}\n'
    (work / "age.jsonl").write_text(aged, encoding="utf-8")


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """A process that used overread in empty folders, with its logs and sockets recorded."""
    place = tmp_path_factory.mktemp("watched")
    for name in ("work", "home", "tmp", "watch"):
        (place / name).mkdir()
    _write_inputs(place / "work")
    (place / "watch" / "sitecustomize.py").write_text(_WATCH, encoding="utf-8")
    dropped = ("OVERREAD_", "XDG_", "HF_", "TORCHINDUCTOR_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    paths = [str(place / "watch"), *filter(None, [os.environ.get("PYTHONPATH")])]
    ours = {"HOME": "home", "TMPDIR": "tmp", "WATCHED": "watch"}
    environment = {
        **kept,
        **{name: str(place / folder) for name, folder in ours.items()},
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONWARNINGS": "always",
    }
    command = [sys.executable, "-c", _USE]
    done = subprocess.run(command, cwd=place / "work", env=environment, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output[-2000:].lower().replace(_CANARY, "(canary)")
    return Watched(place, output)


def test_what_is_printed_and_raised_quotes_no_report(watched: Watched) -> None:
    """Commands at log level debug, tracebacks of bad input, outcomes of metrics that broke, and reprs."""
    assert _CANARY not in watched.output.lower()
    for kind in ("ValueError", "MemoryError", "SystemExit", "KeyboardInterrupt"):
        assert f"raised {kind}" in watched.output or f"out of memory: {kind}" in watched.output
    assert "Traceback" in watched.output


def test_no_log_holds_a_report(watched: Watched) -> None:
    """Neither overread's nor a library's, at the level debug; what SQLAlchemy reads of a store included."""
    log = (watched.place / "watch" / "log").read_text(encoding="utf-8")
    assert "a line of the host" in log
    assert "sqlalchemy.engine.Engine" in log
    assert _CANARY not in log.lower()


def test_only_a_store_that_was_asked_to_holds_reports(watched: Watched) -> None:
    """Of all files that the commands wrote: results, stores with their logs, shards."""
    given = {"pairs.csv", "cells.csv", "quote.csv", "list.jsonl", "age.jsonl"}
    assert watched.having("work") - given == {"text.sqlite"}
    assert {"plain.jsonl", "plain.sqlite", "two.parquet"} <= {path.name for path in watched.files("work")}


def test_neither_home_nor_temporary_folder_is_written_to(watched: Watched) -> None:
    """Empty they were, and without a file they stay."""
    assert [str(path.relative_to(watched.place)) for folder in ("home", "tmp") for path in watched.files(folder)] == []


def test_no_socket_looks_for_another(watched: Watched) -> None:
    """Of those that Python opens: nothing is resolved, connected to or sent, but for the one that tries the record."""
    sockets = (watched.place / "watch" / "sockets").read_text(encoding="utf-8").splitlines()
    assert sockets == ["socket.connect (('127.0.0.1', 9),)"]


def test_rows_and_segments_of_views_do_not_show_their_words() -> None:
    """Their ``repr`` leaves the words of reports out, as those of reports and units do."""
    pair = ReportPair(id="1", reference=_REFERENCES[0], candidate=_CANDIDATES[0])
    results = overread.score(reference=pair.reference.text, candidate=pair.candidate.text, metrics=["radot"])
    transport = evidence_of(results, TransportEvidence)["radot"]
    rows = [
        *unit_rows(transport.reference_units, "R", str),
        *edge_rows(transport, 5),
        *segments(pair.reference.text, [], []),
    ]
    assert len(rows) > 3
    assert _CANARY not in repr(rows).lower()
