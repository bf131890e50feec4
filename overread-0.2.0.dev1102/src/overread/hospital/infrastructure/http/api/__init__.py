"""The API under /api/v1."""

from overread.hospital.infrastructure.http.api._routes import API_ROUTERS, DESCRIPTION

__all__ = ["API_ROUTERS", "DESCRIPTION"]
