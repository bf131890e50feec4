"""Makes the invented month once: studies.csv and readings.csv of overread's package, from one seed.

python tests/data/hospital_month/make_month.py EDITS.json

EDITS.json has reports and edited copies of them, as `edits` below writes it where the file does not exist yet. The
share of each kind of error by model, and of slips by reader, is stated here and nowhere else; `expected.py` counts what
came of it without this script.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = Path(__file__).parents[3] / "src/overread/hospital/infrastructure/demo_month"
SEED = 20261001
WORDS = (25, 60)
STUDIES, PER_CATEGORY = 1300, 45
FIRST, DAYS = date(2026, 10, 1), 31
WORSE = date(2026, 10, 18)

#                  major  minor  style; the rest is word for word the final report
SHARES = {
    "A 1.0": (0.08, 0.14, 0.11),
    "A 1.1": (0.08, 0.14, 0.11),
    "B 2.0": (0.08, 0.14, 0.11),
    "B 2.0, from the 18th": (0.32, 0.14, 0.11),
    "resident": (0.06, 0.12, 0.11),
}
#        site     drafts, preliminary reports on a working day, at a weekend
VOLUME = {"NORTH": ((9, 3), (5, 1)), "SOUTH": ((6, 4), (3, 2)), "COAST": ((12, 0), (8, 0))}
RESIDENTS = {"NORTH": ("adler", "brook"), "SOUTH": ("costa", "demir"), "COAST": ("adler",)}
ATTENDINGS = {"NORTH": ("fischer", "grant"), "SOUTH": ("haas", "ivanova"), "COAST": ("osei", "moreau")}
NEW_VERSION = date(2026, 10, 16)

#         misses or belittles a difference, makes more of one
SLIPS = {"a.kim": (0.25, 0.05), "b.lang": (0.12, 0.10), "c.osei": (0.35, 0.03), "e.ruiz": (0.20, 0.06)}
STEPS = ("", "insignificant", "significant", "critical")
TRUE_STEP = {"same": 0, "style": 0, "minor": 1, "major": 2}
CATEGORIES = {"Location": "C", "Severity": "D", "Size": "D", "Comparison": "E", "fabrication": "A", "omission": "B"}
GRAVE = ("Description", "Negation", "Location, inaccuracy", "Contradiction")
NO_EDIT = {"truth": "same", "kind": "", "old": "", "new": ""}
WORDS_ONLY = ("Stylistic", "Terminology", "Noise")


def edits(place: Path) -> dict[str, list[dict[str, str]]]:
    """Reads reports and edited copies of some of them, which are made where they are not there yet."""
    if not place.exists():
        from overread.infrastructure.settings import Settings
        from overread.studies.application.synthesis.credible.reports import credible_reports
        from overread.studies.application.synthesis.injected.by_rules import by_rules
        from overread.studies.application.synthesis.injected.material import Material
        from overread.bootstrap.services import open_reader

        low, high = WORDS
        reports = [r for r in credible_reports(seed=SEED, studies=3000) if low <= len(r.text.split()) <= high][:STUDIES]
        extractor, lexicon = open_reader(Settings())
        material = Material.read([(r.study, r.text) for r in reports], extractor, lexicon)
        made = by_rules(material, extractor, per_category=PER_CATEGORY, seed=SEED)
        table = {
            "reports": [{"study": r.study, "exam": r.modality, "text": r.text} for r in reports],
            "edits": [
                {"study": p.study, "category": p.category.name, "subset": p.subset.value, "text": p.candidate}
                for p in made.pairs
            ],
        }
        place.write_text(json.dumps(table))
    return json.loads(place.read_text())


def stretch(final: str, early: str) -> tuple[str, str] | None:
    """The sentences of a final report that an early one has otherwise, and what it has; None where that is unclear."""
    start = 0
    while start < min(len(final), len(early)) and final[start] == early[start]:
        start += 1
    end = 0
    while end < min(len(final), len(early)) - start and final[len(final) - 1 - end] == early[len(early) - 1 - end]:
        end += 1
    while start and not (final[start - 1] == "\n" or final[start - 2 : start] == ". "):
        start -= 1
    while end and final[len(final) - end] not in "\n" and final[len(final) - end - 2 : len(final) - end] != ". ":
        end -= 1
    old, new = final[start : len(final) - end], early[start : len(early) - end]
    is_clear = bool(old) and final.count(old) == 1 and final.replace(old, new, 1) == early
    return (old, new) if is_clear else None


def error_of(edit: dict[str, str]) -> str:
    """How grave an edit is."""
    if edit["subset"] == "discrimination":
        return "major" if edit["category"].startswith(GRAVE) else "minor"
    return "style" if edit["category"].startswith(WORDS_ONLY) else "minor"


def material(place: Path) -> dict[str, list[dict[str, str]]]:
    """Reports by the kinds of edits that there are of them, each report once."""
    table = edits(place)
    of_study: dict[str, list[dict[str, str]]] = defaultdict(list)
    for edit in table["edits"]:
        of_study[edit["study"]].append(edit)
    stock: dict[str, list[dict[str, str]]] = defaultdict(list)
    wanted = {"major": 190, "minor": 210, "style": 400}
    for report in table["reports"]:
        usable = []
        for edit in of_study[report["study"]]:
            if found := stretch(report["text"], edit["text"]):
                usable.append({**report, "truth": error_of(edit), "kind": edit["category"], "old": found[0], "new": found[1]})
        if usable:
            best = max(usable, key=lambda each: wanted[each["truth"]] / (1 + len(stock[each["truth"]])))
            best = best if len(stock[best["truth"]]) < wanted[best["truth"]] else {**report, **NO_EDIT}
            stock[best["truth"]].append(best)
        else:
            stock["same"].append({**report, **NO_EDIT})
    return stock


def studies(stock: dict[str, list[dict[str, str]]]) -> list[dict[str, str | int]]:
    """One row for each examination that has an early report and a final one."""
    draws = random.Random(SEED)
    for each in stock.values():
        draws.shuffle(each)
    rows: list[dict[str, str | int]] = []
    numbers = dict.fromkeys(VOLUME, 1000)
    for day in (FIRST + timedelta(days=each) for each in range(DAYS)):
        for site, volume in VOLUME.items():
            drafts, preliminaries = volume[day.weekday() >= 5]
            for status in ["draft"] * drafts + ["preliminary"] * preliminaries:
                numbers[site] += 1
                rows.append(study(site, f"{site[0]}{numbers[site]}", day, status, stock, draws))
    return rows


def study(site, accession, day, status, stock, draws) -> dict[str, str | int]:  # type: ignore[no-untyped-def]
    """One row."""
    performed = datetime(day.year, day.month, day.day, 7) + timedelta(minutes=draws.randrange(14 * 60))
    if status == "draft":
        author = {"NORTH": "A 1.0" if day < NEW_VERSION else "A 1.1", "SOUTH": "A 1.0", "COAST": "B 2.0"}[site]
        kind, early = author, 4
    else:
        author, kind, early = draws.choice(RESIDENTS[site]), "resident", draws.randrange(15, 70)
    if author == "B 2.0" and day >= WORSE:
        kind = "B 2.0, from the 18th"
    truth = draws.choices(("major", "minor", "style", "same"), (*SHARES[kind], 1 - sum(SHARES[kind])))[0]
    report = next(stock[name].pop() for name in (truth, "same", "style", "minor", "major") if stock[name])
    if report["truth"] != truth:
        report = {**report, **NO_EDIT}
    final = early + draws.randrange(30, 300)
    issued = performed + timedelta(minutes=final)
    if issued.hour >= 22 or issued.date() > day:  # nobody signs at night
        morning = datetime(day.year, day.month, day.day, 7) + timedelta(days=1, minutes=draws.randrange(10, 120))
        final = int((morning - performed).total_seconds()) // 60
    modality, _, part = report["exam"].partition(" ")
    return {
        "site": site, "accession": accession, "performed": performed.isoformat(timespec="minutes"),
        "modality": modality, "procedure": f"{modality} {part}", "status": status, "author": author,
        "attending": draws.choice(ATTENDINGS[site]), "early_after": early, "final_after": final,
        "truth": report["truth"], "kind": report["kind"],
        "final": report["text"], "old": report["old"], "new": report["new"],
    }  # fmt: skip


def readings(rows: list[dict[str, str | int]]) -> list[dict[str, str]]:
    """What each reader said of each pair that is theirs, and the adjudicator of each pair on which they differ."""
    from overread.hospital.bootstrap.demo_month import MonthClock, begin_readings, month_hospital, take_in_month
    from overread.hospital.domain.audit_trail import Actor, Role
    from overread.hospital.infrastructure.demo_month import month_plan
    from overread.infrastructure.settings import Settings

    draws, by_accession = random.Random(SEED + 1), {row["accession"]: row for row in rows}
    said: list[dict[str, str]] = []
    with TemporaryDirectory() as folder:
        clock = MonthClock(month_plan().read)
        settings = Settings(hospital={"store": f"{folder}/month.db", "texts": "plain"})
        with month_hospital(settings, clock) as service:
            take_in_month(service, clock)
            begin_readings(service, clock)
            for name in SLIPS:
                reader = Actor(name=name, roles=frozenset({Role.REVIEWER}))
                for task in service.assignments(by=reader, limit=200).rows:
                    said.append(reading(by_accession[task.examination.accession], name, "reading", draws))
    of_pair: dict[str, list[dict[str, str]]] = defaultdict(list)
    draws.shuffle(said)
    for each in said:
        of_pair[each["accession"]].append(each)
    for accession, of in of_pair.items():
        if len({each["severity"] for each in of}) > 1 or len({each["radpeer"] in ("1", "2a") for each in of}) > 1:
            said.append(reading(by_accession[accession], "d.novak", "adjudication", draws))
    return said


def reading(row: dict[str, str | int], name: str, task: str, draws: random.Random) -> dict[str, str]:
    """What somebody says of a pair: the truth, but for slips; the adjudicator makes none."""
    step = TRUE_STEP[str(row["truth"])]
    less, more = SLIPS.get(name, (0.0, 0.0))
    slip = draws.random()
    if slip < less:
        step = max(0, step - draws.choice((1, 1, 2)))
    elif slip < less + more:
        step = min(3, step + 1)
    if step == 2 and row["kind"] and str(row["kind"]).startswith("Contradiction"):
        step = 3
    scores = (("1",), ("2a", "2a", "2a", "3a"), ("2b", "3b", "3b"), ("3b",))[step]
    kind = str(row["kind"])
    category = next((value for word, value in CATEGORIES.items() if word in kind), "A")
    return {
        "accession": str(row["accession"]), "site": str(row["site"]),
        "model": str(row["author"]) if row["status"] == "draft" else "", "reader": name, "task": task,
        "severity": STEPS[step], "category": category if step else "", "radpeer": draws.choice(scores),
    }  # fmt: skip


def write(name: str, rows: list[dict[str, str]]) -> None:
    """Writes a table."""
    with (PACKAGE / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    made = studies(material(Path(sys.argv[1])))
    print(Counter((row["site"], row["author"], row["truth"]) for row in made))
    write("studies.csv", made)
    write("readings.csv", readings(made))
