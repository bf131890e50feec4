"""Reading what language models answer: JSON, refusals, and the words they quote."""
