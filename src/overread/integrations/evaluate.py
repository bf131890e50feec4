"""Metrics as modules of Hugging Face's ``evaluate`` library. This module needs the extra ``evaluate``.

``evaluate.load`` takes the path of this file, so that nothing is fetched:
``evaluate.load(overread.integrations.evaluate.__file__, "notation")``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from overread.bootstrap.interface import SettingsLike
from overread.exceptions import InputError
from overread.extras import require
from overread.integrations.computing import CorpusMetric, Scorer, list_pairs

require("a module of evaluate", "evaluate")

import datasets  # noqa: E402 - what is missing is told first
import evaluate  # noqa: E402 - as above

__all__ = ["Overread"]

_DESCRIPTION: Final = """\
Scores AI-drafted radiology reports against radiologists' own by metrics of overread: what is wrong, and how much it
matters. The configuration names the metric, or several with commas between them.
"""
_INPUTS: Final = """
Args:
    predictions: reports under test, as text.
    references: a radiologist's report for each, as text.

Returns:
    NAME, the mean of each metric over its scored pairs, NaN where there are none; pairs, how many there are;
    NAME_scored and NAME_unscored, how many of them have a score and how many none.
"""
_CITATION: Final = """\
@software{overread,
    title = {overread},
    author = {{The overread contributors}},
    license = {Apache-2.0},
}
"""


class Overread(evaluate.Metric):  # type: ignore[misc]
    """One or more metrics over reports, as every metric of ``evaluate`` is used.

    Reports are held in memory, and written to no cache, unless several processes gather them there.

    Args:
        config_name: the metric, or several with commas between them.
        settings: which components and options to use; the defaults where omitted.
        more: options of ``evaluate.Metric``.

    Raises:
        ConfigurationError: if there is no such metric.
    """

    def __init__(
        self,
        config_name: str | None = None,
        *,
        settings: SettingsLike | None = None,
        **more: Any,
    ) -> None:
        names = (config_name or "radot").replace(" ", "").split(",")
        self._scorer = Scorer.of(names, "fail", settings)
        alone = more.get("num_process", 1) == 1
        super().__init__("+".join(names), **{**more, "keep_in_memory": alone})

    @property
    def higher_is_better(self) -> dict[str, bool]:
        """Direction of each metric."""
        return dict(self._scorer.higher_is_better)

    def add_batch(self, *, predictions: Iterable[Any], references: Iterable[Any]) -> None:
        """Collects pairs.

        Raises:
            InputError: if there are not as many of one as of the other, it is not clear which belong together, or any
                report is no text.
        """
        predictions, references = list_pairs(predictions, references)
        for name, reports in (("predictions", predictions), ("references", references)):
            _check_texts(name, reports)
        evaluate.Metric.add_batch(self, predictions=predictions, references=references)

    def add(self, *, prediction: Any, reference: Any) -> None:
        """Collects a pair. Raises `InputError` if a report is no text."""
        self.add_batch(predictions=[prediction], references=[reference])

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": text, "references": text}),
            license="Apache-2.0",
        )

    def _compute(self, *, predictions: Sequence[Any], references: Sequence[Any]) -> dict[str, float]:
        return CorpusMetric(self._scorer).compute(predictions=predictions, references=references)


def _check_texts(name: str, reports: Sequence[Any]) -> None:
    """The library's own error would quote the reports."""
    bad = [row for row, report in enumerate(reports, start=1) if not isinstance(report, str)]
    if bad:
        kind = type(reports[bad[0] - 1]).__name__
        raise InputError(name, f"is {kind}, not text", row=bad[0], remedy="give an empty string for no report")
