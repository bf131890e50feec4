from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

from .machine import HospitalMachine

TestHospital = HospitalMachine.TestCase
TestHospital.settings = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
