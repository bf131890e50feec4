"""Options of the word-overlap baselines."""

from __future__ import annotations

from attrs import field, frozen, validators

__all__ = ["BleuOptions", "RougeOptions"]


@frozen(kw_only=True)
class BleuOptions:
    """Options of bleu: ``order`` is the longest n-gram, ``lowercase`` folds case, ``max_words`` a report may have."""

    order: int = field(default=4, metadata={"argument": True})
    lowercase: bool = True
    max_words: int = field(default=100_000, validator=validators.ge(1))


@frozen(kw_only=True)
class RougeOptions:
    """Options of rouge: ``variant`` is rougeL, rouge1, rouge2; ``stemming`` is Porter's; ``max_words`` of a report."""

    variant: str = field(default="rougeL", metadata={"argument": True})
    stemming: bool = True
    max_words: int = field(default=3_000, validator=validators.ge(1))
