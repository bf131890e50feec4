"""Actions about pairs: what is proposed, to be done, and done."""

from __future__ import annotations

from datetime import datetime

from attrs import evolve

from overread.domain.vocabulary.members import check_member
from overread.exceptions import InputError
from overread.hospital.application.learning import ActionPage
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.learning import check_open
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.learning import ActionKind, ActionState, PairAction

__all__ = ["Following"]

_LARGEST_PAGE = 500
_FIRST = 0


class Following(UseCase):
    """Follows what is done about pairs."""

    @operation
    @again_if_busy
    def add_action(
        self,
        number: int,
        *,
        by: Actor,
        kind: ActionKind,
        state: ActionState = ActionState.OPEN,
        due: datetime | None = None,
    ) -> PairAction:
        """Note what is to be done about a pair, or was. Reviewer.

        Args:
            number: of the pair.
            by: on whose behalf.
            kind: what is done.
            state: how far it is.
            due: when it is to be done, with its zone; None for no date.

        Raises:
            NotFoundError: if there is no such pair.
            InputError: if they read the pair blinded, or the date has no zone.
        """
        check_member(ActionKind, "kind", kind)
        check_member(ActionState, "state", state)
        _check_due(due)
        now = self._context.now()
        with self._context.store.transaction() as unit:
            check_open(unit, number, by)
            action = PairAction(
                number=_FIRST,
                pair=number,
                kind=kind,
                state=state,
                due=due,
                made=now,
                made_by=by.name,
                changed=now,
                changed_by=by.name,
            )
            kept = unit.actions.get(unit.actions.add(action))
            self._context.note(unit, by, "action", f"pair:{number}", _action_details(kept))
        return kept

    @operation
    @again_if_busy
    def change_action(self, number: int, *, by: Actor, state: ActionState, due: datetime | None = None) -> PairAction:
        """Note how far an action is; its due date stays where none is given. Reviewer."""
        check_member(ActionState, "state", state)
        _check_due(due)
        with self._context.store.transaction() as unit:
            known = unit.actions.get(number)
            check_open(unit, known.pair, by)
            changed = evolve(known, state=state, due=due or known.due, changed=self._context.now(), changed_by=by.name)
            unit.actions.change(changed)
            details = {**_action_details(changed), "from": known.state.value}
            self._context.note(unit, by, "action", f"pair:{known.pair}", details)
        return changed

    @operation
    def open_actions(self, *, by: Actor, after: int = 0, limit: int = 50) -> ActionPage:
        """Actions that are not done, without those of pairs that who asks reads blinded. Reviewer.

        Args:
            by: on whose behalf.
            after: number of the action after which the list goes on.
            limit: actions, 1 to 500.
        """
        if after < 0 or not 1 <= limit <= _LARGEST_PAGE:
            raise InputError("actions", f"after must be 0 or more, and limit 1 to {_LARGEST_PAGE}")
        with self._context.store.reading() as unit:
            undone = unit.actions.undone(after, limit + 1, hidden_from=by.name)
        shown = undone[:limit]
        self._context.tell(by, "actions", details={"actions": len(shown)})
        return ActionPage(actions=shown, next=shown[-1].number if len(undone) > limit else None)


def _check_due(due: datetime | None) -> None:
    if due is not None and due.tzinfo is None:
        raise InputError("action", "due must be a time with a time zone")


def _action_details(action: PairAction) -> dict[str, str | int]:
    due = action.due.isoformat() if action.due is not None else "none"
    return {"action": action.number, "kind": action.kind.value, "state": action.state.value, "due": due}
