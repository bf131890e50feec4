"""Pairs per second of the default metrics beside ROUGE-L with stemming, in one run.

    make bench                      on generated reports
    make bench PAIRS=pairs.jsonl    on your own (columns id, reference, candidate)

Cold is a fresh process's first pass over the pairs; warm is the second pass, with every sentence already read. Each
metric runs in a process of its own, so that peak memory is its own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from _common import generated, in_process, load, print_beside_rouge

RUNS = (("radot",), ("notation",), ("radot", "notation"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, help="JSONL file; generated reports where omitted")
    parser.add_argument("--studies", type=int, default=500, help="generated studies, four pairs each")
    arguments = parser.parse_args()
    rows = load(arguments.pairs) if arguments.pairs else in_process(generated, arguments.studies)
    print(f"{len(rows)} pairs, one process each; Python {sys.version.split()[0]}")
    print_beside_rouge(RUNS, rows)


if __name__ == "__main__":
    main()
