"""Questions to language models: prompts, plans, answers and how they are read."""
