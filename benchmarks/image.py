"""Builds docs/deploy/Containerfile by buildah, runs the image, lets it score a pair and stops it. As root, on Debian.

python benchmarks/image.py                                     # in a temporary folder, of some 8 GB
python benchmarks/image.py --volume /etc/pip.conf:/etc/pip.conf:ro /srv/wheels:/srv/wheels:ro    # that the build sees

No image is pulled: the base is a Debian made by debootstrap with its own Python, under the name that the file gives its
base. The image runs in a chroot, as buildah does without a container runtime, on a network of its own. Nothing of its
read-only root, capabilities and limits is tried here; tests/integration/test_container.py does. Ends with status 1 if
anything fails.
"""
# ruff: noqa: S603, S607 - our own commands

from __future__ import annotations

import argparse
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from os import kill
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

_ROOT = Path(__file__).parents[1]
_FILE = _ROOT / "docs" / "deploy" / "Containerfile"
_PACKAGES = "python3,python3-venv,ca-certificates"
_READY_S = 180.0
_SETTINGS = '[hospital]\nstore = "/var/lib/overread/hospital.db"\nkey_file = "/var/lib/overread/text-keys"\n'

_SCORE = """
import json, sys, time, urllib.request
key, place = sys.argv[1], "http://127.0.0.1:8080/api/v1/batches"
def ask(url, body=None):
    request = urllib.request.Request(url, data=body and json.dumps(body).encode())
    request.add_header("Authorization", "Bearer " + key)
    request.add_header("Content-Type", "application/json")
    return json.loads(urllib.request.urlopen(request, timeout=60).read())
pair = {"id": "1", "reference": "Small left pneumothorax.", "candidate": "No pneumothorax."}
number = ask(place, {"pairs": [pair]})["number"]
while (state := ask(f"{place}/{number}"))["waiting"]:
    time.sleep(0.2)
sys.exit(0 if state["scored"] == 1 else f"not scored: {state}")
"""


@frozen
class Buildah:
    """Buildah with a storage of its own.

    Attributes:
        folder: that holds it.
    """

    folder: Path

    def command(self, *arguments: str) -> list[str]:
        """A command of it."""
        storage = [
            "--storage-driver",
            "vfs",
            "--root",
            str(self.folder / "images"),
            "--runroot",
            str(self.folder / "run"),
        ]
        return ["buildah", *storage, *arguments]

    def do(self, *arguments: str) -> str:
        """What a command answers."""
        return subprocess.run(self.command(*arguments), check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--volume", nargs="*", default=[], help="files and folders that the build sees: FROM:TO:ro")
    parser.add_argument("--folder", type=Path, help="where everything is kept, for the next time to be faster")
    chosen = parser.parse_args()
    missing = [tool for tool in ("buildah", "debootstrap", "unshare", "nsenter", "ip") if shutil.which(tool) is None]
    if missing:
        print(f"not installed: {', '.join(missing)}")
        return 1
    if chosen.folder is not None:
        _try(chosen.folder, chosen.volume)
    else:
        with TemporaryDirectory() as folder:
            _try(Path(folder), chosen.volume)
    return 0


def _try(folder: Path, volumes: Iterable[str]) -> None:
    buildah = Buildah(folder)
    base = re.findall(r"^ARG BASE=(\S+)$", _FILE.read_text(encoding="utf-8"), re.MULTILINE)[0]
    _make_base(buildah, f"localhost/{base}")
    began = time.monotonic()
    binds = [word for volume in volumes for word in ("--volume", volume)]
    options = ["--isolation", "chroot", "--pull-never", "--layers", "--format", "docker", *binds]
    buildah.do("build", *options, "--file", str(_FILE), "--tag", "localhost/overread", str(_ROOT))
    print(f"built in {time.monotonic() - began:.0f} s")
    _run(buildah)


def _make_base(buildah: Buildah, name: str) -> None:
    if name in buildah.do("images", "--format", "{{.Name}}:{{.Tag}}").split():
        return
    root = buildah.folder / "base"
    # What debootstrap mounts goes with it.
    subprocess.run(
        ["unshare", "--mount", "debootstrap", "--variant=minbase", f"--include={_PACKAGES}", "bookworm", root],
        check=True,
    )
    (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    archive = buildah.folder / "base.tar"
    left_out = ["--exclude=./dev", "--exclude=./proc", "--exclude=./sys", "--exclude=./var/cache/apt/archives/*.deb"]
    subprocess.run(["tar", "-C", root, "-cf", archive, *left_out, "."], check=True)
    container = buildah.do("from", "scratch")
    buildah.do("add", container, str(archive), "/")
    buildah.do("config", "--env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container)
    buildah.do("commit", "--rm", container, name)
    archive.unlink()


def _run(buildah: Buildah) -> None:
    told = json.loads(buildah.do("inspect", "--type", "image", "localhost/overread"))["Docker"]["config"]
    etc = buildah.folder / "etc"
    etc.mkdir(exist_ok=True)
    (etc / "overread.toml").write_text(_SETTINGS, encoding="utf-8")
    container = buildah.do("from", "--pull-never", "localhost/overread")
    inside = ["run", "--isolation", "chroot", "--volume", f"{etc}:/etc/overread:ro", container, "--"]
    user = "uid=10001(overread) gid=10001(overread) groups=10001(overread)"
    _demand(buildah.do(*inside, "id") == user, "the user is another one")
    print("runs as", told["User"])
    entry = told["Entrypoint"]
    buildah.do(*inside, *entry, "rotate-keys", "--new-key", "--key-file", "/var/lib/overread/text-keys")
    key = buildah.do(*inside, *entry, "keys", "create", "tester", "--role", "admin", *told["Cmd"][1:])
    alone = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    process = subprocess.Popen([*alone, *buildah.command(*inside, *entry, *told["Cmd"])])
    try:
        beside = ["nsenter", "--net", "--target", str(process.pid), *buildah.command(*inside)]
        kind, *check = told["Healthcheck"]["Test"]
        _demand(kind == "CMD", "the health check is no command")
        until = time.monotonic() + _READY_S
        while subprocess.run([*beside, *check], check=False, capture_output=True).returncode:
            _demand(process.poll() is None, "it ended")
            _demand(time.monotonic() < until, "it never became healthy")
            time.sleep(1)
        print("is healthy")
        subprocess.run([*beside, "python", "-c", _SCORE, key], check=True)
        print("scores")
        kill(_innermost(process.pid), signal.SIGTERM)
        _demand(process.wait(60) == 0, "it did not end well")
        print("stops well")
    finally:
        process.kill()
        process.wait()
        buildah.do("rm", container)


def _demand(holds: object, otherwise: str) -> None:
    if not holds:
        sys.exit(otherwise)


def _innermost(pid: int) -> int:
    """The service below buildah's processes, which pass no signal on."""
    while children := _children(pid):
        commands = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
        pid = next((child for child, command in commands.items() if b"overread" in command), children[0])
    return pid


def _children(pid: int) -> list[int]:
    """Those of any thread: buildah starts processes from several."""
    told = [place.read_text(encoding="ascii") for place in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for each in told for child in each.split()]


if __name__ == "__main__":
    sys.exit(main())
