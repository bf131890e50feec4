"""An invented hospital's day: 300 examinations at three sites, what was first said of them, and what then.

The reports, the errors in them and the order of the messages are written by hand in the files of this folder.
"""

from __future__ import annotations

from overread.hospital.infrastructure.demo_day.day import Channel, Sending, hospital_day

__all__ = ["Channel", "Sending", "hospital_day"]
