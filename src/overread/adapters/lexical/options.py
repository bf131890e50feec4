"""Options of the word-overlap baselines."""

from __future__ import annotations

from attrs import field, frozen

__all__ = ["BleuOptions", "RougeOptions"]


@frozen(kw_only=True)
class BleuOptions:
    """Options of bleu: ``order`` is the longest n-gram, ``lowercase`` folds case."""

    order: int = field(default=4, metadata={"argument": True})
    lowercase: bool = True


@frozen(kw_only=True)
class RougeOptions:
    """Options of rouge: ``variant`` is rougeL, rouge1 or rouge2; ``stemming`` is Porter's."""

    variant: str = field(default="rougeL", metadata={"argument": True})
    stemming: bool = True
