"""``python -m overread``, and the program ``overread``: Ctrl-C is told even while it starts."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Runs the command line."""
    try:
        from overread.cli.app import main as run  # noqa: PLC0415 - what takes time is to be imported within the try
    except KeyboardInterrupt:
        sys.stderr.write(
            "overread: interrupted: nothing was written; the same command starts again from the beginning\n"
        )
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
