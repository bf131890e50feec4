"""Output in shards: what is committed stays, what is not leaves no trace, and the whole is the same however made."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from overread.exceptions import InputError
from overread.infrastructure.engines.shards import _join, open_partial
from overread.infrastructure.engines.shards._manifest import write_manifest

from .outcomes import commit, identity

NAMES = ["r.jsonl", "r.parquet"]


def make(output: Path, shards: int = 3) -> bytes:
    """The output of an undisturbed run."""
    with open_partial(output) as partial:
        partial.begin(identity(output))
        commit(partial, *range(shards))
        partial.finish()
    return output.read_bytes()


def stop(output: Path, *numbers: int) -> Path:
    """A run that commits some shards and is then interrupted; the folder it leaves."""
    with suppress(KeyboardInterrupt), open_partial(output) as partial:
        partial.begin(identity(output))
        commit(partial, *numbers)
        raise KeyboardInterrupt
    return output.with_name(f"{output.name}.partial")


@pytest.mark.parametrize("name", NAMES)
def test_shards_are_joined_in_order(tmp_path: Path, name: str) -> None:
    """Committed in any order they make the same bytes; the folder is gone."""
    output = tmp_path / name
    with open_partial(output) as partial:
        partial.begin(identity(output))
        commit(partial, 2, 0, 1)
        partial.finish()
    assert _ids(output) == [f"{number}-{n}" for number in range(3) for n in range(5)]
    assert output.read_bytes() == make(tmp_path / f"again-{name}")
    made = [f"again-{name}", f"again-{name}.complete.json", name, f"{name}.complete.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == made


@pytest.mark.parametrize("name", NAMES)
def test_no_shards_make_an_empty_file(tmp_path: Path, name: str) -> None:
    """An input without pairs still has an output of its format."""
    make(tmp_path / name, 0)
    assert _ids(tmp_path / name) == []


def test_parquet_of_many_shards_has_row_groups_of_some_thousands(tmp_path: Path) -> None:
    """Whatever the size of a shard; in order."""
    output = tmp_path / "r.parquet"
    with open_partial(output) as partial:
        partial.begin(identity(output))
        commit(partial, *range(10), rows=1000)
        partial.finish()
    assert _ids(output) == [f"{number}-{n}" for number in range(10) for n in range(1000)]
    assert pq.ParquetFile(output).num_row_groups == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_run_goes_on_with_what_is_committed(tmp_path: Path, name: str) -> None:
    """The file that was there stays until the end; the end is that of an undisturbed run."""
    output = tmp_path / name
    output.write_bytes(b"the results of last week")
    stop(output, 1)
    stop(output, 0)
    assert output.read_bytes() == b"the results of last week"
    with open_partial(output) as partial:
        partial.begin(identity(output))
        assert (sorted(partial.kept), partial.lost) == ([0, 1], [])
        commit(partial, 2)
        partial.finish()
    assert output.read_bytes() == make(tmp_path / f"whole-{name}")


def test_what_is_not_committed_is_removed(tmp_path: Path) -> None:
    """A shard that was finished but not written down, and what was begun; files of others stay."""
    folder = stop(tmp_path / "r.jsonl", 0)
    for name in ("shard-00000001.jsonl", "shard-00000002.jsonl.0.tmp", "manifest.jsonl.tmp", "notes.txt"):
        (folder / name).write_bytes(b"x")
    with open_partial(tmp_path / "r.jsonl") as partial:
        partial.begin(identity(tmp_path / "r.jsonl"))
        found = {path.name for path in folder.iterdir()}
    assert found == {"shard-00000000.jsonl", "manifest.jsonl", "notes.txt", "lock"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("damage", [None, b"", b"other bytes"])
def test_a_damaged_shard_alone_is_scored_again(tmp_path: Path, name: str, damage: bytes | None) -> None:
    """One that is gone, too: it is told, and the next run after that does not think it kept."""
    output = tmp_path / name
    folder = stop(output, 0, 1, 2)
    (shard,) = folder.glob("shard-00000001.*")
    shard.unlink() if damage is None else shard.write_bytes(damage)
    for _ in range(2):
        with open_partial(output) as partial:
            partial.begin(identity(output))
            assert sorted(partial.kept) == [0, 2]
            assert partial.lost == ([1] if _ == 0 else [])
    with open_partial(output) as partial:
        partial.begin(identity(output))
        commit(partial, 1)
        partial.finish()
    assert output.read_bytes() == make(tmp_path / f"whole-{name}")


@pytest.mark.parametrize("name", NAMES)
def test_a_shard_that_is_damaged_meanwhile_is_not_joined(tmp_path: Path, name: str) -> None:
    """The next run scores it again."""
    output = tmp_path / name
    with open_partial(output) as partial:
        partial.begin(identity(output))
        commit(partial, 0)
        partial.folder.file(0).write_bytes(b"other bytes")
        with pytest.raises(InputError, match=r"shard-00000000\..* was changed"):
            partial.finish()
    assert not output.exists()
    with open_partial(output) as partial:
        partial.begin(identity(output))
        assert partial.lost == [0]


def test_another_run_is_refused_and_nothing_lost(tmp_path: Path) -> None:
    """Unless it is told to start anew."""
    output = tmp_path / "r.jsonl"
    stop(output, 0)
    other = identity(output, signatures={"rouge": "rouge|version:1"}, shard_rows=9)
    says = r"differs in `shard_rows` \(then 5, now 9\); the metrics \(then radot, now rouge\) .*`restart`"
    with pytest.raises(InputError, match=says), open_partial(output) as partial:
        partial.begin(other)
    with open_partial(output) as partial:
        partial.begin(identity(output))
        assert sorted(partial.kept) == [0]
    with open_partial(output) as partial:
        partial.begin(other, restart=True)
        assert partial.kept == {}
        assert list(partial.folder.path.glob("shard-*")) == []


def test_a_run_that_committed_nothing_leaves_nothing(tmp_path: Path) -> None:
    """A run that failed at once leaves no folder that would have to be cleared away."""
    stop(tmp_path / "r.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_one_run_at_a_time(tmp_path: Path) -> None:
    """The second is told which process makes the output; when that ends, however it does, the way is free."""
    output = tmp_path / "r.jsonl"
    with open_partial(output) as first:
        first.begin(identity(output))
        with pytest.raises(InputError, match=f"another run .process {os.getpid()}."), open_partial(output):
            pass
        commit(first, 0)
    with open_partial(output) as second:
        second.begin(identity(output))
        assert sorted(second.kept) == [0]


def test_a_lock_that_was_removed_holds_nobody_off(tmp_path: Path) -> None:
    """As when the run before ends between this one's opening of the file and its locking."""
    output = tmp_path / "r.jsonl"
    folder = stop(output, 0)
    with (folder / "lock").open("rb") as gone:
        fcntl.flock(gone, fcntl.LOCK_EX)
        (folder / "lock").unlink()
        with open_partial(output) as partial, pytest.raises(InputError, match="another run"), open_partial(output):
            partial.begin(identity(output))


