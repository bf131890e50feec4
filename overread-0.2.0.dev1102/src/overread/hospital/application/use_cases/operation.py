"""Operations: what a service does on somebody's behalf, each written once as a public method of a use case."""

from __future__ import annotations

from collections.abc import Callable, Sized
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Final, TypeVar, cast, overload

from overread.hospital.application.permissions import ALLOWED, permit
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.domain.audit_trail import Actor

__all__ = ["is_operation", "operation"]

Method = TypeVar("Method", bound=Callable[..., Any])

_MARK: Final = "_is_operation"


@overload
def operation(method: Method) -> Method: ...


@overload
def operation(*, span_counts: str) -> Callable[[Method], Method]: ...


def operation(method: Method | None = None, *, span_counts: str = "") -> Method | Callable[[Method], Method]:
    """Make a method of a use case an operation: it is refused to those whose roles do not allow it, before all else.

    Args:
        method: takes the actor as the keyword ``by``, and has a row in `permissions.ALLOWED`.
        span_counts: name of an argument. The operation, a refused one too, is then a span of the context's tracer,
            under the method's name, with the number of that argument's items.

    Raises:
        TypeError: while the module is imported, for a method that takes no actor or has no row.
    """
    if method is None:
        return lambda method: _trace(_require_permission(method), span_counts)
    return _require_permission(method)


def is_operation(method: object) -> bool:
    """Return whether a method was made an operation.

    >>> is_operation(print)
    False
    """
    return getattr(method, _MARK, False)


def _require_permission(method: Method) -> Method:
    name = method.__name__
    actor = signature(method).parameters.get("by")
    if actor is None or actor.kind is not Parameter.KEYWORD_ONLY or actor.default is not Parameter.empty:
        raise TypeError(f"operation {name} must take the actor as the keyword by, which cannot be left out")
    if name not in ALLOWED:
        raise TypeError(f"operation {name} has no row in permissions.ALLOWED")

    @wraps(method)
    def check_permission(self: UseCase, *args: Any, by: Actor, **kwargs: Any) -> Any:
        permit(name, by)
        return method(self, *args, by=by, **kwargs)

    setattr(check_permission, _MARK, True)
    return cast(Method, check_permission)


def _trace(method: Method, counted: str) -> Method:
    name, parameters = method.__name__, signature(method)

    @wraps(method)
    def trace(self: UseCase, *args: Any, **kwargs: Any) -> Any:
        items = parameters.bind(self, *args, **kwargs).arguments[counted]
        count = len(items) if isinstance(items, Sized) else None
        with self._context.tracer(name, **{counted: count}):
            return method(self, *args, **kwargs)

    return cast(Method, trace)
