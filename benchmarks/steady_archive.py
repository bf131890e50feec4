"""Rewrites a source archive so that it is the same bytes whenever it is built: sorted, of nobody, of one time.

    SOURCE_DATE_EPOCH=... python benchmarks/steady_archive.py dist/overread-0.2.0.tar.gz

setuptools does so for wheels alone.
"""

from __future__ import annotations

import gzip
import os
import sys
import tarfile
from pathlib import Path


def main() -> None:
    path, time = Path(sys.argv[1]), int(os.environ["SOURCE_DATE_EPOCH"])
    unfinished = path.with_suffix(".partial")
    with (
        tarfile.open(path) as given,
        unfinished.open("wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=time) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as steady,
    ):
        for member in sorted(given.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            steady.addfile(member, given.extractfile(member) if member.isfile() else None)
    unfinished.replace(path)


if __name__ == "__main__":
    main()