@pytest.mark.parametrize(
    ("name", "says"),
    [("folder.jsonl", "folder"), ("r.xlsx", "suffix"), ("r", "suffix"), ("none/r.jsonl", "does not exist")],
)
def test_a_place_that_cannot_be_written_is_named_before_anything_is_scored(
    tmp_path: Path, name: str, says: str
) -> None:
    """Hours of scoring do not end at a place that was wrong from the start."""
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InputError, match=says), open_partial(tmp_path / name):
        pass


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    """What somebody else keeps under the name of the folder is not removed."""
    (tmp_path / "r.jsonl.partial").write_bytes(b"x")
    with pytest.raises(InputError, match="is a file"), open_partial(tmp_path / "r.jsonl"):
        pass
    assert (tmp_path / "r.jsonl.partial").read_bytes() == b"x"


def test_a_disk_that_fills_while_joining_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the file that was there nor a shard; with room, the run only joins."""
    output = tmp_path / "r.jsonl"
    output.write_bytes(b"the results of last week")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(_join, "sync", full)
        with pytest.raises(InputError, match="make room"):
            make(output)
    assert output.read_bytes() == b"the results of last week"
    folder = output.with_name("r.jsonl.partial")
    assert [path.name for path in folder.iterdir() if path.suffix == ".tmp"] == []
    with open_partial(output) as partial:
        partial.begin(identity(output))
        assert sorted(partial.kept) == [0, 1, 2]
        partial.finish()
    assert output.read_bytes() == make(tmp_path / "whole.jsonl")


def test_a_fault_that_a_library_words_is_told_in_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is told with the remedy, whoever words the error."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28]")

    monkeypatch.setattr(_join, "_join_row_groups", full)
    with pytest.raises(InputError, match=r"r.parquet: cannot be written: No space left on device \(make room"):
        make(tmp_path / "r.parquet")


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("not asked", "5 pairs in shards that lack answers of a language model are scored again"),
        ("no answer", "5 pairs in shards that lack answers of a language model are scored again"),
        ("out of memory", "5 pairs in shards that ran out of memory are scored again"),
    ],
)
def test_shards_that_lack_answers_or_memory_are_scored_again(tmp_path: Path, reason: str, told: str) -> None:
    """They may be there by now. Other reasons stay what they are."""
    output = tmp_path / "r.jsonl"
    with suppress(KeyboardInterrupt), open_partial(output) as partial:
        partial.begin(identity(output))
        commit(partial, 0, 1)
        partial.kept[1].metrics["radot"].unscored[reason] = 1
        write_manifest(partial.folder.path / "manifest.jsonl", identity(output), partial.kept.values())
        raise KeyboardInterrupt
    with open_partial(output) as partial:
        assert told in partial.begin(identity(output))
        assert (sorted(partial.kept), partial.lost, partial.unanswered + partial.starved) == ([0], [], 5)
        commit(partial, 1)
        partial.finish()
    assert output.read_bytes() == make(tmp_path / "whole.jsonl", 2)


def test_shards_without_a_manifest_are_told(tmp_path: Path) -> None:
    """They are of no use, as it cannot be known what they were made of."""
    output = tmp_path / "r.jsonl"
    folder = stop(output, 0, 1)
    (folder / "manifest.jsonl").unlink()
    with open_partial(output) as partial:
        partial.begin(identity(output))
        assert (partial.stray, partial.kept) == (2, {})


def test_a_record_of_other_metrics_counts_for_nothing(tmp_path: Path) -> None:
    """As somebody's editing leaves it: its shard is scored again."""
    output = tmp_path / "r.jsonl"
    manifest = stop(output, 0, 1) / "manifest.jsonl"
    head, first, second = manifest.read_text().splitlines(keepends=True)
    manifest.write_text(head + first + second.replace('"radot"', '"rouge"'))
    with open_partial(output) as partial:
        partial.begin(identity(output))
        assert (sorted(partial.kept), partial.lost) == ([0], [1])


