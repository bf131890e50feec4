"""Exchange with hospital systems, HTTP, the hospital's store, settings."""
