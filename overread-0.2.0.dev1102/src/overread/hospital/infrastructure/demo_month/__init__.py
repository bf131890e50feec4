"""An invented hospital's month: three sites, three versions of models, one of which gets worse, and four readers.

The reports, the errors in them and what readers said of them were made once and stand in the files of this folder.
"""

from __future__ import annotations

from overread.hospital.infrastructure.demo_month.month import Arrival, MonthPlan, hospital_month, month_plan
from overread.hospital.infrastructure.demo_month.readings import Reading, month_readings

__all__ = ["Arrival", "MonthPlan", "Reading", "hospital_month", "month_plan", "month_readings"]
