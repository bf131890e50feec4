"""Times how versions of reports come in to a hospital's store, in SQLite, without scoring.

Each of 350 invented examinations gets a preliminary and a final report, one call each. Prints versions a second by the
clock and milliseconds of processor time a version, of the first 50 examinations and then of each 150. To compare two
trees, run it in both by turns: ``PYTHONPATH=TREE/src OMP_NUM_THREADS=1 python benchmarks/hospital_ingest.py``.
"""

from __future__ import annotations

import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import overread

_BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
_PARTS = (range(50), range(50, 200), range(200, 350))
_TEXTS = {
    overread.ReportStatus.PRELIMINARY: "Small left effusion. No pneumothorax.",
    overread.ReportStatus.FINAL: "Small right effusion. No pneumothorax.",
}
_FEED = overread.Actor(name="feed", roles={overread.Role.SUBMITTER})


def main() -> None:
    """Prints a line for each part."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"hospital": {"store": str(Path(folder) / "hospital.db"), "texts": "plain"}}
        with overread.open_hospital(settings) as service:
            for part in _PARTS:
                print(_ingest(service, part))


def _ingest(service: overread.HospitalService, numbers: range) -> str:
    begun, worked = time.perf_counter(), time.process_time()
    for number in numbers:
        for status in _TEXTS:
            service.ingest([_version(number, status)], by=_FEED)
    count = len(_TEXTS) * len(numbers)
    rate, cost = count / (time.perf_counter() - begun), 1000 * (time.process_time() - worked) / count
    return f"{count} versions: {rate:.1f} a second, {cost:.2f} ms of processor time each"


def _version(number: int, status: overread.ReportStatus) -> overread.ReportVersion:
    examination = overread.Examination(site="north", accession=f"A{number}", patient=f"P{number % 97}", modality="CT")
    return overread.ReportVersion(
        examinations=[examination],
        status=status,
        text=_TEXTS[status],
        reader="KIM",
        source="hl7",
        message=f"M{number}-{status.value}",
        issued=_BEGIN + timedelta(minutes=number),
    )


if __name__ == "__main__":
    main()
