"""The hospital's records as JSON and back, and their schemas."""

from overread.hospital.infrastructure.serialise.records import (
    RecordError,
    hospital_from_json,
    hospital_from_record,
    hospital_record,
)

__all__ = ["RecordError", "hospital_from_json", "hospital_from_record", "hospital_record"]
