"""Results as plain records that JSON and Parquet can hold, and back; the schema of such a record is published."""

from overread.domain.results.record import SCHEMA_VERSION, record_digest, result_record
from overread.infrastructure.serialise._evidence import evidence_record
from overread.infrastructure.serialise._fields import ROUNDING, is_intact
from overread.infrastructure.serialise._records import explanation_record, result_from_record
from overread.infrastructure.serialise.schema import result_schema

__all__ = [
    "ROUNDING",
    "SCHEMA_VERSION",
    "evidence_record",
    "explanation_record",
    "is_intact",
    "record_digest",
    "result_from_record",
    "result_record",
    "result_schema",
]
