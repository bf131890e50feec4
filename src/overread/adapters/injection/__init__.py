"""Error injection: labelled pairs from a user's own reports, by rules or by a language model."""

from overread.adapters.injection._by_model import by_model, load_injection_prompt
from overread.adapters.injection._categories import BUCKETS, CATEGORIES, Category, Subset, bucket_of
from overread.adapters.injection._datasheet import datasheet
from overread.adapters.injection._heuristics import Heuristic, HeuristicPair, by_heuristics
from overread.adapters.injection._pair import InjectedPair
from overread.adapters.injection._reading import sentence_spans
from overread.adapters.injection._synthesis import Material, Synthesis, by_rules

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
