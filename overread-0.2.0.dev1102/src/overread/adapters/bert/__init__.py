"""Transformers checkpoints as components: a token classifier that finds entities, an encoder that embeds texts."""
