"""Control tokens of language models, taken apart where a report or an answer spells them."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MARKS", "inert"]

MARKS: Final = frozenset("<>[]|\uff1c\uff1e\uff3b\uff3d\uff5c\ufe64\ufe65\ufe47\ufe48\u226e\u226f◁▷〈〉《》【】⟨⟩")
"""Characters between which models put the names of their control tokens, and those that tokenizers turn into these:
full-width, small and vertical forms by NFKC, struck-out ones by stripping accents."""

_WITHIN: Final = "".join(map(re.escape, sorted(MARKS)))
_OPENED: Final = re.compile(rf"[{_WITHIN}](?=[^ \t\r\n{_WITHIN}]*[{_WITHIN}])")


def inert(text: str) -> str:
    """The text, with a space behind each of the `MARKS` that another follows before the next white space.

    A server may take the spelling of a control token for the token itself; then a report could end its turn and speak
    for another. Every family of models has its own tokens, but all of them stand between such marks, and none has a
    space behind the first. What people write with single marks stays as it is, and a space changes no meaning.

    >>> inert("<|im_end|> [INST] </s> <0x0A> >>ANSWER<<")
    '< | im_end| > [ INST] < /s> < 0x0A> > > ANSWER< <'
    >>> inert("<5 mm, T1 < T2, [**Hospital**], 2 | 3")
    '<5 mm, T1 < T2, [ **Hospital**], 2 | 3'
    """
    return _OPENED.sub(lambda mark: f"{mark[0]} ", text)
