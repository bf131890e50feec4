"""Error injection: labelled pairs from a user's own reports, by rules or by a language model."""

from overread.application.synthesis.injected._by_model import by_model, load_injection_prompt
from overread.application.synthesis.injected._categories import BUCKETS, CATEGORIES, Category, Subset, bucket_of
from overread.application.synthesis.injected._datasheet import datasheet
from overread.application.synthesis.injected._heuristics import Heuristic, HeuristicPair, by_heuristics
from overread.application.synthesis.injected._pair import InjectedPair
from overread.application.synthesis.injected._reading import sentence_spans
from overread.application.synthesis.injected._synthesis import Material, Synthesis, by_rules

__all__ = [
    "BUCKETS",
    "CATEGORIES",
    "Category",
    "Heuristic",
    "HeuristicPair",
    "InjectedPair",
    "Material",
    "Subset",
    "Synthesis",
    "bucket_of",
    "by_heuristics",
    "by_model",
    "by_rules",
    "datasheet",
    "load_injection_prompt",
    "sentence_spans",
]
