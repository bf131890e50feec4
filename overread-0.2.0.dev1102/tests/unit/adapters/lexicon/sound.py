"""A lexicon of a few entries without a fault: file by file, what each holds."""

from __future__ import annotations

from pathlib import Path

SOUND = {
    "findings/lung.toml": """
[[finding]]
id = "shadow"
name = "shadow"
category = "lung"
importance = "actionable"
anatomy = ["lung"]
terms = ["shadow"]

[[finding]]
id = "round_shadow"
name = "round shadow"
category = "lung"
parent = "shadow"
confused_with = ["stripe"]
importance = "urgent"
when = [{age_from = 60, indication = ["trauma"], step = -1, reason = "usual", source = "invented"}]
sited = {base = "stripe"}
terms = ["round|oval shadow"]

[[finding]]
id = "stripe"
name = "stripe"
category = "lung"
parent = ["shadow"]
importance = "expected"
terms = ["stripe|streak"]

[[finding]]
id = "trace"
name = "trace"
category = "lung"
importance = "expected"
terms = ["trace"]
""",
    "findings/normal.toml": """
[[normal]]
id = "no_shadows"
name = "no shadows"
denies = ["shadow"]
terms = ["clear"]
""",
    "reading/anatomy.toml": """
[[ignored]]
terms = ["lung cancer screening"]

[[anatomy]]
label = "lung"
kind = "organ"
terms = ["lung"]

[[anatomy]]
labels = ["lung", "base"]
kind = "zone"
terms = ["lung base"]
""",
    "reading/context.toml": """
[[rule]]
category = "NEGATED"
direction = "FORWARD"
max_scope = 6
terms = ["no"]
""",
    "reading/language.toml": """
[[stopwords]]
language = "en"
words = ["the"]
""",
    "reading/modifiers.toml": """
[[modifier]]
label = "faint"
terms = ["faint"]
""",
    "reading/sections.toml": """
[[section]]
name = "findings"
role = "findings"
titles = ["findings"]
""",
    "reading/severity.toml": """
[[severity]]
level = "mild"
terms = ["small"]
""",
    "reading/spelling.toml": """
[[joined]]
words = ["air", "space"]
to = "airspace"
""",
}


def write_sound(folder: Path, **others: str) -> Path:
    """Writes it into a folder, some files otherwise, and returns the folder."""
    for file, text in {**SOUND, **others}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    return folder
