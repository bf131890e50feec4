"""Terminal views: one pair, its evidence, the plugins, stored results and what fits came to.

Everything reads well in 80 columns and in a pipe; report text is shown as it is, never as markup.
"""

from overread.infrastructure.views.terminal._evidence import show_evidence
from overread.infrastructure.views.terminal._fitting import (
    show_agreement,
    show_counting,
    show_recognition,
    show_selection,
    show_transfer,
)
from overread.infrastructure.views.terminal._history import show_history
from overread.infrastructure.views.terminal._pair import show_pair
from overread.infrastructure.views.terminal._plugins import show_plugins

__all__ = [
    "show_agreement",
    "show_counting",
    "show_evidence",
    "show_history",
    "show_pair",
    "show_plugins",
    "show_recognition",
    "show_selection",
    "show_transfer",
]
