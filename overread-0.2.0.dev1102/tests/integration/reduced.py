"""One of two processes that share a metric's pairs: scores its own, and writes what both come to, for each case."""

from __future__ import annotations

import json
import sys
from datetime import timedelta

import torch.distributed as dist

from overread.integrations.torchmetrics import ReportMetric


def main(rank: int, meeting: str, pairs: str, output: str) -> None:
    """Scores every second pair of the first part alone; the metric gathers the others.

    Args:
        rank: 0 or 1.
        meeting: file where the two find each other.
        pairs: file with cases, each a list of predictions and targets for each rank.
        output: file for what this process computes.
    """
    dist.init_process_group(
        "gloo", init_method=f"file://{meeting}", rank=rank, world_size=2, timeout=timedelta(minutes=5)
    )
    with open(pairs, encoding="utf-8") as file:  # noqa: PTH123 - as plain as can be
        cases = json.load(file)
    found = []
    for case in cases:
        metric = ReportMetric(["rouge", "bleu"], on_error="skip")
        for predictions, targets in case[rank]:
            metric.update(predictions, targets)
        found.append({name: value.tolist() for name, value in metric.compute().items()})
    with open(f"{output}.{rank}", "w", encoding="utf-8") as file:  # noqa: PTH123 - as above
        json.dump(found, file)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
