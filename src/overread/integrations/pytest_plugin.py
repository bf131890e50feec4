"""A plugin of pytest: tests that fail when a generator got significantly worse than its last accepted run.

It is there in every project that has overread and pytest, so that nothing of overread's is imported before a test asks
for the fixture. The fixture needs the extra ``pytest``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from overread.extras import require

if TYPE_CHECKING:
    from overread.studies.application.comparison import Limits

__all__ = ["Baselines", "overread_baseline"]

_WRITTEN: Final = "overread_baseline_written"
_UPDATE: Final = "--overread-update"
_FOLDER: Final = "overread_baselines"


class Baselines:
    """Baselines that results of tests are held against: files of results without report text.

    Args:
        folder: of the files.
        update: whether results are written as the new baselines instead.
        tell: is told each file that was written.
    """

    def __init__(self, folder: Path, *, update: bool, tell: Callable[[Path], None]) -> None:
        self._folder = folder
        self._update = update
        self._tell = tell

    def check(
        self,
        name: str,
        results: Any,
        *,
        metrics: str | Sequence[str] = (),
        margin: float | Mapping[str, float] = 0.0,
        max_lost: float = 0.0,
        studies: Mapping[str, str] | None = None,
        draws: int = 10_000,
        seed: int = 0,
        force: bool = False,
    ) -> None:
        """Fails the test if results are significantly worse than the baseline, or lack scores that it has.

        Pairs are matched by id; the test is that of `overread compare`, by study and corrected over the metrics.

        Args:
            name: of the baseline; its file is NAME.jsonl.
            results: as `overread.score_many` gives them, or a file that `overread corpus` wrote.
            metrics: names of those that count; all of the baseline where omitted.
            margin: loss of a metric's mean that passes, in its own units; or by metric, 0 for those not named.
            max_lost: share of the pairs scored in the baseline that may have no score any more.
            studies: by pair id; each pair is a study of its own where omitted.
            draws: of the interval and of the test.
            seed: of the draws.
            force: compare scores made with different settings, too.
        """
        __tracebackhide__ = True
        from overread.exceptions import OverreadError  # noqa: PLC0415 - a plugin imports what is asked for alone
        from overread.studies.bootstrap.baselines import check_against_baseline, write_baseline  # noqa: PLC0415

        path = self._folder / f"{name}.jsonl"
        accept = f"accept the results as its new baseline with: pytest {_UPDATE}"
        try:
            if self._update:
                write_baseline(path, results)
                self._tell(path)
                return
            if not path.exists():
                pytest.fail(f"{name}: there is no baseline {path}; {accept}", pytrace=False)
            found = check_against_baseline(
                path,
                results,
                limits=_limits(margin, max_lost),
                metrics=metrics,
                studies=studies,
                draws=draws,
                seed=seed,
                force=force,
            )
        except OverreadError as error:
            pytest.fail(f"{name}: cannot be held against {path}: {error}\n{accept}", pytrace=False)
        if found.fails:
            lines = "\n".join(f"  {line}" for line in found.describe())
            pytest.fail(f"{name}: worse than the baseline {path}\n{lines}\n{accept}", pytrace=False)


@pytest.fixture
def overread_baseline(request: pytest.FixtureRequest) -> Baselines:
    """Holds results of overread against a stored baseline: ``overread_baseline.check("drafts", results, margin=0.01)``.

    The files lie in the folder ``baselines`` beside the test, or in that of the setting ``overread_baselines``.
    """
    require("the fixture overread_baseline", "pytest")
    chosen = str(request.config.getini(_FOLDER))
    folder = request.config.rootpath / chosen if chosen else request.path.parent / "baselines"
    properties = request.node.user_properties
    update = bool(request.config.getoption(_UPDATE))
    return Baselines(folder, update=update, tell=lambda path: properties.append((_WRITTEN, str(path))))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that accepts results, and the setting of the folder."""
    words = "write what overread_baseline.check is given as the new baselines, instead of checking it"
    parser.getgroup("overread").addoption(_UPDATE, action="store_true", default=False, help=words)
    parser.addini(_FOLDER, "folder of overread's baselines; by default the folder baselines beside each test")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tells which baselines were written."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    properties = [each for report in reports for each in getattr(report, "user_properties", ())]
    for path in dict.fromkeys(path for name, path in properties if name == _WRITTEN):
        terminalreporter.write_line(f"overread: wrote the baseline {path}")


def _limits(margin: float | Mapping[str, float], max_lost: float) -> Limits:
    from overread.studies.application.comparison import Limits  # noqa: PLC0415 - as above

    if isinstance(margin, Mapping):
        return Limits(margins=margin, max_lost=max_lost)
    return Limits(margin=margin, max_lost=max_lost)
