"""The matcher of findings and normal statements, made once for all who look for them."""

from __future__ import annotations

from functools import lru_cache

from overread.adapters.lexicon.loader import Knowledge
from overread.adapters.lexicon.matching import RuleMatcher, target_terms

__all__ = ["target_matcher"]


@lru_cache(maxsize=8)
def target_matcher(knowledge: Knowledge) -> RuleMatcher:
    """A matcher of the lexicon's findings and normal statements."""
    return RuleMatcher.of(target_terms(knowledge.lexicon), knowledge.normaliser, knowledge.elements)
