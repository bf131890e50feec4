"""Commands in a process that may not run memory which it wrote, as under MemoryDenyWriteExecute of systemd."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

__all__ = ["HARDENED", "can_harden"]

_PR_SET_MDWE: Final = 65
_REFUSE_EXEC_GAIN: Final = 1
_UNSUPPORTED: Final = 77

_PROGRAM: Final = f"""
import ctypes, os, sys
if ctypes.CDLL(None).prctl({_PR_SET_MDWE}, {_REFUSE_EXEC_GAIN}, 0, 0, 0):
    sys.exit({_UNSUPPORTED})
os.execv(sys.argv[1], sys.argv[1:])
"""

HARDENED: Final = (sys.executable, "-c", _PROGRAM)
"""What goes before a command; what that starts is held to the same."""


def can_harden() -> bool:
    """Whether this kernel has PR_SET_MDWE, which Linux has since 6.3."""
    if sys.platform != "linux":
        return False
    return subprocess.run([*HARDENED, sys.executable, "-c", ""], check=False).returncode == 0
