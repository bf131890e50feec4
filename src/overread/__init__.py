"""overread: reads a candidate radiology report against its reference.

>>> import overread
>>> results = overread.score(reference="No pneumothorax.", candidate="Pneumothorax.", metrics=["notation"])
>>> [str(d.category.label) for d in results["notation"].discrepancies]
['false finding']

Importing this package imports no model, plugin or database; each name below is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import overread.forking  # noqa: F401 - it must know of a fork that comes before the first score
from overread.moved import answer_to_old_names

if TYPE_CHECKING:
    from overread.application.scoring.corpus import CorpusSummary
    from overread.application.scoring.evaluate import EvaluationService
    from overread.application.statistics.tabulation import Tabulation
    from overread.bootstrap.interface import (
        list_plugins,
        open_service,
        reward,
        score,
        score_corpus,
        score_many,
        score_systems,
        write_units,
    )
    from overread.bootstrap.pages import render_fragment, render_page, write_page
    from overread.bootstrap.results import PairResults, Results
    from overread.domain.reports.report import ClinicalContext, Report, ReportPair
    from overread.domain.results.discrepancy import Discrepancy
    from overread.domain.results.result import EvaluationResult, Fault, Scored, Unscored
    from overread.domain.vocabulary.severity import Importance, Severity
    from overread.domain.vocabulary.taxonomy import ErrorCategory
    from overread.exceptions import OverreadError
    from overread.hospital.application.agreement import Agreement
    from overread.hospital.application.aio import AsyncHospitalService
    from overread.hospital.application.cases import Case, CaseOutcome, CaseState
    from overread.hospital.application.charts import ChartPlan, Charts
    from overread.hospital.application.configuration import HospitalConfiguration, ScoreMode, TextMode
    from overread.hospital.application.flags import FlagsWorth, FlagTarget
    from overread.hospital.application.grouping import Grouping
    from overread.hospital.application.monthly import MonthlyReport
    from overread.hospital.application.ports import HospitalStore
    from overread.hospital.application.protocols import AssignmentRecord, ProtocolPlan, ProtocolRecord
    from overread.hospital.application.rates import RadpeerCounts, Rates
    from overread.hospital.application.requests import (
        BatchState,
        Erased,
        EvaluationRequest,
        ExaminationRecord,
        MergeReceipt,
        Order,
        PairRecord,
        PairState,
        Receipt,
        ReceiptKind,
        Refusal,
        Search,
        Withdrawn,
        WorklistPage,
        WorklistRow,
    )
    from overread.hospital.application.sampling import DrawnSample, SampleAllocation, SampleMethod, SamplePlan
    from overread.hospital.application.service import HospitalService
    from overread.hospital.application.workers import Workers
    from overread.hospital.bootstrap.services import open_hospital
    from overread.hospital.domain.audit_trail import Actor, Role
    from overread.hospital.domain.examination import Examination, ExaminationKey
    from overread.hospital.domain.learning import ActionKind, ActionState, LearningKind
    from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
    from overread.hospital.domain.reading import AssignmentState, ProtocolReader, ReadingMode
    from overread.hospital.domain.report_version import ReportStatus, ReportVersion
    from overread.hospital.domain.review import Radpeer, Review, ReviewStage, ReviewState, Verdict, VerdictKind
    from overread.hospital.domain.version_pairs import Doubt, DoubtReason, PairKind
    from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions, FhirRelease
    from overread.hospital.infrastructure.exchange.fhir.out.audits import audit_event
    from overread.hospital.infrastructure.exchange.fhir.out.measures import measure_report
    from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
    from overread.hospital.infrastructure.exchange.fhir.out.pairs import pair_bundle
    from overread.hospital.infrastructure.exchange.fhir.reading import read_fhir
    from overread.hospital.infrastructure.exchange.registry import radpeer_csv, registry_csv, registry_jsonl
    from overread.hospital.infrastructure.exchange.webhooks.signing import is_genuine_webhook
    from overread.infrastructure.files.scored import read_results, read_scores
    from overread.infrastructure.files.tables import Columns, read_pairs
    from overread.infrastructure.frames.writing import arrow_table, discrepancy_frame, frame, summary_frame
    from overread.infrastructure.serialise import result_from_record, result_record, result_schema
    from overread.infrastructure.settings import Settings, load_settings
    from overread.infrastructure.store import open_store
    from overread.integrations.computing import load
    from overread.studies.bootstrap.cards import card
    from overread.studies.bootstrap.studies import compare, rank
    from overread.studies.bootstrap.synthesis import inject, judge_pairs, synthetic_pairs
    from overread.studies.bootstrap.verification import Verification, verify
    from overread.studies.infrastructure.datasets.annotated_sets import read_benchmark
    from overread.studies.infrastructure.datasets.annotated_sets.generic import write_benchmark

__all__ = [
    "ActionKind",
    "ActionState",
    "Actor",
    "Agreement",
    "AssignmentRecord",
    "AssignmentState",
    "AsyncHospitalService",
    "BatchState",
    "Case",
    "CaseOutcome",
    "CaseState",
    "ChartPlan",
    "Charts",
    "ClinicalContext",
    "Columns",
    "CorpusSummary",
    "Coverage",
    "Discrepancy",
    "Doubt",
    "DoubtReason",
    "DrawnSample",
    "EditType",
    "Edits",
    "Erased",
    "ErrorCategory",
    "EvaluationRequest",
    "EvaluationResult",
    "EvaluationService",
    "Examination",
    "ExaminationKey",
    "ExaminationRecord",
    "Fault",
    "FhirOptions",
    "FhirOutput",
    "FhirRelease",
    "FlagTarget",
    "FlagsWorth",
    "Grouping",
    "HospitalConfiguration",
    "HospitalService",
    "HospitalStore",
    "Importance",
    "LearningKind",
    "MergeKind",
    "MergeReceipt",
    "MonthlyReport",
    "Order",
    "OverreadError",
    "PairKind",
    "PairRecord",
    "PairResults",
    "PairState",
    "PatientMerge",
    "ProtocolPlan",
    "ProtocolReader",
    "ProtocolRecord",
    "Radpeer",
    "RadpeerCounts",
    "Rates",
    "ReadingMode",
    "Receipt",
    "ReceiptKind",
    "Refusal",
    "Report",
    "ReportPair",
    "ReportStatus",
    "ReportVersion",
    "Results",
    "Review",
    "ReviewStage",
    "ReviewState",
    "Role",
    "SampleAllocation",
    "SampleMethod",
    "SamplePlan",
    "ScoreMode",
    "Scored",
    "Search",
    "Settings",
    "Severity",
    "Tabulation",
    "TextMode",
    "Unscored",
    "Verdict",
    "VerdictKind",
    "Verification",
    "Withdrawn",
    "Workers",
    "WorklistPage",
    "WorklistRow",
    "__version__",
    "arrow_table",
    "audit_event",
    "card",
    "compare",
    "discrepancy_frame",
    "frame",
    "inject",
    "is_genuine_webhook",
    "judge_pairs",
    "list_plugins",
    "load",
    "load_settings",
    "measure_report",
    "open_hospital",
    "open_service",
    "open_store",
    "pair_bundle",
    "radpeer_csv",
    "rank",
    "read_benchmark",
    "read_fhir",
    "read_pairs",
    "read_results",
    "read_scores",
    "registry_csv",
    "registry_jsonl",
    "render_fragment",
    "render_page",
    "result_from_record",
    "result_record",
    "result_schema",
    "reward",
    "score",
    "score_corpus",
    "score_many",
    "score_systems",
    "summary_frame",
    "synthetic_pairs",
    "verify",
    "write_benchmark",
    "write_page",
    "write_units",
]

answer_to_old_names()

_HOMES = {
    "ErrorCategory": "overread.domain.vocabulary.taxonomy",
    "Severity": "overread.domain.vocabulary.severity",
    "Importance": "overread.domain.vocabulary.severity",
    "Doubt": "overread.hospital.domain.version_pairs",
    "DoubtReason": "overread.hospital.domain.version_pairs",
    "PairKind": "overread.hospital.domain.version_pairs",
    "PatientMerge": "overread.hospital.domain.patient_merge",
    "MergeKind": "overread.hospital.domain.patient_merge",
    "ReviewState": "overread.hospital.domain.review",
    "ProtocolPlan": "overread.hospital.application.protocols",
    "ProtocolRecord": "overread.hospital.application.protocols",
    "AssignmentRecord": "overread.hospital.application.protocols",
    "ProtocolReader": "overread.hospital.domain.reading",
    "ReadingMode": "overread.hospital.domain.reading",
    "AssignmentState": "overread.hospital.domain.reading",
    "ReviewStage": "overread.hospital.domain.review",
    "Agreement": "overread.hospital.application.agreement",
    "LearningKind": "overread.hospital.domain.learning",
    "ActionKind": "overread.hospital.domain.learning",
    "ActionState": "overread.hospital.domain.learning",
    "ScoreMode": "overread.hospital.application.configuration",
    "Review": "overread.hospital.domain.review",
    "HospitalStore": "overread.hospital.application.ports",
    "Rates": "overread.hospital.application.rates",
    "Coverage": "overread.hospital.application.coverage",
    "Edits": "overread.domain.differences.edits",
    "EditType": "overread.domain.differences.edits",
    "SamplePlan": "overread.hospital.application.sampling",
    "SampleMethod": "overread.hospital.application.sampling",
    "SampleAllocation": "overread.hospital.application.sampling",
    "DrawnSample": "overread.hospital.application.sampling",
    "Case": "overread.hospital.application.cases",
    "CaseOutcome": "overread.hospital.application.cases",
    "CaseState": "overread.hospital.application.cases",
    "ChartPlan": "overread.hospital.application.charts",
    "Charts": "overread.hospital.application.charts",
    "FlagTarget": "overread.hospital.application.flags",
    "FlagsWorth": "overread.hospital.application.flags",
    "MonthlyReport": "overread.hospital.application.monthly",
    "RadpeerCounts": "overread.hospital.application.rates",
    "radpeer_csv": "overread.hospital.infrastructure.exchange.registry",
    "Grouping": "overread.hospital.application.grouping",
    "TextMode": "overread.hospital.application.configuration",
    "WorklistRow": "overread.hospital.application.requests",
    "WorklistPage": "overread.hospital.application.requests",
    "Refusal": "overread.hospital.application.requests",
    "ReceiptKind": "overread.hospital.application.requests",
    "MergeReceipt": "overread.hospital.application.requests",
    "Receipt": "overread.hospital.application.requests",
    "PairState": "overread.hospital.application.requests",
    "PairRecord": "overread.hospital.application.requests",
    "Order": "overread.hospital.application.requests",
    "Withdrawn": "overread.hospital.application.requests",
    "ExaminationRecord": "overread.hospital.application.requests",
    "EvaluationRequest": "overread.hospital.application.requests",
    "Erased": "overread.hospital.application.requests",
    "BatchState": "overread.hospital.application.requests",
    "Actor": "overread.hospital.domain.audit_trail",
    "AsyncHospitalService": "overread.hospital.application.aio",
    "ClinicalContext": "overread.domain.reports.report",
    "Columns": "overread.infrastructure.files.tables",
    "CorpusSummary": "overread.application.scoring.corpus",
    "Discrepancy": "overread.domain.results.discrepancy",
    "EvaluationResult": "overread.domain.results.result",
    "EvaluationService": "overread.application.scoring.evaluate",
    "Examination": "overread.hospital.domain.examination",
    "ExaminationKey": "overread.hospital.domain.examination",
    "Fault": "overread.domain.results.result",
    "FhirOptions": "overread.hospital.infrastructure.exchange.fhir.options",
    "FhirOutput": "overread.hospital.infrastructure.exchange.fhir.out.options",
    "FhirRelease": "overread.hospital.infrastructure.exchange.fhir.options",
    "HospitalConfiguration": "overread.hospital.application.configuration",
    "HospitalService": "overread.hospital.application.service",
    "OverreadError": "overread.exceptions",
    "PairResults": "overread.bootstrap.results",
    "Radpeer": "overread.hospital.domain.review",
    "Report": "overread.domain.reports.report",
    "ReportPair": "overread.domain.reports.report",
    "ReportStatus": "overread.hospital.domain.report_version",
    "ReportVersion": "overread.hospital.domain.report_version",
    "Results": "overread.bootstrap.results",
    "Role": "overread.hospital.domain.audit_trail",
    "Scored": "overread.domain.results.result",
    "Search": "overread.hospital.application.requests",
    "Settings": "overread.infrastructure.settings",
    "Tabulation": "overread.application.statistics.tabulation",
    "Unscored": "overread.domain.results.result",
    "card": "overread.studies.bootstrap.cards",
    "compare": "overread.studies.bootstrap.studies",
    "Verification": "overread.studies.bootstrap.verification",
    "verify": "overread.studies.bootstrap.verification",
    "rank": "overread.studies.bootstrap.studies",
    "audit_event": "overread.hospital.infrastructure.exchange.fhir.out.audits",
    "Verdict": "overread.hospital.domain.review",
    "VerdictKind": "overread.hospital.domain.review",
    "Workers": "overread.hospital.application.workers",
    "discrepancy_frame": "overread.infrastructure.frames.writing",
    "arrow_table": "overread.infrastructure.frames.writing",
    "frame": "overread.infrastructure.frames.writing",
    "summary_frame": "overread.infrastructure.frames.writing",
    "inject": "overread.studies.bootstrap.synthesis",
    "is_genuine_webhook": "overread.hospital.infrastructure.exchange.webhooks.signing",
    "judge_pairs": "overread.studies.bootstrap.synthesis",
    "list_plugins": "overread.bootstrap.interface",
    "load": "overread.integrations.computing",
    "load_settings": "overread.infrastructure.settings",
    "measure_report": "overread.hospital.infrastructure.exchange.fhir.out.measures",
    "open_hospital": "overread.hospital.bootstrap.services",
    "open_service": "overread.bootstrap.interface",
    "open_store": "overread.infrastructure.store",
    "pair_bundle": "overread.hospital.infrastructure.exchange.fhir.out.pairs",
    "read_benchmark": "overread.studies.infrastructure.datasets.annotated_sets",
    "read_fhir": "overread.hospital.infrastructure.exchange.fhir.reading",
    "read_pairs": "overread.infrastructure.files.tables",
    "read_results": "overread.infrastructure.files.scored",
    "read_scores": "overread.infrastructure.files.scored",
    "registry_csv": "overread.hospital.infrastructure.exchange.registry",
    "registry_jsonl": "overread.hospital.infrastructure.exchange.registry",
    "render_fragment": "overread.bootstrap.pages",
    "render_page": "overread.bootstrap.pages",
    "result_from_record": "overread.infrastructure.serialise",
    "result_record": "overread.infrastructure.serialise",
    "result_schema": "overread.infrastructure.serialise",
    "reward": "overread.bootstrap.interface",
    "score": "overread.bootstrap.interface",
    "score_corpus": "overread.bootstrap.interface",
    "score_many": "overread.bootstrap.interface",
    "score_systems": "overread.bootstrap.interface",
    "synthetic_pairs": "overread.studies.bootstrap.synthesis",
    "write_benchmark": "overread.studies.infrastructure.datasets.annotated_sets.generic",
    "write_page": "overread.bootstrap.pages",
    "write_units": "overread.bootstrap.interface",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":  # looked up when asked: whoever imports overread waits for nothing else
        from importlib.metadata import version

        return version("overread")
    if name not in _HOMES:
        raise AttributeError(f"module 'overread' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
