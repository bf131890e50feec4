"""The lexicon: findings and reading rules as TOML files a radiologist can read and edit."""

from overread.adapters.lexicon.loader import ContextRule, Knowledge, knowledge_of, load_knowledge
from overread.adapters.lexicon.signs import sign_reader

__all__ = ["ContextRule", "Knowledge", "knowledge_of", "load_knowledge", "sign_reader"]
