"""Settings for every test: what is checked is what the code does, not how this machine or this shell happens to be."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# A shared or slow machine must not fail a test.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

# A shell that puts the tests into the background, and nohup, have what they start ignore Ctrl-C, for good.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Models this small lose more by waiting for each other's threads than they gain; processes that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
