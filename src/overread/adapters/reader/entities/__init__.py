"""The embedded recognizer: clinical units as RaTEScore's entities."""
