"""The embedded recognizer: clinical units as RaTEScore's entities."""

from typing import Final

VERSION: Final = "1.0"
