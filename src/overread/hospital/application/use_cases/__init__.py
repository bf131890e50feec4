"""Use cases of the hospital service, one to a module, and what they share: means, waits and a bell."""
