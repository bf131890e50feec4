"""Web pages."""

from overread.infrastructure.views.web.pair_page import pair_page

__all__ = ["pair_page"]
