"""Pairs per second of the learned metrics, crepe and ratescore, beside the strategies of the released packages.

    make bench                      on generated reports
    make bench PAIRS=pairs.jsonl    on your own (columns id, reference, candidate)

Models have the published sizes and random weights (`_checkpoints`), on the CPU. The released strategies (`_released`)
compute in fp32 and score an evenly drawn part of the pairs; overread scores the same part in fp32, with the same
answers or the run fails, and then all of them, in fp32 and in what dtype=auto is here. "x" is pairs per second over
those of the released strategy, which takes turns with overread in lines "in turns", so that both meet the same load.
Nothing is remembered from one line to the next: each is a process of its own. On a machine that others use,
--processor-time counts seconds of one processor in place of the clock's. The embedded models come last, beside ROUGE-L.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _common import Row, differing, generated, in_process, load, peak_mib, print_beside_rouge, report_pairs

PARTS = ("crepe", "ratescore", "embedded")
TOLERANCE = 1e-4
EMBEDDED_CREPE = "adapters/bert/crepe/data/small"
TURNS = 4
CLOCK = "OVERREAD_BENCHMARK_CLOCK"
"""Variable of the environment, which the processes of a run hand on."""


class Run(NamedTuple):
    """A pass over pairs: seconds, scores in order, peak MiB, and what the released strategy counted."""

    seconds: float
    scores: list[float]
    peak: float
    size: int = 0
    counts: Sequence[dict[str, float]] = ()
    signature: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, help="JSONL file; generated reports where omitted")
    parser.add_argument("--limit", type=int, default=400, help="pairs taken from its start")
    parser.add_argument("--released", type=int, default=16, help="pairs for the released strategies")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="the parts to run")
    parser.add_argument("--quick", action="store_true", help="small models and few pairs, to see that it runs")
    parser.add_argument(
        "--processor-time", action="store_true", help="one thread, and its seconds for those of the clock"
    )
    arguments = parser.parse_args()
    if arguments.processor_time:
        os.environ |= {"OMP_NUM_THREADS": "1", CLOCK: "processor"}
    shrink = 10 if arguments.quick else 1
    limit, part = max(4, arguments.limit // shrink), max(2, arguments.released // shrink)
    read = load(arguments.pairs) if arguments.pairs else in_process(generated, -(-limit // 3))
    rows = differing(read)[:limit]
    few = rows[:: max(1, len(rows) // part)][:part]
    size = "small" if arguments.quick else "published"
    cores = "1 thread, processor time" if arguments.processor_time else f"{os.cpu_count()} cores"
    print(f"{len(rows)} pairs, {cores}, random weights of {size} size, on the CPU", flush=True)
    with tempfile.TemporaryDirectory(prefix="overread-bench-") as temporary:
        folder = Path(temporary)
        in_process(write_checkpoints, folder, rows, arguments.only, size)
        if "crepe" in arguments.only:
            crepe(folder / "crepe", rows, few)
        if "ratescore" in arguments.only:
            ratescore(folder / "recognizer", folder / "encoder", rows, few)
    if "embedded" in arguments.only:
        embedded(rows)


def crepe(folder: Path, rows: Sequence[Row], few: Sequence[Row]) -> None:
    """CREPE on BiomedBERT."""
    released = in_process(run_padded_crepe, folder, few)
    title(f"crepe on BiomedBERT, {released.size / len(few):.0f} tokens a pair")
    line("released: padded to 512, one by one", few, released, released)
    choices = {"error_counter": f"bert:{folder}"}
    exact = {"error_counter": {"dtype": "fp32"}}
    same = in_process(run_service, "crepe", choices, exact, few)
    line("overread fp32, the same pairs", few, same, released)
    compare(same, released)
    runs = []
    for options in (exact, {}):
        theirs, ours = in_process(run_in_turns, folder, choices, options, few, rows)
        line(f"overread {dtype_of(ours)}, in turns", rows, ours, theirs)
        runs.append(ours)
    tell_change("count", *([value for counts in run.counts for value in counts.values()] for run in runs))
    tell_change("score", *(run.scores for run in runs))
    int8 = {"error_counter": {"backend": "onnx", "quantize": "int8"}}
    line("overread, onnx int8", rows, in_process(run_service, "crepe", choices, int8, rows), released)


def ratescore(recognizer: Path, encoder: Path, rows: Sequence[Row], few: Sequence[Row]) -> None:
    """RaTEScore over a recognizer on DeBERTa-v3 base and an encoder of the size of BERT base."""
    released = in_process(run_sentencewise_ratescore, recognizer, encoder, few)
    title(f"ratescore on DeBERTa-v3, {released.size / len(few):.0f} entities a pair")
    line("released: sentence by sentence", few, released, released)
    choices = {"recognizer": f"bert:{recognizer}", "encoder": f"bert:{encoder}"}
    exact = {"recognizer": {"dtype": "fp32"}, "encoder": {"dtype": "fp32"}}
    same = in_process(run_service, "ratescore", choices, exact, few)
    line("overread fp32, the same pairs", few, same, released)
    compare(same, released)
    runs = [in_process(run_service, "ratescore", choices, options, rows) for options in (exact, {})]
    for run in runs:
        line(f"overread {dtype_of(run)}", rows, run, released)
    tell_change("score", *(run.scores for run in runs))


def embedded(rows: Sequence[Row]) -> None:
    """The default judgement, with its second reader, and the embedded models."""
    import overread

    print("\nwhat comes with overread")
    runs = [("notation",), ("ratescore",)]
    if (Path(overread.__file__).parent / EMBEDDED_CREPE).is_dir():
        runs.append(("crepe",))
    else:
        print("crepe is left out: its checkpoint is not installed")
    print_beside_rouge(runs, rows)


def write_checkpoints(folder: Path, rows: Sequence[Row], parts: Sequence[str], size: str) -> None:
    import _checkpoints

    sizes = _checkpoints.SIZES[size]
    if "crepe" in parts:
        _checkpoints.write_crepe(folder / "crepe", rows, sizes)
    if "ratescore" in parts:
        _checkpoints.write_recognizer(folder / "recognizer", rows, sizes)
        _checkpoints.write_encoder(folder / "encoder", sizes)


def run_padded_crepe(folder: Path, rows: Sequence[Row]) -> Run:
    from _released import PaddedCrepe

    return run_released(PaddedCrepe(folder), rows)


def run_sentencewise_ratescore(recognizer: Path, encoder: Path, rows: Sequence[Row]) -> Run:
    from _released import SentencewiseRateScore

    return run_released(SentencewiseRateScore(recognizer, encoder), rows)


def run_released(strategy: Any, rows: Sequence[Row]) -> Run:
    strategy.score(_WARM_UP)
    strategy.size = 0
    seconds, scores = timed(lambda: [strategy.score(row) for row in rows])
    return Run(seconds, scores, peak_mib(), strategy.size)


def run_service(metric: str, choices: dict[str, str], options: dict[str, Any], rows: Sequence[Row]) -> Run:
    """The whole of overread, from texts to results with their evidence."""
    service = warm_service(metric, choices, options)
    pairs = report_pairs(rows)
    seconds, results = timed(lambda: [result[metric].outcome for result in service.stream(pairs)])
    return as_run(service, seconds, results)


def warm_service(metric: str, choices: dict[str, str], options: dict[str, Any]) -> Any:
    from overread.bootstrap.interface import open_service
    from overread.infrastructure.settings import Settings

    service = open_service(Settings(metrics=(metric,), choices=choices, options=options))
    service.evaluate(report_pairs([_WARM_UP]))
    return service


def as_run(service: Any, seconds: float, results: Sequence[Any]) -> Run:
    scores = [getattr(outcome, "score", float("nan")) for outcome in results]
    counts = [dict(getattr(outcome, "subscores", {})) for outcome in results]
    return Run(seconds, scores, peak_mib(), counts=counts, signature=str(service.metrics[0].signature))


def run_in_turns(
    folder: Path, choices: dict[str, str], options: dict[str, Any], few: Sequence[Row], rows: Sequence[Row]
) -> tuple[Run, Run]:
    """The released CREPE over the few and overread over all rows, a part of each in turn, so that load meets both."""
    from _released import PaddedCrepe

    released, service = PaddedCrepe(folder), warm_service("crepe", choices, options)
    released.score(_WARM_UP)
    seconds, scores, results = [0.0, 0.0], [], []
    turns = min(TURNS, len(few))
    for turn in range(turns):
        took, found = timed(lambda part=few[turn::turns]: [released.score(row) for row in part])
        seconds[0], scores = seconds[0] + took, scores + found
        start, end = (len(rows) * edge // turns for edge in (turn, turn + 1))
        pairs = report_pairs(rows[start:end])
        took, found = timed(lambda part=pairs: [result["crepe"].outcome for result in service.stream(part)])
        seconds[1], results = seconds[1] + took, results + found
    return Run(seconds[0], scores, peak_mib(), released.size), as_run(service, seconds[1], results)


_WARM_UP: Row = {"id": "warm-up", "reference": "Tracheostomy of unknown make.", "candidate": "Cannula is unchanged."}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    clock = time.process_time if os.environ.get(CLOCK) == "processor" else time.perf_counter
    started = clock()
    result = work()
    return clock() - started, result


def title(text: str) -> None:
    print(f"\n{text}\n{'':<38} {'pairs':>6} {'pairs/s':>8} {'x':>6} {'peak MiB':>9}")


def line(name: str, rows: Sequence[Row], run: Run, released: Run) -> None:
    rate = len(rows) / run.seconds
    times = rate * released.seconds / len(released.scores)
    print(f"{name:<38} {len(rows):>6} {rate:>8.2f} {times:>6.1f} {run.peak:>9.0f}", flush=True)


def dtype_of(run: Run) -> str:
    """The number formats that a run's signature names, "fp32" or "bf16"."""
    return "+".join(sorted(set(re.findall(r"dtype=(\w+)", run.signature))))


def tell_change(of: str, exact: Sequence[float], other: Sequence[float]) -> None:
    """How far dtype=auto moves the answers of fp32."""
    moves = [abs(one - two) for one, two in zip(exact, other, strict=True)]
    spread, mean = statistics.pstdev(exact), statistics.fmean(moves)
    print(f"a {of} moves by {mean:.4f} in the mean, {max(moves):.4f} at most, of a deviation of {spread:.3f}")


def compare(run: Run, released: Run) -> None:
    """Ends the run where answers differ."""
    apart = max(abs(ours - theirs) for ours, theirs in zip(run.scores, released.scores, strict=True))
    low, high = min(released.scores), max(released.scores)
    print(f"scores from {low:.3f} to {high:.3f}; the largest difference is {apart:.1e}, allowed {TOLERANCE:.0e}")
    if not apart <= TOLERANCE:
        sys.exit("overread's scores are not those of the released strategy")


if __name__ == "__main__":
    main()
