"""Templates of the pages, and the environment that every page is rendered in."""

from __future__ import annotations

from functools import cache

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template

from overread.domain.results.result import Scored
from overread.infrastructure.views import evidence_rows, wording

__all__ = ["build_environment", "template"]


@cache
def template(name: str) -> Template:
    """A template by its file name; all that it is given is escaped."""
    return _environment().get_template(name)


def build_environment(*loaders: BaseLoader) -> Environment:
    """Builds an environment that escapes whatever it is given, and fails where a template names what is not there.

    Args:
        *loaders: of templates besides those of this package, which they may extend, include, or take the place of.
    """
    environment = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("overread.infrastructure.views.web")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["decimal"] = wording.decimal
    environment.filters["shown"] = wording.make_printable
    environment.filters["lower_first"] = wording.lower_first
    environment.globals |= {"wording": wording, "evidence_rows": evidence_rows}
    environment.tests["scored"] = lambda outcome: isinstance(outcome, Scored)
    environment.tests["noted"] = lambda outcome: isinstance(outcome, Scored) and (outcome.truncated or outcome.notes)
    return environment


@cache
def _environment() -> Environment:
    return build_environment()
