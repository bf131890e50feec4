"""Settings for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A shared or slow machine must not fail a test: what is checked here is what the code does, not how fast.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
