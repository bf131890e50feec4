"""Helpers to test hosts of the hospital service: a store in memory, and the promises that a service must keep."""

from overread.hospital.testing._checks import check_hospital_service
from overread.hospital.testing._store import MemoryHospitalStore

__all__ = ["MemoryHospitalStore", "check_hospital_service"]
