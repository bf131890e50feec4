"""One thread a process, unless somebody asks for more."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from overread.infrastructure.engines.threads import few_threads, thread_count, thread_variables


@pytest.mark.parametrize(
    ("said", "count"), [(None, 1), ("", 1), ("4", 4), ("0", 1), ("many", 1), ("2,3", 2), (" 2 , 3", 2)]
)
def test_the_number_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch, said: str | None, count: int) -> None:
    """What the environment says is read as the numeric libraries read it, nonsense as one."""
    if said is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert thread_count() == count


def test_libraries_have_so_many_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are loaded and those that will be; afterwards all is as it was."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    np.ones((2, 2)) @ np.ones((2, 2))
    before = [library["num_threads"] for library in threadpool_info()]
    with few_threads():
        assert {library["num_threads"] for library in threadpool_info()} == {1}
        assert (os.environ["OMP_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "1")
    assert [library["num_threads"] for library in threadpool_info()] == before
    assert "OMP_NUM_THREADS" not in os.environ
    assert os.environ["MKL_NUM_THREADS"] == "3"


def test_what_libraries_would_not_understand_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within, the variable is one number; afterwards it is what the user wrote."""
    for said, count in (("2,1", "2"), (" 2 , 1", "2"), ("many", "1")):
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        with thread_variables():
            assert os.environ["OMP_NUM_THREADS"] == count
        assert os.environ["OMP_NUM_THREADS"] == said


def test_the_environment_is_given_back_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error within does not leave variables behind that were not set."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with pytest.raises(KeyError), thread_variables():
        raise KeyError
    assert "OMP_NUM_THREADS" not in os.environ


def test_the_last_of_overlapping_runs_restores_what_was_there_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that scores in several threads gets its own settings back, in whichever order they end."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    first, second = few_threads(), few_threads()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert os.environ["MKL_NUM_THREADS"] == "1"
    second.__exit__(None, None, None)
    assert os.environ["MKL_NUM_THREADS"] == "3"


def test_libraries_that_are_loaded_meanwhile_are_left_as_if_they_were_loaded_alone() -> None:
    """A notebook that scored a corpus computes with torch as if it had not; a number of its own counts here, too."""
    code = """
        import threading
        from overread.infrastructure.engines.threads import few_threads
        with few_threads():
            import torch, scipy.linalg
            within = torch.get_num_threads()
        counts = []
        thread = threading.Thread(target=lambda: counts.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        print(within, torch.get_num_threads(), *counts)
    """
    alone = "import torch; print(torch.get_num_threads())"
    usual = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    expected = int(_printed(alone, usual))
    assert _printed(textwrap.dedent(code), usual) == f"1 {expected} {expected}"


def _printed(code: str, environment: dict[str, str]) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()
