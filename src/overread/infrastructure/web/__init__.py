"""Web pages."""

from overread.infrastructure.web.pair_page import pair_page

__all__ = ["pair_page"]
