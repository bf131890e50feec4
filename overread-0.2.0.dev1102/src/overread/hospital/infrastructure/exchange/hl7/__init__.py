"""HL7 version 2: reports that arrive as ORU^R01 over MLLP, and their acknowledgements.

The framing and the parsing are our own: see docs/decisions/0038-hl7-read-by-ourselves.md.
"""
