"""What was found out, as FHIR: issues, scores, where they are from, rates and the audit trail."""
