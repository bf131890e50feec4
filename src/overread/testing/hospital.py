"""For the tests of hosts of the hospital service: a store in memory, and the promises that a service must keep."""

from overread.testing._hospital_checks import check_hospital_service
from overread.testing._hospital_store import MemoryHospitalStore

__all__ = ["MemoryHospitalStore", "check_hospital_service"]
