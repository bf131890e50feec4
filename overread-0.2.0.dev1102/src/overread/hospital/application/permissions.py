"""The one table of who may do what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from overread.exceptions import PermissionDeniedError
from overread.hospital.domain.audit_trail import Actor, Role

__all__ = ["ALLOWED", "FOR_NOBODY", "leads", "permit", "sees_all"]

_SUBMITTER: Final = frozenset({Role.SUBMITTER, Role.ADMIN})
_REVIEWER: Final = frozenset({Role.REVIEWER, Role.LEAD, Role.ADMIN})
_LEAD: Final = frozenset({Role.LEAD, Role.ADMIN})
_BOTH: Final = _SUBMITTER | _REVIEWER
_AUTHOR: Final = frozenset({Role.AUTHOR, Role.ADMIN})
_ADMIN: Final = frozenset({Role.ADMIN})

ALLOWED: Final[Mapping[str, frozenset[Role]]] = {
    "evaluate": _SUBMITTER,
    "submit": _SUBMITTER,
    "batch": _BOTH,
    "batch_results": _BOTH,
    "follow": _BOTH,
    "ingest": _SUBMITTER,
    "merge_patients": _SUBMITTER,
    "record_merges": _SUBMITTER,
    "refusals": _REVIEWER,
    "search": _REVIEWER,
    "pair": _BOTH,
    "examination": _REVIEWER,
    "review": _REVIEWER,
    "draw_sample": _REVIEWER,
    "rates": _REVIEWER,
    "create_protocol": _LEAD,
    "protocols": _LEAD,
    "protocol": _LEAD,
    "close_protocol": _LEAD,
    "agreement": _LEAD,
    "assignments": _REVIEWER,
    "assignment": _REVIEWER,
    "claim_assignment": _REVIEWER,
    "release_assignment": _REVIEWER,
    "review_assignment": _REVIEWER,
    "reassign": _LEAD,
    "charts": _REVIEWER,
    "alarms": _REVIEWER,
    "cases": _REVIEWER,
    "close_case": _REVIEWER,
    "flag_worth": _REVIEWER,
    "monthly_report": _REVIEWER,
    "radpeer_counts": _REVIEWER,
    "coverage": _REVIEWER,
    "add_learning_point": _REVIEWER,
    "learning_points": _REVIEWER,
    "nominate": _REVIEWER,
    "conference": _REVIEWER,
    "mark_presented": _LEAD,
    "add_action": _REVIEWER,
    "change_action": _REVIEWER,
    "open_actions": _REVIEWER,
    "own_pairs": _AUTHOR,
    "own_pair": _AUTHOR,
    "acknowledge": _AUTHOR,
    "answer": _AUTHOR,
    "rescore": _ADMIN,
    "export": _ADMIN,
    "erase_patient": _ADMIN,
    "retain": _ADMIN,
    "audit_trail": _ADMIN,
}
"""Roles by the operation of the service that they open. A submitter sees its batches and their pairs alone."""

FOR_NOBODY: Final[Mapping[str, str]] = {
    "evaluate_together": "each of its requests has an actor, and is permitted as an evaluation of its own",
    "refuse": "what listens for messages calls it, for a message that may have come from anybody",
    "work": "the workers call it, for whoever queued the pairs",
    "close": "whoever made the service ends it",
}
"""Methods of the service that are no operations on somebody's behalf, with the reason."""


def permit(action: str, by: Actor) -> None:
    """Lets those pass whose roles allow an action.

    Raises:
        PermissionDeniedError: for all others; it says which roles may.
    """
    allowed = ALLOWED[action]
    if not allowed & by.roles:
        roles = " or ".join(role.value for role in Role if role in allowed)
        raise PermissionDeniedError(f"{action} needs the role {roles}")


def sees_all(by: Actor) -> bool:
    """Returns whether an actor sees what others submitted."""
    return bool(_REVIEWER & by.roles)


def leads(by: Actor) -> bool:
    """Returns whether an actor plans and follows the readings of others."""
    return bool(_LEAD & by.roles)
