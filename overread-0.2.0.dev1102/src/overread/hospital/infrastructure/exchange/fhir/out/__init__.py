"""Results as FHIR: issues, scores, their provenance, rates and the audit trail."""
