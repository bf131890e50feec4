"""Scoring in a child that was forked after its parent loaded and used the models: it ends, with the parent's scores."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

SCRIPT = """
    import faulthandler, os, sys, threading

    import overread
    from overread.infrastructure.settings import load_settings

    metric, beside, *overrides = sys.argv[1:]
    BESIDE = int(beside)
    service = overread.open_service(load_settings(overrides=overrides), metrics=[metric])

    def score(number):
        pair = overread.ReportPair(
            id=str(number),
            reference=f"Small left pleural effusion of {number} mm. No pneumothorax. Heart size is normal.",
            candidate=f"Large right pleural effusion. Pneumothorax of {number} mm.",
        )
        return service.evaluate([pair])[0][metric].score

    def children(numbers):
        born = {}
        for number in numbers:
            born[os.fork()] = number
            if 0 in born:
                faulthandler.dump_traceback_later(120, exit=True)  # an alarm for a child that hangs
                os._exit(0 if abs(score(number) - EXPECTED[number]) < 1e-3 else 3)
        return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in born]

    score(0)  # which starts the threads that a child does not have
    EXPECTED = {number: score(number) for number in range(1, 4 + BESIDE)}
    service = overread.open_service(load_settings(overrides=overrides), metrics=[metric])  # remembers none of them
    score(0)
    print("alone", children([1, 2, 3]))

    def go_on():
        number = 1000
        while not over.is_set():
            number += 1
            score(number)

    over = threading.Event()
    thread = threading.Thread(target=go_on)
    thread.start()
    print("beside a thread", [status for number in range(4, 4 + BESIDE) for status in children([number])])
    over.set()
    thread.join()
"""


@pytest.mark.parametrize(
    "choice",
    [
        ["radot", "17"],
        ["crepe", "4"],
        ["ratescore", "4"],
        ["radot", "3", "second_reader=comparing"],
    ],
    ids=lambda choice: " ".join(choice[::2]),
)
def test_a_forked_child_scores_as_its_parent(choice: list[str]) -> None:
    """Alone or several at once, and also where another thread of the parent scores at the moment of the fork.

    Those that take long are tried fewer times.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(SCRIPT), *choice],
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    expected = [f"alone {[0] * 3}", f"beside a thread {[0] * int(choice[1])}"]
    assert done.stdout.splitlines() == expected, done.stderr[-4000:]
