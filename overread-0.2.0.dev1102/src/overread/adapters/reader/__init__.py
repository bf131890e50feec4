"""Reports into clinical units and entities: by rules, by a language model, from a table."""
