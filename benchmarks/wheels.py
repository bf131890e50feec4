"""Prints whether every dependency of the base has wheels, by platform and Python; nothing is installed.

    python benchmarks/wheels.py [EXTRA ...]

Asks uv (`pip install uv`) to resolve for each platform with its own markers, from wheels alone. An extra is resolved
together with the base. Where no wheels can be found, the first line of uv's reason is printed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_PLATFORMS = {
    "Linux x86-64": "x86_64-manylinux_2_28",
    "Linux arm64": "aarch64-manylinux_2_28",
    "macOS arm64": "aarch64-apple-darwin",
    "Windows x86-64": "x86_64-pc-windows-msvc",
}
_PYTHONS = ("3.11", "3.12", "3.13")
_PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def main() -> None:
    uv = shutil.which("uv")
    if uv is None:
        sys.exit("uv is not installed: pip install uv")
    extras = [option for name in sys.argv[1:] for option in ("--extra", name)]
    print("| platform | " + " | ".join(_PYTHONS) + " |\n|---" + "|---" * len(_PYTHONS) + "|")
    for platform, triple in _PLATFORMS.items():
        print(f"| {platform} | " + " | ".join(_resolve(uv, triple, python, extras) for python in _PYTHONS) + " |")


def _resolve(uv: str, triple: str, python: str, extras: list[str]) -> str:
    with tempfile.NamedTemporaryFile(suffix=".txt") as output:
        command = [uv, "pip", "compile", "--quiet", "--no-annotate", "--no-header", "--only-binary", ":all:"]
        command += ["--python-platform", triple, "--python-version", python, *extras, str(_PROJECT), "-o", output.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - uv, and our own words
        names = [line for line in Path(output.name).read_text(encoding="utf-8").splitlines() if "==" in line]
    if done.returncode:
        reason = next((line.strip(" ╰─▶×") for line in done.stderr.splitlines() if line.strip()), "no answer")
        return f"no: {reason}"
    numpy = next((name for name in names if name.startswith("numpy==")), "no numpy")
    return f"{len(names)} wheels, {numpy}"


if __name__ == "__main__":
    main()
