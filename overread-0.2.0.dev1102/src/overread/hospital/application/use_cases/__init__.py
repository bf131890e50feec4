"""Use cases of the hospital service, a kind to a module, and what they share: a context, operations and waits."""
