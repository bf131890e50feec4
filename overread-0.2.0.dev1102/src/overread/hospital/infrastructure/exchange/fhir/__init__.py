"""FHIR: diagnostic reports in, by message or by asking a server; what was found out, as resources."""
