"""Digests: what tells one pair from another without keeping its text."""

from __future__ import annotations

import hashlib

from overread.domain.reports.report import ReportPair

__all__ = ["pair_digest"]


def pair_digest(pair: ReportPair) -> str:
    """SHA-256 over all of a pair that a metric can see: both texts, their parts, the context. Its id does not count.

    >>> a, b = ReportPair(id="1", reference="x", candidate="y"), ReportPair(id="2", reference="x", candidate="y")
    >>> pair_digest(a) == pair_digest(b)
    True
    """
    context = pair.context
    age = None if context.age is None else repr(float(context.age))
    fields = (pair.reference.text, pair.candidate.text, age, context.sex, context.indication, context.comparison)
    digest = hashlib.sha256()
    for value in fields:
        data = b"" if value is None else value.encode("utf-8", "surrogatepass")
        # Each field with its length, so that no two pairs run together into the same bytes.
        digest.update(b"-" if value is None else b"%d:" % len(data))
        digest.update(data)
    if pair.reference.parts or pair.candidate.parts:
        parts = [
            [(p.start, p.end, sorted(p.examinations)) for p in side.parts] for side in (pair.reference, pair.candidate)
        ]
        digest.update(repr(parts).encode())
    return digest.hexdigest()
