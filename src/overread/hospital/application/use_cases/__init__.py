"""Use cases of the hospital service, one to a module, and what they share: a context, waits and notifications."""
