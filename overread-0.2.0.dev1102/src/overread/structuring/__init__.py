"""Tables of settings as attrs classes: strictly, and with every problem named by its setting."""

from overread.structuring._converting import strict_converter
from overread.structuring._problems import unknown_name
from overread.structuring._structuring import conform, structure, structure_fields, structure_value
from overread.structuring._written import Written

__all__ = ["Written", "conform", "strict_converter", "structure", "structure_fields", "structure_value", "unknown_name"]
