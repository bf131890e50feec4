"""Works out what must come of the invented month, apart from overread: plain Python on the month's own tables.

python tests/data/hospital_month/expected.py           writes the expected_*.csv beside this file
python tests/data/hospital_month/expected.py OUTCOMES  prints the charts of pairs as the program read them, as CSV

The first takes nothing but studies.csv, readings.csv and month.toml. The second takes rows of number, site, model, time
of the examination, and whether the pair is discordant or a major discordance as read, and follows docs/charts.md; the
steps of the sum are whole numbers whose ratio is the nearest with a denominator of 100 at most.
"""

import csv
import io
import math
import sys
import tomllib
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parents[2] / "src/overread/hospital/infrastructure/demo_month"
NORMAL = 1.959963984540054
STEPS = ("", "insignificant", "significant", "critical")
CONCORDANT, MAJOR = ("1", "2a"), ("2b", "3b")
LEAST_PAIRS, LEAST_EVENTS = 100, 5

PLAN = tomllib.loads((PACKAGE / "month.toml").read_text(encoding="utf-8"))


def table(name):
    with (PACKAGE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# --- what came, and the silent day -----------------------------------------------------------------------------------


def came(study):
    """Whether the early report and the final one came: nothing did that was issued on the silent day."""
    begun = datetime.fromisoformat(study["performed"])
    issued = [begun + timedelta(minutes=int(study[name]) + 1) for name in ("early_after", "final_after")]
    return [study["site"] != PLAN["silent_site"] or moment.date() != PLAN["silent_day"] for moment in issued]


def pairs(studies):
    """Studies both of whose reports came, by site, by model and by kind."""
    counts = Counter()
    for study in studies:
        if all(came(study)):
            is_draft = study["status"] == "draft"
            counts["all", "all"] += 1
            counts["site", study["site"]] += 1
            counts["model", study["author"] if is_draft else ""] += 1
            counts["kind", "draft-final" if is_draft else "preliminary-final"] += 1
            counts["modality", study["modality"]] += 1
            counts["month", study["performed"][:7]] += 1
    return [{"by": by, "group": group, "pairs": count} for (by, group), count in sorted(counts.items())]


def errors(studies):
    """Major errors that were put into the early reports, by author and part of the month."""
    counts = defaultdict(Counter)
    for study in studies:
        if all(came(study)):
            author = study["author"] if study["status"] == "draft" else "residents"
            part = "from the 18th" if study["performed"] >= "2026-10-18" else "before"
            counts[author, part][study["truth"]] += 1
    return [
        {"author": author, "part": part, "pairs": sum(of.values()), "major": of["major"], **share("major", of["major"], sum(of.values()))}
        for (author, part), of in sorted(counts.items())
    ]  # fmt: skip


def coverage(studies):
    """Examinations of each site that lack a counterpart, and the days on which nothing came."""
    rows = []
    for site in sorted({study["site"] for study in studies}):
        mine = [study for study in studies if study["site"] == site]
        heard = set()
        for study in mine:
            begun = datetime.fromisoformat(study["performed"])
            for there, name in zip(came(study), ("early_after", "final_after")):
                if there:
                    heard.add((begun + timedelta(minutes=int(study[name]) + 1)).date())
        every = {min(heard) + timedelta(days=number) for number in range((max(heard) - min(heard)).days)}
        rows.append(
            {
                "site": site,
                "versions": sum(sum(came(study)) for study in mine),
                "pairs": sum(all(came(study)) for study in mine),
                "finals_alone": sum(came(study) == [False, True] for study in mine),
                "preliminaries_open": sum(came(study) == [True, False] for study in mine),
                "silent": " ".join(sorted(day.isoformat() for day in every - heard)),
            }
        )
    return rows


# --- what people confirmed -------------------------------------------------------------------------------------------


def wilson(share, rows):
    square = NORMAL**2 / rows
    middle = (share + square / 2) / (1 + square)
    reach = NORMAL / (1 + square) * math.sqrt(share * (1 - share) / rows + square / (4 * rows))
    return max(0.0, min(middle - reach, share)), min(1.0, max(middle + reach, share))


def share(name, events, rows):
    low, high = wilson(events / rows, rows)
    return {f"{name}_share": f"{events / rows:.9f}", f"{name}_low": f"{low:.9f}", f"{name}_high": f"{high:.9f}"}


def by_pair(readings):
    """Readings by accession number in the order in which they were made, and the decisions."""
    read, decided = defaultdict(dict), {}
    for row in readings:
        if row["task"] == "reading":
            read[row["accession"]][row["reader"]] = row
        else:
            decided[row["accession"]] = row
    return read, decided


def standing(readings):
    """What stands for each pair: the decision, or what the first reader said where readers do not differ."""
    read, decided = by_pair(readings)
    stands = {}
    for accession, of in read.items():
        rows = list(of.values())
        differ = len({row["severity"] for row in rows}) > 1 or len({row["radpeer"] in CONCORDANT for row in rows}) > 1
        if differ != (accession in decided):
            raise SystemExit(f"{accession}: readers differ without a decision, or the reverse")
        stands[accession] = decided.get(accession, rows[0])
    return stands


def confirmed(readings):
    """Rates of the sample that was read, by site and model, with Wilson's intervals."""
    groups = defaultdict(list)
    for row in standing(readings).values():
        for group in (("all", "all"), ("site", row["site"]), ("model", row["model"])):
            groups[group].append(row["radpeer"])
    return [
        {
            "by": by,
            "group": name,
            "reviewed": len(scores),
            **share("concordant", sum(score in CONCORDANT for score in scores), len(scores)),
            **share("major", sum(score in MAJOR for score in scores), len(scores)),
        }
        for (by, name), scores in sorted(groups.items())
    ]


# --- agreement -------------------------------------------------------------------------------------------------------


def severity(row):
    return STEPS.index(row["severity"])


def significant(row):
    return int(severity(row) >= 2)


def concordant(row):
    return int(row["radpeer"] in CONCORDANT)


def cohen(pairs_of_ratings, categories, weight):
    """Cohen's kappa with weights of disagreement (1960, 1968)."""
    rows = len(pairs_of_ratings)
    both = Counter(pairs_of_ratings)
    one, other = Counter(a for a, _ in pairs_of_ratings), Counter(b for _, b in pairs_of_ratings)
    observed = sum(count * weight(a, b) for (a, b), count in both.items()) / rows
    chance = sum(one[a] * other[b] * weight(a, b) for a in range(categories) for b in range(categories)) / rows**2
    return None if chance < 1e-12 else 1 - observed / chance


def fleiss(units, categories):
    """Fleiss' kappa (1971) of units with as many ratings as most have."""
    raters = Counter(len(unit) for unit in units if len(unit) > 1).most_common(1)[0][0]
    units = [unit for unit in units if len(unit) == raters]
    agreed = sum((sum(n * n for n in Counter(unit).values()) - raters) / (raters * (raters - 1)) for unit in units) / len(units)
    totals = Counter(rating for unit in units for rating in unit)
    chance = sum((totals[c] / (raters * len(units))) ** 2 for c in range(categories))
    return None if 1 - chance < 1e-12 else (agreed - chance) / (1 - chance)


def krippendorff(units, categories, is_ordinal):
    """Krippendorff's alpha by coincidences (2011)."""
    together = Counter()
    for unit in units:
        if len(unit) > 1:
            for i, a in enumerate(unit):
                for j, b in enumerate(unit):
                    if i != j:
                        together[a, b] += 1 / (len(unit) - 1)
    totals = [sum(together[c, k] for k in range(categories)) for c in range(categories)]
    total = sum(totals)

    def apart(c, k):
        if not is_ordinal:
            return float(c != k)
        low, high = min(c, k), max(c, k)
        return (sum(totals[low : high + 1]) - (totals[c] + totals[k]) / 2) ** 2 if c != k else 0.0

    observed = sum(together[c, k] * apart(c, k) for c in range(categories) for k in range(categories))
    chance = sum(totals[c] * totals[k] * apart(c, k) for c in range(categories) for k in range(categories))
    return None if chance < 1e-12 else 1 - (total - 1) * observed / chance


def written(value):
    return "" if value is None else f"{value:.9f}"


def kappas(one, other, rows):
    """A row of kappas of two raters, of pairs of rows that both gave."""
    figures = {
        "significant": (significant, 2, lambda a, b: float(a != b)),
        "linear": (severity, 4, lambda a, b: abs(a - b)),
        "quadratic": (severity, 4, lambda a, b: (a - b) ** 2),
        "concordant": (concordant, 2, lambda a, b: float(a != b)),
    }
    values = {
        name: written(cohen([(rating(a), rating(b)) for a, b in rows], categories, weight) if rows else None)
        for name, (rating, categories, weight) in figures.items()
    }
    return {"one": one, "other": other, "pairs": len(rows), **values}


def reader_agreement(readings):
    """Each two readers, and each with the verdict."""
    read, _ = by_pair(readings)
    stands = standing(readings)
    names = [reader["name"] for reader in PLAN["readers"]]
    rows = []
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            rows.append(kappas(one, other, [(of[one], of[other]) for of in read.values() if one in of and other in of]))
    for one in names:
        rows.append(kappas(one, "verdict", [(of[one], stands[key]) for key, of in read.items() if one in of]))
    return rows


def group_agreement(readings, studies):
    """All readers together, over all pairs, by modality and by category."""
    read, _ = by_pair(readings)
    modality = {study["accession"]: study["modality"] for study in studies}
    groups = {("all", "all pairs"): list(read)}
    for name in sorted({modality[key] for key in read}):
        groups["modality", name] = [key for key in read if modality[key] == name]
    rows = []
    for (by, name), keys in groups.items():
        units = [list(read[key].values()) for key in keys]
        yes_no, steps = [[list(map(rating, unit)) for unit in units] for rating in (significant, severity)]
        rows.append(
            {
                "by": by,
                "group": name,
                "pairs": sum(len(unit) > 1 for unit in units),
                "fleiss": written(fleiss(yes_no, 2)),
                "nominal": written(krippendorff(yes_no, 2, False)),
                "ordinal": written(krippendorff(steps, 4, True)),
            }
        )
    for category in sorted({row["category"] for row in readings if row["task"] == "reading" and row["category"]}):
        units = [[int(row["category"] == category) for row in of.values()] for of in read.values()]
        rows.append(
            {
                "by": "category",
                "group": category,
                "pairs": sum(len(unit) > 1 for unit in units),
                "fleiss": written(fleiss(units, 2)),
                "nominal": written(krippendorff(units, 2, False)),
                "ordinal": "",
            }
        )
    return rows


# --- control charts --------------------------------------------------------------------------------------------------


def run_length(rise, fall, rate, limit):
    """Average number of pairs from a sum of 0 to the limit, by elimination of the states from the lowest up.

    L[s] = 1 + rate L[s + rise] + (1 - rate) L[max(0, s - fall)], with L = 0 from the limit on.
    """
    width = rise + 1
    above = []  # for each state, the constant, and the weights of the states after it that its run length has
    for state in range(limit):
        low = max(0, state - fall)
        weights = [0.0] * (state - low + width)  # of states from low on
        weights[0] += 1 - rate
        if state + rise < limit:
            weights[state + rise - low] += rate
        constant = 1.0
        for other in range(low, state):
            weight = weights[other - low]
            if weight:
                more, further = above[other]
                constant += weight * more
                place = other - low + 1
                for index, value in enumerate(further):
                    if value:
                        weights[place + index] += weight * value
        own = 1 - weights[state - low]
        rest = weights[state - low + 1 :]
        above.append((constant / own, [value / own for value in rest]))
    lengths = [0.0] * (limit + width)
    for state in range(limit - 1, -1, -1):
        constant, weights = above[state]
        lengths[state] = constant + sum(value * lengths[state + 1 + index] for index, value in enumerate(weights) if value)
    return lengths[0]


def lowest_limit(rise, fall, rate, wanted):
    """The lowest limit with a run length of at least so many pairs; its logarithm is nearly linear in the limit."""
    known = {}

    def length(limit):
        if limit not in known:
            known[limit] = run_length(rise, fall, rate, limit)
        return known[limit]

    low, high = 0, rise + fall
    while length(high) < wanted:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if low:
            step = math.log(length(high) / length(low)) / (high - low)
            middle = low + round(math.log(wanted / length(low)) / step) if step else middle
            middle = min(max(middle, low + 1), high - 1)
        if length(middle) >= wanted:
            high = middle
        else:
            low = middle
            if high - low > 1 and length(low + 1) >= wanted:
                high = low + 1
    return high


def design(base):
    odds, wanted = PLAN["hospital"]["chart_odds"], PLAN["hospital"]["chart_run_length"]
    shifted = odds * base / (1 - base + odds * base)
    up, down = math.log(shifted / base), -math.log((1 - shifted) / (1 - base))
    ratio = down / (up + down)
    nearest = Fraction(ratio).limit_denominator(max(100, math.ceil(1 / ratio)))
    fall, rise = nearest.numerator, nearest.denominator - nearest.numerator
    limit = lowest_limit(rise, fall, base, wanted)
    return rise, fall, limit, (up + down) / (rise + fall), shifted


def charts(outcomes):
    """Charts by site and model of discordant pairs and of major discordances."""
    ordered = sorted(outcomes, key=lambda row: (datetime.fromisoformat(row["at"]), int(row["pair"])))
    since, until = PLAN["hospital"]["reference_since"], PLAN["hospital"]["reference_until"]
    for measure in ("discordance", "major"):
        for scope in ("site", "model"):
            groups = defaultdict(list)
            for row in ordered:
                if row[scope]:
                    groups[row[scope]].append(row)
            before = {}
            for name, rows in groups.items():
                family = name.rpartition(" ")[0]
                if scope == "model" and family in before:
                    reference, charted = groups[before[family]], rows
                else:
                    moments = [(datetime.fromisoformat(row["at"]), row) for row in rows]
                    reference = [row for moment, row in moments if since <= moment < until]
                    charted = [row for moment, row in moments if moment >= until]
                before[family] = name
                yield chart(f"{measure}/{scope}/{name}", measure, reference, charted)


def chart(name, measure, reference, charted):
    events = sum(row[measure] == "1" for row in reference)
    row = {"chart": name, "reference_pairs": len(reference), "reference_events": events}
    if len(reference) < LEAST_PAIRS or events < LEAST_EVENTS or not charted:
        return {**row, "pairs": "", "events": "", "limit": "", "run_length": "", "delay": "", "alarms": "", "changes": ""}
    rise, fall, limit, step, shifted = design(events / len(reference))
    total, start, alarms, changes = 0, 0, [], []
    for place, each in enumerate(charted):
        if total == 0:
            start = place
        total = max(0, total + (rise if each[measure] == "1" else -fall))
        if total >= limit:
            alarms.append(each["pair"])
            changes.append(charted[start]["pair"])
            total = 0
    return {
        **row,
        "pairs": len(charted),
        "events": sum(each[measure] == "1" for each in charted),
        "limit": f"{limit * step:.9f}",
        "run_length": f"{run_length(rise, fall, events / len(reference), limit):.9f}",
        "delay": f"{run_length(rise, fall, shifted, limit):.9f}",
        "alarms": " ".join(alarms),
        "changes": " ".join(changes),
    }


# ---------------------------------------------------------------------------------------------------------------------


def as_csv(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def expected():
    """The tables by name."""
    studies, readings = table("studies.csv"), table("readings.csv")
    return {
        "expected_pairs.csv": pairs(studies),
        "expected_errors.csv": errors(studies),
        "expected_coverage.csv": coverage(studies),
        "expected_confirmed.csv": confirmed(readings),
        "expected_readers.csv": reader_agreement(readings),
        "expected_groups.csv": group_agreement(readings, studies),
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8", newline="") as file:
            sys.stdout.write(as_csv(list(charts(list(csv.DictReader(file))))))
    else:
        for name, rows in expected().items():
            (HERE / name).write_text(as_csv(rows), encoding="utf-8")
