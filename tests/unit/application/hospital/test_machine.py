from __future__ import annotations

from hypothesis import HealthCheck, settings

from .machine import HospitalMachine

TestHospital = HospitalMachine.TestCase
TestHospital.settings = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
