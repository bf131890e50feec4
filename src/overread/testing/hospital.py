"""For the tests of hosts of the hospital service: a store in memory."""

from overread.testing._hospital_store import MemoryHospitalStore

__all__ = ["MemoryHospitalStore"]