@pytest.mark.parametrize("name", ["shard-00000000.jsonl", "manifest.jsonl"])
def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path, name: str) -> None:
    """It is nothing of ours to remove, and running again would not help."""
    output = tmp_path / "r.jsonl"
    folder = stop(output, 0, 1)
    (folder / name).unlink()
    (folder / name).mkdir()
    with pytest.raises(InputError, match="move it away"), open_partial(output) as partial:
        partial.begin(identity(output))
    assert (folder / name).is_dir()


def test_a_link_stays_and_leads_to_the_output(tmp_path: Path) -> None:
    """Also one that leads nowhere yet; the shards lie beside what it leads to, so that two links are one output."""
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "link.jsonl", tmp_path / "far" / "r.jsonl"
    link.symlink_to(target)
    with open_partial(link) as partial:
        with pytest.raises(InputError, match="another run"), open_partial(target):
            pass
        partial.begin(identity(link))
        commit(partial, 0, 1, 2)
        partial.finish()
    assert link.is_symlink()
    assert target.read_bytes() == make(tmp_path / "whole.jsonl")


@pytest.mark.parametrize("name", ["pipe.jsonl", "link.jsonl"])
def test_a_pipe_is_no_output(tmp_path: Path, name: str) -> None:
    """A result takes the place of a file: that of a pipe or a device, named or led to by a link, is refused."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to("pipe.jsonl")
    with pytest.raises(InputError, match="is a pipe or a device, not a file"), open_partial(tmp_path / name):
        pytest.fail("nothing is to be scored")
    assert (tmp_path / "pipe.jsonl").is_fifo()
    assert len(list(tmp_path.iterdir())) == 2


def test_the_first_attempt_tells_of_the_input(tmp_path: Path) -> None:
    """However often the run goes on, and whatever the manifest lost meanwhile."""
    output = tmp_path / "r.jsonl"
    folder = stop(output, 0, 1)
    (folder / "shard-00000001.jsonl").unlink()
    for _ in range(2):
        with open_partial(output) as partial:
            partial.begin(identity(output, stamp="7 bytes"))
            assert partial.first == identity(output)


def _ids(path: Path) -> list[str]:
    if path.suffix == ".parquet":
        return [str(name) for name in pq.read_table(path)["id"].to_pylist()]
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]
