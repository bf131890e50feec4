"""Second readers: how likely each discrepancy is to be confirmed by somebody who reads both reports."""
