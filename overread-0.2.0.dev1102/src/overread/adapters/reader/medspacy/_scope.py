"""Reach of a ConText cue: medspaCy's scopes, cut where a new clause begins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Protocol

from attrs import frozen

from overread.adapters.lexicon.grammar import ClauseWords

__all__ = ["CHANGES", "Range", "Sentence"]

CHANGES: Final = frozenset({"RESOLVED", "WORSENED", "IMPROVED", "NEW", "STABLE"})
"""Categories of cues that compare with an earlier examination."""

# A history, a family's or a question is a list of diseases, whatever joins them: only the end of a scope ends it.
_OF_THE_PAST: Final = frozenset({"HISTORICAL", "FAMILY", "HYPOTHETICAL"})

# What says whether a finding is there, or whether that can be told. It says nothing of what it takes for granted.
_JUDGING: Final = frozenset({"NEGATED", "LIMITATION"})

# What leads from a conclusion to what is concluded, and what may stand before one.
_LEADING: Final = frozenset({"for", "of", "with"})
_MARKS: Final = frozenset({",", "-", "and"})

# What is out or in is a thing, put there or taken away.
_OF_THINGS: Final = frozenset({"RESOLVED", "NEW"})


class Range(Protocol):
    """Words ``[start, end)`` of a sentence."""

    @property
    def start(self) -> int:
        """The first word."""

    @property
    def end(self) -> int:
        """One past the last word."""


@frozen
class Sentence:
    """A sentence's words and where its targets, normal statements, attributes and scope ends stand."""

    rules: ClauseWords
    words: Sequence[str]
    targets: Sequence[Range]
    normals: frozenset[int]
    degrees: frozenset[int]
    strong_degrees: frozenset[int]
    sides: frozenset[int]
    covered: frozenset[int]
    changes: frozenset[int]
    stops: Sequence[Range]
    breaks: Sequence[Range] = ()

    def bears_on(self, category: str, cue: Range, index: int) -> bool:
        """Return whether a cue that medspaCy links to the target at ``index`` really bears on it."""
        target = self.targets[index]
        category = "NEGATED" if category == "NEVER" else category
        if self._is_parted(category, cue, target) or self._is_beside(category, cue, index):
            return False
        # What was done stands right behind "status post"; what follows is what the picture shows today.
        if category == "STATUS_POST":
            return index == next(i for i, other in enumerate(self.targets) if other.start >= cue.end)
        is_in_front = cue.end <= target.start
        if category == "LIMITATION":
            return self._is_object(cue, index) if is_in_front else self._is_subject(cue, index)
        if is_in_front:
            return not self._ends_before(category, cue, index)
        return target.end > cue.start or not self._belongs_behind(category, cue, index)

    def _is_parted(self, category: str, cue: Range, target: Range) -> bool:
        """Return whether an end of scopes stands between a cue and a target."""
        stops = self.stops if category in _OF_THE_PAST else (*self.stops, *self.breaks)
        if any(self._parts(stop, cue, target) for stop in stops):
            return True
        return category == "LIMITATION" and any(cue.end <= s.start and s.end <= target.start for s in stops)

    def _is_beside(self, category: str, cue: Range, index: int) -> bool:
        """Return whether a cue within reach of a target is about something else."""
        is_particle = category in _OF_THINGS and self.words[cue.start] in self.rules.particles
        if is_particle and not self._is_right_behind(self.targets[index], cue):
            return True
        if category == "POSSIBLE":
            return self._is_no_doubt(cue, index)
        return category in _JUDGING and self._is_granted(category, cue, index)

    def _is_granted(self, category: str, cue: Range, index: int) -> bool:
        """Return whether a denial or a limitation takes a target for granted: "the cause of the effusion is not seen".

        So does "no stone to explain the hydronephrosis", and "no sign that the pneumothorax is any smaller".
        """
        target = self.targets[index]
        is_behind = cue.end <= target.start
        aspects = self.rules.given
        if category == "LIMITATION":
            aspects |= self.rules.aspects | self.rules.quantities
        elif not is_behind:
            aspects |= self.rules.aspects
        lead = target.start - 1
        while lead > 0 and lead in self.covered:
            lead -= 1
        if lead > 0 and self.words[lead] in self.rules.links and self.words[lead - 1] in aspects:
            return True
        if is_behind and self.words[lead] == "for" and not self.rules.given.isdisjoint(self.words[cue.start : lead]):
            return True
        if index and not self._is_apart(self._gap_range(index)) and self.targets[index - 1].start >= cue.end:
            return self._is_granted(category, cue, index - 1)
        return is_behind and (self._accounts(cue, target) or self._says_more(cue, target))

    def _accounts(self, cue: Range, target: Range) -> bool:
        """Return whether a finding is named as what is to be explained, not as what might explain it."""
        between = self.words[cue.end : target.start]
        last = max((i for i, word in enumerate(between) if word in self.rules.accounting), default=None)
        return last is not None and self.rules.naming.isdisjoint(between[last:])

    def _says_more(self, cue: Range, target: Range) -> bool:
        """Return whether a change of the target is denied: "nothing suggests that the effusion is any smaller"."""
        behind = self.words[target.end : target.end + 3]
        if any(word == "any" and after in self.rules.comparatives for word, after in pairwise(behind)):
            return True
        is_clause = "that" in self.words[cue.end - 1 : target.start] and behind and behind[0] in self.rules.verbs
        return bool(is_clause) and not self.changes.isdisjoint(range(target.end, target.end + 3))

    def _is_object(self, cue: Range, index: int) -> bool:
        """Return whether a limitation in front is of the target: "may hide a nodule", not "limited by an effusion"."""
        start = cue.end
        for i, target in enumerate(self.targets[: index + 1]):
            if target.start < cue.end:
                continue
            lead = range(start, target.start)
            if self._is_clause(i) or self._begins_clause(lead, cue) or self._has_agent(lead):
                return False
            start = target.end
        return self._asks_for(cue, self.targets[index])

    def _asks_for(self, cue: Range, target: Range) -> bool:
        """Return whether a question behind a cue, if there is one, asks whether the target is there.

        "Impossible to say whether there is a fracture" leaves it open; "whether the mass is a cyst" does not.
        """
        asked = max((i for i in range(cue.end, target.start) if self.words[i] in self.rules.questions), default=None)
        if asked is None or self.words[asked + 1] == "there":
            return True
        return not self.rules.existing.isdisjoint(self.words[target.end : target.end + 5])

    def _is_subject(self, cue: Range, index: int) -> bool:
        """Return whether a limitation behind is of the target: "effusions may be missed".

        It isn't if the target has its own verb ("there is an effusion, and nodules may be missed"), or if the
        limitation stands in a clause that only describes it ("a fracture that may be missed").
        """
        target = self.targets[index]
        if self._is_clause(index) or (cue.start and self.words[cue.start - 1] in self.rules.relatives):
            return False
        later = [other for other in self.targets[index + 1 :] if other.end <= cue.start]
        if later and (self._belongs_behind("LIMITATION", cue, index) or self._is_pair_of_clauses(index, later[0])):
            return False
        gap = range(target.end, cue.start)
        if not self.rules.questions.isdisjoint(self.words[target.end : cue.start]) or self._is_identity(cue, target):
            return False
        last = max((i for i in gap if self._parts_clauses(i)), default=None)
        if last is None:
            return True
        if self._is_spliced(gap, last):
            return False
        opening = max((i for i in range(target.start) if self._parts_clauses(i)), default=-1)
        return not self._says(range(opening + 1, target.start)) and not self._says(range(target.end, last))

    def _is_spliced(self, gap: range, last: int) -> bool:
        """Return whether a single comma parts a target from another subject: "old scar, activity cannot be judged"."""
        if self.words[last] != "," or sum(self.words[i] == "," for i in gap) > 1:
            return False
        subject = range(last + 1, gap.stop)
        if not subject or self.words[subject.start] in self.rules.relatives | self.rules.list_joints:
            return False
        if (self.rules.modals | self.rules.auxiliaries).issuperset(self.words[subject.start : subject.stop]):
            return False
        return all(other.end <= last or other.start >= gap.stop for other in self.targets)

    def _is_identity(self, cue: Range, target: Range) -> bool:
        """Check if the question is what another finding is: "whether the opacity is pneumonia cannot be determined"."""
        asked = max((i for i in range(target.start) if self.words[i] in self.rules.questions), default=None)
        if asked is None or self.words[asked + 1] == "there":
            return False
        is_of_another = any(asked < other.start < target.start for other in self.targets)
        return is_of_another and self.rules.existing.isdisjoint(self.words[target.end : cue.start])

    def _is_pair_of_clauses(self, index: int, following: Range) -> bool:
        """Return whether a comma and an "and" separate two findings, neither of them the item of a longer list."""
        gap = [i for i in range(self.targets[index].end, following.start) if i not in self.covered]
        is_parted = [self.words[i] for i in gap] == [",", "and"]
        return is_parted and (index == 0 or self._is_apart(self._gap_range(index)))

    def _gap_range(self, index: int) -> range:
        return range(self.targets[index - 1].end, self.targets[index].start)

    def _is_apart(self, gap: range) -> bool:
        """Return whether the words between two targets make no list of them."""
        joints = self.rules.joints | self.rules.alternatives
        return any(i not in self.covered and self.words[i] not in joints for i in gap)

    def _begins_clause(self, lead: range, cue: Range) -> bool:
        """Return whether a clause saying that something is there begins among the words in front of a target."""
        parted = False
        if lead and self.words[lead.start] in self.rules.pronouns and lead.start == cue.end:
            return True
        for i in lead:
            parted = parted or self._parts_clauses(i)
            is_described = self.words[i - 1] in self.rules.relatives
            if not is_described and (
                self.words[i] in self.rules.telling or (parted and self.words[i] in self.rules.verbs)
            ):
                return True
            if self.words[i] in self.rules.denials:
                return True
        # "Suboptimal for embolism, large right effusion": a list of what may be missed has an "and" or an "or".
        rest = self.words[cue.end : self._clause_end(cue.end)]
        is_splice = any(self.words[i] == "," for i in lead) and self.rules.list_joints.isdisjoint(rest)
        return is_splice and (lead.start == cue.end or self._has_degree(lead) or not self.sides.isdisjoint(lead))

    def _has_agent(self, lead: range) -> bool:
        """Return whether the target is what limits: "limited by effusion", "poor study with a large effusion"."""
        for i in lead:
            is_passive = self.words[i] == "by" and self.words[i - 1].endswith("ed")
            is_added = self.words[i] == "with" and self.words[i - 1] not in self.rules.fits
            if is_passive or (is_added and self._has_degree(range(i, lead.stop))):
                return True
        return False

    def _parts_clauses(self, at: int) -> bool:
        word = self.words[at]
        return word in self.rules.ends or word in self.rules.joints or word in self.rules.conjunctions

    def _says(self, span: range) -> bool:
        """Return whether a verb or denial among words makes a statement; one in a describing clause does not."""
        saying = self.rules.verbs | self.rules.telling | self.rules.denials | {"there"}
        return any(self.words[i] in saying and self.words[i - 1] not in self.rules.relatives for i in span)

    def _is_right_behind(self, target: Range, cue: Range) -> bool:
        """Return whether only auxiliaries separate a cue from the target before it: "PICC out", "drain is now out"."""
        between = self.words[target.end : cue.start]
        return target.end <= cue.start and self.rules.auxiliaries.issuperset(between)

    def _parts(self, stop: Range, cue: Range, target: Range) -> bool:
        """Return whether a scope end parts target and cue; one before the first target, "maybe due to", does not."""
        if cue.end <= target.start:
            first = next(other.start for other in self.targets if other.start >= cue.end)
            return first < stop.start and stop.end <= target.start
        return target.end <= stop.start and stop.end <= cue.start

    def _ends_before(self, category: str, cue: Range, index: int) -> bool:
        """Return whether a cue in front ends before the target, where the target or one before it opens a clause."""
        between = [i for i in range(index + 1) if self.targets[i].start >= cue.end]
        if category == "NEGATED":
            concluded = self._is_concluded(range(cue.end, self.targets[index].end))
            return concluded or any(self._opens_clause(cue, i) for i in between)
        if category in _OF_THE_PAST:
            return False
        if any(self._runs_on(i) or self._is_clause(i) for i in between[1:]):
            return True
        # Doubt is shared by the items of a list; a change is said of one finding, unless a plain list goes on.
        if category not in CHANGES:
            return False
        reach = self.words[cue.end : self.targets[index].start]
        if not self.rules.denials.isdisjoint(reach) or self._is_predicate(cue):
            return True
        return any(self._adds(self._gap(i)) for i in between[1:])

    def _is_predicate(self, cue: Range) -> bool:
        """Return whether a cue of change is about a target before it: "cardiomegaly, unchanged, small effusion"."""
        before = [target for target in self.targets if target.end <= cue.start]
        if not before:
            return False
        lead = self.words[before[-1].end : cue.start]
        behind = self.words[cue.end] if cue.end < len(self.words) else "."
        has_verb = not self.rules.verbs.isdisjoint(lead[-2:])
        return has_verb or (set(lead) <= {","} and behind in self.rules.predicate_ends)

    def _is_unsure_of_change(self, cue: Range) -> bool:
        """Return whether "or" joins what is said not to have changed: "no change in effusion or atelectasis"."""
        if tuple(self.words[cue.start : cue.end]) != ("or",):
            return False
        return any(start < cue.start and self.words[start] in self.rules.denials for start in self.changes)

    def _is_no_doubt(self, cue: Range, index: int) -> bool:
        """Return whether a cue of doubt is not about a target but about a change, other targets, or what is denied."""
        is_elsewhere = self._is_unsure_of_change(cue) or self._asks_about_another(cue, index)
        return is_elsewhere or self._lists_denials(cue, self.targets[index])

    def _lists_denials(self, cue: Range, target: Range) -> bool:
        """Return whether "or" joins what is denied behind a target: "appendicitis without perforation or abscess"."""
        if target.end > cue.start or tuple(self.words[cue.start : cue.end]) != ("or",):
            return False
        return not self.rules.denials.isdisjoint(self.words[target.end : cue.start])

    def _asks_about_another(self, cue: Range, index: int) -> bool:
        """Check for a question about a later finding: "opacity, ?pneumonia", "whether the opacity is pneumonia"."""
        target = self.targets[index]
        if self.words[cue.start] == "?" and target.end <= cue.start:
            return any(other.start >= cue.end for other in self.targets[index + 1 :])
        if (
            self.words[cue.end - 1] not in self.rules.questions
            or cue.end > target.start
            or index + 1 == len(self.targets)
        ):
            return False
        return target.start - cue.end <= 1 and self.words[target.end] == "is"

    def _opens_clause(self, cue: Range, index: int) -> bool:
        """Check if a denial ends before a target: "no pneumothorax, heart is enlarged", "no edema, small effusion".

        A list with "or" goes on ("no edema, large effusion or pneumothorax"), and so does one before its first item.
        """
        target = self.targets[index]
        first = next(i for i, other in enumerate(self.targets) if other.start >= cue.end)
        if self._has_ended(cue, range(cue.end, target.start)):
            return True
        if first == index:
            lead = range(cue.end, target.start)
            if self._is_clause(index):
                return not self.rules.joints.isdisjoint(self.words[lead.start : lead.stop])
            return (",", "and") in pairwise(self.words[lead.start : lead.stop]) and self._has_verb_behind(index)
        if self._is_clause(index) or self._runs_on(index):
            return True
        return self._parts_list(cue, index, first)

    def _has_ended(self, cue: Range, lead: range) -> bool:
        """Return whether a denial in front is only what a sentence contrasts with its subject, or infers from."""
        if cue.start == 0 and self.words[0] in self.rules.contrasts:
            return "," in self.words[lead.start : lead.stop]
        if self.words[cue.start] not in self.rules.lacking:
            return False
        verbs = self.rules.inferring | self.rules.verbs
        passing = self.rules.relatives | {"to"}
        return any(self.words[i] in verbs and self.words[i - 1] not in passing for i in lead)

    def _is_concluded(self, reach: range) -> bool:
        """Return whether words behind a denial lead to a conclusion from it: "no flow, concerning for torsion"."""
        for i in reach:
            word, following = self.words[i], self.words[i + 1] if i + 1 < len(self.words) else ""
            if word in self.rules.supposing or (word in self.rules.concluding and following in _LEADING):
                mark = i - 1
                while mark >= reach.start and self.words[mark] in self.rules.introducing:
                    mark -= 1
                if mark >= reach.start and self.words[mark] in _MARKS:
                    return True
        return False

    def _parts_list(self, cue: Range, index: int, first: int) -> bool:
        """Return whether a joint in front of a target begins a clause, not the next item of the list."""
        target = self.targets[index]
        if not self.rules.alternatives.isdisjoint(self.words[cue.end : self._clause_end(cue.end)]):
            return False
        joint = max((i for i in range(cue.end, target.start) if self.words[i] in self.rules.joints), default=None)
        if joint is None:
            return False
        # Nobody denies a finding of a stated size or one that changed: such a finding is there.
        if self._has_size(range(joint, target.start)) or target.end in self.changes:
            return True
        if first != index - 1 or not self._has_verb_behind(index):
            return False
        is_placed = self.words[joint] == "," and not self.sides.isdisjoint(range(joint, target.start))
        return is_placed or tuple(self.words[joint - 1 : joint + 1]) == (",", "and")

    def _adds(self, gap: Sequence[str]) -> bool:
        """Return whether words between two targets add another finding by "with", which "compatible with" doesn't."""
        return any(word == "with" and (i == 0 or gap[i - 1] not in self.rules.fits) for i, word in enumerate(gap))

    def _gap(self, index: int) -> Sequence[str]:
        """The words between a target and the one before it."""
        return self.words[self.targets[index - 1].end : self.targets[index].start]

    def _runs_on(self, index: int) -> bool:
        """Return whether a target opens its own sentence without a mark: "no effusion small left nodule".

        A list has a joint between its items; here there is only a degree or a side, or a clause begins at once.
        """
        if index == 0:
            return False
        lead = range(self.targets[index - 1].end, self.targets[index].start)
        if self._is_clause(index):
            return all(i in self.covered for i in lead)
        return (self._has_size(lead) or not self.sides.isdisjoint(lead)) and all(i in self.covered for i in lead)

    def _has_size(self, lead: range) -> bool:
        """Check if words before a target give a size of what is there; a denial may well name "large effusion"."""
        is_strong = not self.strong_degrees.isdisjoint(lead) and not self.sides.isdisjoint(lead)
        return is_strong or not self.degrees.isdisjoint(lead)

    def _belongs_behind(self, category: str, cue: Range, index: int) -> bool:
        """Return whether a cue behind belongs to a later target: "heart is enlarged and effusion is unchanged"."""
        target = self.targets[index]
        later = [t for t in self.targets[index + 1 :] if t.end <= cue.start]
        if not later:
            return False
        gap = self.words[target.end : later[0].start]
        if self._is_clause(index) or "there" in gap or not self.rules.verbs.isdisjoint(gap):
            return True
        if category == "NEGATED" and self._closes_list(cue, index):
            return False
        is_splice = "," in gap and self.rules.list_joints.isdisjoint(gap)
        if category in CHANGES:
            return is_splice and cue.start == later[0].end
        is_listed = category == "NEGATED" and index > 0 and tuple(gap) == tuple(self._gap(index)) == (",",)
        return len(later) == 1 and (is_splice or "with" in gap) and not is_listed

    def _closes_list(self, cue: Range, index: int) -> bool:
        """Return whether a denial behind a mark is of all items of a bare list: "consolidation, effusion, edema: none".

        A degree in front of an item says that it is there: "small effusion, pneumothorax: none".
        """
        marks = {self.words[cue.start], self.words[cue.start - 1]}
        if marks.isdisjoint(self.rules.verdict_marks):
            return False
        opening = max((i for i in range(self.targets[index].start) if self.words[i] in self.rules.ends), default=-1)
        if not self.rules.verbs.isdisjoint(self.words[opening + 1 : self.targets[index].start]):
            return False
        between = range(self.targets[index].end, cue.start)
        named = {i for target in self.targets for i in range(target.start, target.end)}
        joined = self.rules.list_joints | self.rules.joints | self.rules.verdict_marks
        if any(i not in named and i not in self.covered and self.words[i] not in joined for i in between):
            return False
        start = self.targets[index].start - 1
        while start >= 0 and start in self.covered:
            start -= 1
        return not self._has_degree(range(start + 1, cue.start))

    def _has_degree(self, span: range) -> bool:
        return not (self.degrees | self.strong_degrees).isdisjoint(span)

    def _is_clause(self, index: int) -> bool:
        """Return whether a target is a clause by itself: a normal statement, or one whose words hold a verb."""
        target = self.targets[index]
        # "Status post" opens a statement of what was done, which neither a denial nor a change before it is about.
        if self.words[target.start] == "status":
            return True
        return index in self.normals or not self.rules.verbs.isdisjoint(self.words[target.start : target.end])

    def _has_verb_behind(self, index: int) -> bool:
        start = self.targets[index].end
        end = self.targets[index + 1].start if index + 1 < len(self.targets) else len(self.words)
        return not self.rules.verbs.isdisjoint(self.words[start : min(end, self._clause_end(start))])

    def _clause_end(self, start: int) -> int:
        ends = self.rules.ends
        return next((i for i in range(start, len(self.words)) if self.words[i] in ends), len(self.words))
