"""A study with a table and a plot of every kind."""

from __future__ import annotations

import math
from typing import Final

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import (
    Column,
    Curve,
    Curves,
    Flow,
    Flows,
    Forest,
    ForestRow,
    HeatMap,
    Plot,
    Scatter,
    Table,
    Tabulation,
)

HOSTILE: Final = "</script><b>s1</b>\x1b[31m"

AGREEMENT: Final = Table(
    name="agreement",
    title="Agreement with radiologists",
    columns=(
        Column(name="metric", title="metric"),
        Column(name="tau", title="Kendall's tau-b"),
        Column(name="share", title="share found", percent=True),
        Column(name="p", title="p", digits=4),
        Column(name="pairs", title="pairs"),
    ),
    rows=(
        ("radot", Estimate(0.1 + 0.2, 0.0123456789012345, 0.6), 0.625, 0.00049, 1234),
        ("bleu", Estimate(-0.00004, -0.5, 0.5), math.nan, math.inf, None),
        ("rouge:rougeL", Estimate(None), 1.0, 1.0, 0),
    ),
    note="Higher is better.",
)
PAIRS: Final = Table(
    name="pairs",
    title="Largest differences",
    columns=(Column(name="id", title="pair"), Column(name="difference", title="difference")),
    rows=((HOSTILE, -0.75), ("s2", 0.5), ("s3", 0.25)),
    links={0: "pages/s1.html", 1: "javascript:alert(1)", 2: "https://example.org/?a=1&b=2"},
)
EMPTY: Final = Table(name="strata", title="Strata", columns=(Column(name="stratum", title="stratum"),), rows=())

SCATTER: Final = Scatter(
    name="scatter",
    title="Scores and counts",
    x_title="score",
    y_title="errors",
    points=((0.0, 1.0, HOSTILE), (1.0, 2.0, "s2"), (2.0, 2.5, "s3"), (3.0, 4.5, "s4"), (math.nan, 9.0, "s5")),
    caption="tau-b 0.91",
)
FOREST: Final = Forest(
    name="agreement",
    title="Kendall's tau-b",
    x_title="tau-b",
    rows=(
        ForestRow("radot", Estimate(0.3, 0.1, 0.6), "total"),
        ForestRow("bleu", Estimate(-0.2, -0.5, 0.5), "significant"),
        ForestRow("rouge " + "and a very long name of its options " * 2, Estimate(0.25), "total"),
        ForestRow("constant", Estimate(None), "total"),
    ),
    reference=0.0,
)
HEAT: Final = HeatMap(
    name="paired",
    title="Paired differences",
    rows=("radot", "bleu"),
    columns=("radot", "bleu <i>"),
    values=((None, 0.25), (-0.25, None)),
    words=(("", "0.250\np 0.01"), ("-0.250\np 0.01", "")),
)
CURVES: Final = Curves(
    name="plane",
    title="Discrimination and robustness",
    x_title="R",
    y_title="D",
    curves=(
        Curve(label="radot", points=((0.0, 1.0), (0.6, 0.7), (1.0, 0.0)), marked=(0.6, 0.7)),
        Curve(label="bleu", points=((0.0, 1.0), (1.0, 0.0))),
    ),
    square=True,
)
FLOWS: Final = Flows(
    name="aspects",
    title="Aspects",
    source_title="written in",
    target_title="noted",
    flows=(Flow("omission", "omission", 40), Flow("omission", "nothing", 9), Flow("location", "nothing", 2)),
)
PLOTS: Final[tuple[Plot, ...]] = (SCATTER, FOREST, HEAT, CURVES, FLOWS)

STUDY: Final = Tabulation(
    name="rexval",
    title="ReXVal",
    tables=(AGREEMENT, PAIRS, EMPTY),
    plots=PLOTS,
    facts={"pairs": 1200, "seed": 20240, "radot": "radot|" + "x" * 90},
    notes=("bleu: 3 pairs are not scored",),
)
