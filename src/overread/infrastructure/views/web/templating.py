"""Templates of the pages."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from overread.domain.results.result import Scored
from overread.infrastructure.views import evidence_rows, wording

__all__ = ["template"]


@cache
def template(name: str) -> Template:
    """A template by its file name; all that it is given is escaped."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("overread.infrastructure.views.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["decimal"] = wording.decimal
    environment.filters["shown"] = wording.shown
    environment.globals |= {"wording": wording, "evidence_rows": evidence_rows}
    environment.tests["scored"] = lambda outcome: isinstance(outcome, Scored)
    environment.tests["noted"] = lambda outcome: isinstance(outcome, Scored) and (outcome.truncated or outcome.notes)
    return environment
