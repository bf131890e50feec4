"""What is asked of language models: prompts, plans, answers and their reading."""
