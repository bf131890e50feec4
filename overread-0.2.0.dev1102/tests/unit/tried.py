"""Components that the conformance checks are tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from overread.plugins.specs import ComponentSpec

Check = Callable[[ComponentSpec], None]


def spec_of(factory: Callable[[], Any]) -> ComponentSpec:
    """A spec whose factory needs nothing."""
    return ComponentSpec(name="tried", version="1.0", summary="tried", factory=lambda _options, _components: factory())


def problems_of(check: Check, factory: Callable[[], Any]) -> list[str]:
    """The lines of the check's error."""
    with pytest.raises(AssertionError) as caught:
        check(spec_of(factory))
    first, *problems = str(caught.value).split("\n- ")
    assert first == "tried does not conform:"
    return problems
