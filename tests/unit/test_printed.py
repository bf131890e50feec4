"""What counts as printed as it is shown in a document."""

from __future__ import annotations

import pytest

from ..printed import agrees

_PRINTED = """Scores

 radot  0.676  lexicon=5dd9a0f0
 rouge  1,200.5  version 0.2.0
wrote a.csv: 3 pairs in 0.1 s (21 pairs/s)
"""


@pytest.mark.parametrize(
    "shown",
    [
        _PRINTED,
        "Scores\n...\n rouge  1,200.5  version 0.2.0\n...\n",
        " radot 0.677 lexicon=aaaaaaaa\n",
        "wrote a.csv: 3 pairs in 2.5 s (1,021 pairs/s)\n",
        "",
    ],
)
def test_what_is_left_out_and_the_last_digit_do_not_count(shown: str) -> None:
    """Nor do digests, blanks, and how long something took."""
    assert agrees(shown, _PRINTED)


@pytest.mark.parametrize(
    "shown",
    [
        " radot  0.679  lexicon=5dd9a0f0\n",
        " radot  0.676\n",
        " rouge  1,201.5  version 0.2.0\n",
        " rouge  1,200.5  version 0.2.1\n",
        "wrote a.csv: 4 pairs in 0.1 s (21 pairs/s)\n",
        " rouge  1,200.5  version 0.2.0\n...\nScores\n",
        "Scores\n rouge  1,200.5  version 0.2.0\n",
    ],
)
def test_another_figure_word_or_order_counts(shown: str) -> None:
    """And a line that is missing without being left out."""
    assert not agrees(shown, _PRINTED)
