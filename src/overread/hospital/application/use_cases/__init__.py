"""What the hospital service does, a use case to a module, and what they share: means, waits and a bell."""
