"""Metrics that ask a language model, with one that answers at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from _common import Row, Timing, measure_service

GREEN = """[Explanation]:
Invented.

[Clinically Significant Errors]:
(a) False report of a finding in the candidate: 1. an effusion
(b) Missing a finding present in the reference: 0.
(c) Misidentification of a finding's anatomic location/position: 0.
(d) Misassessment of the severity of a finding: 0.
(e) Mentioning a comparison that isn't in the reference: 0.
(f) Omitting a comparison detailing a change from a prior study: 0.

[Clinically Insignificant Errors]:
No insignificant errors.

[Matched Findings]:
2. heart size; clear lungs
"""
JUDGE = '{"critical": {}, "significant": {}, "insignificant": {}, "explanation": "Invented."}'
ANSWERS = {"green": GREEN, "judge": JUDGE}


def measure_asking(metric: str, rows: Sequence[Row]) -> Timing:
    """As `_common.measure`, with a model that gives every question the same answer."""
    from overread.application.asking.tally import AnswerTally
    from overread.application.ports import Request
    from overread.bootstrap.services import build_service
    from overread.domain.results.answer import Completion
    from overread.infrastructure.settings import Settings
    from overread.plugins.assembly import Assembly
    from overread.plugins.catalogue import Catalogue

    class Instant:
        identity, note = "instant", ""

        def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
            yield from ((index, Completion(ANSWERS[metric], model="instant")) for index in range(len(requests)))

        def count_tokens(self, request: Request) -> int:
            return sum(len(message.text) for message in request.messages) // 4

    def service() -> Any:
        catalogue = Catalogue.discover()
        assembly = Assembly(catalogue, provided={"model": Instant(), "answers": AnswerTally()})
        return build_service(Settings(metrics=(metric,)), catalogue=catalogue, assembly=assembly)

    return measure_service(service, rows)
