"""The ablations of CREPE (Cho et al. 2025, Table 4) on pairs of one's own: heads, loss, pooling, and the matching aid.

    .venv/bin/python benchmarks/ablation.py --pairs train.jsonl --test heldout.jsonl [--count 16000] [--epochs 2]

Every variant starts from the same untrained backbone and sees the same pairs in the same order; only what its line
names differs from the first. It trains one model a line, on a small encoder: figures compare within the table alone.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

VARIANTS: dict[str, dict[str, object]] = {
    "six heads, MSE + BCE": {},
    "two heads (significant or not)": {"heads": 2},
    "one head (total)": {"heads": 1},
    "MSE only": {"loss": "mse"},
    "Poisson likelihood only": {"loss": "poisson"},
    "[CLS] in place of the pooler": {"pooling": "cls"},
    "without the matching aid": {"matching": 0.0},
}


def main() -> None:
    arguments = parsed()
    from attrs import evolve

    from overread.adapters.bert.crepe._backbone import BackboneSize, write_backbone
    from overread.adapters.bert.crepe.fit import fit_crepe
    from overread.adapters.bert.crepe.options import TrainingOptions
    from overread.domain.results.error_counts import HEAD_NAMES
    from overread.studies.infrastructure.datasets.training_pairs.annotated import read_counted

    size = BackboneSize(layers=arguments.layers, hidden=arguments.hidden)
    table = Table("variant", box=SIMPLE_HEAD, pad_edge=False)
    for column in ("tau", "95 %", "error of total", "where none is"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sample = read_counted(arguments.pairs, HEAD_NAMES[6])[: arguments.count]
        write_backbone((r.text for p in sample for r in (p.pair.reference, p.pair.candidate)), folder / "b", size)
        first = TrainingOptions(
            backbone=str(folder / "b"),
            batch=32,
            learning_rate=1e-3,
            epochs=arguments.epochs,
            matching=1.0,
            patience=99,
            validation=0.05,
        )
        for number, (variant, changes) in enumerate(VARIANTS.items()):
            options = evolve(first, **changes)
            heads = HEAD_NAMES[options.heads]
            pairs = read_counted(arguments.pairs, heads)[: arguments.count]
            test = read_counted(arguments.test, heads)
            report = fit_crepe(pairs, folder / str(number), options, tests={"test": test}).reports["test"]
            tau, error = report.correlation, report.total_error
            table.add_row(
                variant,
                f"{tau.value or 0:.3f}",
                f"{tau.low or 0:.3f}-{tau.high or 0:.3f}",
                f"{error.value or 0:.3f}",
                f"{report.harmless_total or 0:.2f}",
            )
            print(f"{variant}: tau {tau.value or 0:.3f}", flush=True)
    Console(width=80).print(table)
    trained = f"{arguments.count} pairs, {arguments.epochs:g} epochs, {size.layers} layers {size.hidden} wide"
    print(f"{trained}; {len(test)} test pairs")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--pairs", type=Path, required=True, help="pairs to train on, of overread synthesise")
    parser.add_argument("--test", type=Path, required=True, help="pairs of other studies")
    parser.add_argument("--count", type=int, default=16_000, help="pairs of the first file to use")
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=128)
    return parser.parse_args()


if __name__ == "__main__":
    main()
