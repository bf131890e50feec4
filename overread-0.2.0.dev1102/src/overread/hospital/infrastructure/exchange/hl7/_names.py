"""Names of segments: a line that begins with one begins a segment, and nothing else does."""

from __future__ import annotations

from typing import Final

__all__ = ["is_segment_name"]

_LISTED: Final = """
    ABS ACC ADD ADJ AFF AIG AIL AIP AIS AL1 APR ARQ ARV AUT BHS BLC BLG BPO BPX BTS BTX BUI CDM CDO CER CM0 CM1 CM2
    CNS CON CSP CSR CSS CTD CTI CTR DB1 DEV DG1 DMI DON DPS DRG DSC DSP DST ECD ECR EDU EQL EQP EQU ERQ ERR EVN FAC
    FHS FT1 FTS GOL GP1 GP2 GT1 IAM IAR IIM ILT IN1 IN2 IN3 INV IPC IPR ISD ITM IVC IVT LAN LCC LCH LDP LOC LRL MCP
    MFA MFE MFI MRG MSA MSH NCK NDS NK1 NPU NSC NST NTE OBR OBX ODS ODT OH1 OH2 OH3 OH4 OM1 OM2 OM3 OM4 OM5 OM6 OM7
    OMC ORC ORG OVR PAC PCE PCR PD1 PDA PDC PEO PES PEX PID PKG PM1 PMT PR1 PRA PRB PRC PRD PRT PSG PSH PSL PSS PTH
    PV1 PV2 PYE QAK QID QPD QRD QRF QRI RCP RDF RDT REL RF1 RFI RGS RMI ROL RQ1 RQD RXA RXC RXD RXE RXG RXO RXR RXV
    SAC SCD SCH SCP SDD SFT SGH SGT SHP SID SLT SPM SPR STF STZ TCC TCD TQ1 TQ2 TXA UAC UB1 UB2 URD URS VAR VND VTQ
"""
"""Segments of HL7 2.1 to 2.9 (appendix A of each)."""

_NAMES: Final = frozenset(_LISTED.split())

_OWN: Final = "Z"
"""First letter of names of segments that a sender defines."""


def is_segment_name(name: str) -> bool:
    """Return whether three characters name a segment of HL7, or one that a sender defines.

    >>> is_segment_name("OBX"), is_segment_name("ZDS"), is_segment_name("CTA"), is_segment_name("obx")
    (True, True, False, False)
    """
    return name in _NAMES or (name.startswith(_OWN) and name.isupper())
