"""The MiniLM sentence encoder that an installed package carries."""
