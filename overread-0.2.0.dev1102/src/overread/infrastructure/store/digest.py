"""Digests of pairs, by which the store knows them."""

from overread.domain.reports.pair_digest import pair_digest

__all__ = ["pair_digest"]
