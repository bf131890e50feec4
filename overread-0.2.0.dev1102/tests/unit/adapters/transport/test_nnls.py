"""Fitting, selecting, storing and loading readouts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.adapters.transport.nnls.fitter import FLOOR, NnlsFitter, fit_monotone
from overread.adapters.transport.nnls.plugin import overread_readouts
from overread.adapters.transport.nnls.readout import KINDS, load_readout, readout_record
from overread.domain.differences.aligned_pair import AlignedPair
from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS
from overread.domain.differences.features import (
    FEATURE_NAMES,
    RELAXED_FEATURE_NAMES,
    debiased_features,
    features,
    relaxed_features,
)
from overread.domain.results.alignment import Alignment
from overread.domain.results.readout import TARGETS, MonotoneReadout
from overread.exceptions import ConfigurationError

Matrix = npt.NDArray[np.float64]

SPECS = {spec.name: spec for spec in overread_readouts()}


def alignment(n: int, m: int, seed: int) -> Alignment:
    rng = np.random.default_rng(seed)
    return Alignment(
        plan=np.full((n, m), 1 / (n * m)),
        ground=rng.random((n, m)),
        channels={name: rng.random((n, m)) for name in GROUND_CHANNELS},
        side={name: rng.random((n, m)) for name in SIDE_CHANNELS},
        row_mass=np.full(n, 1 / n),
        column_mass=np.full(m, 1 / m),
    )


def aligned_pair() -> AlignedPair:
    return AlignedPair(cross=alignment(4, 3, 0), reference_self=alignment(4, 4, 1), candidate_self=alignment(3, 3, 2))


def targets(values: Matrix) -> dict[str, Matrix]:
    return dict.fromkeys(TARGETS, values)


def some_readout(names: tuple[str, ...] = FEATURE_NAMES) -> MonotoneReadout:
    rng = np.random.default_rng(3)
    return MonotoneReadout(
        feature_names=names,
        scale=rng.random(len(names)) + 0.5,
        coefficients={target: rng.random(len(names)) for target in TARGETS},
        intercepts=dict.fromkeys(TARGETS, 0.0),
    )


def record(kind: str = "debiased", **changes: Any) -> dict[str, Any]:
    return (
        readout_record(
            some_readout(),
            kind=kind,
            aligner={"prior": "polarity-heavy", "epsilon": 0.2},
            provenance={"name": "invented"},
        )
        | changes
    )


def write(path: Path, content: object) -> str:
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


class TestFit:
    """Non-negative least squares on scaled features."""

    def test_recovers_the_coefficients_that_made_the_labels(self) -> None:
        """Labels 3 x1 / max(x1) + 2 x3 / max(x3), without noise, give 3, 0 and 2 again."""
        matrix = np.random.default_rng(0).random((40, 3)) * np.array([1.0, 5.0, 20.0])
        labels = 3 * matrix[:, 0] / matrix[:, 0].max() + 2 * matrix[:, 2] / matrix[:, 2].max()
        fitted = fit_monotone(matrix, targets(labels), kind="debiased", feature_names=FEATURE_NAMES[:3])
        assert fitted.scale == pytest.approx(matrix.max(axis=0))
        assert fitted.coefficients["total"] == pytest.approx(np.array([3.0, 0.0, 2.0]), abs=1e-9)

    def test_targets_have_their_own_coefficients(self) -> None:
        """Each label column is fitted by itself."""
        matrix = np.random.default_rng(1).random((30, 2))
        scaled = matrix / matrix.max(axis=0)
        labels = {"total": scaled.sum(1), "significant": scaled[:, 0], "insignificant": scaled[:, 1]}
        fitted = fit_monotone(matrix, labels, kind="debiased", feature_names=FEATURE_NAMES[:2])
        assert fitted.coefficients["significant"] == pytest.approx(np.array([1.0, 0.0]), abs=1e-9)
        assert fitted.coefficients["insignificant"] == pytest.approx(np.array([0.0, 1.0]), abs=1e-9)

    def test_a_feature_that_lowers_the_labels_gets_nothing(self) -> None:
        """Where evidence goes with fewer errors its coefficient is 0, not negative."""
        falling = np.linspace(1, 0, 20)
        fitted = fit_monotone(
            np.column_stack([falling, falling**2]), targets(1 - falling), kind="paper", feature_names=FEATURE_NAMES[:2]
        )
        assert not fitted.coefficients["total"].any()

    def test_only_the_published_readout_has_an_intercept(self) -> None:
        """For labels 4 + x "paper" finds 4; "debiased" keeps 0, so that no evidence is no risk."""
        matrix = np.linspace(0, 1, 20)[:, None]
        paper, debiased = (
            fit_monotone(matrix, targets(4 + matrix[:, 0]), kind=kind, feature_names=FEATURE_NAMES[:1])
            for kind in ("paper", "debiased")
        )
        assert paper.intercepts["total"] == pytest.approx(4.0)
        assert paper.coefficients["total"] == pytest.approx(np.array([1.0]))
        assert debiased.intercepts == dict.fromkeys(TARGETS, 0.0)
        assert debiased.read(np.zeros(1)).scores == dict.fromkeys(TARGETS, 0.0)

    def test_a_feature_that_never_occurs_is_scaled_by_one(self) -> None:
        """There is no division by a maximum of zero."""
        matrix = np.column_stack([np.zeros(10), np.arange(10.0)])
        fitted = fit_monotone(matrix, targets(np.arange(10.0)), kind="debiased", feature_names=FEATURE_NAMES[:2])
        assert fitted.scale == pytest.approx(np.array([1.0, 9.0]))

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, 10_000), st.integers(0, 4), st.floats(0, 10))
    def test_a_fitted_risk_never_falls_when_a_feature_rises(self, seed: int, which: int, rise: float) -> None:
        """Whatever labels it was fitted on, negative correlations included."""
        rng = np.random.default_rng(seed)
        matrix = rng.random((25, 5))
        labels = {target: rng.random(25) for target in TARGETS}
        fitted = fit_monotone(matrix, labels, kind="paper", feature_names=FEATURE_NAMES[:5])
        before = matrix[0]
        after = before + np.eye(5)[which] * rise
        low, high = fitted.read(before).scores, fitted.read(after).scores
        assert all(high[target] >= low[target] for target in TARGETS)


class TestSelect:
    """Selection by held-out rank correlation over studies."""

    def test_the_setting_that_orders_held_out_studies_wins(self) -> None:
        """A feature that follows the labels beats noise; rows fall by macro and name every target."""
        rng = np.random.default_rng(0)
        labels = rng.random(60)
        matrices = {
            ("uniform", 0.1): rng.random((60, 1)),
            ("polarity-heavy", 0.2): labels[:, None] + 0.01 * rng.random((60, 1)),
            ("text-heavy", 0.2): labels[:, None] + 0.5 * rng.random((60, 1)),
        }
        groups = [f"study-{i // 4}" for i in range(60)]
        chosen = NnlsFitter().select(
            matrices, targets(labels), groups, kind="debiased", feature_names=FEATURE_NAMES[:1]
        )
        assert [row.prior for row in chosen.table] == ["polarity-heavy", "text-heavy", "uniform"]
        assert chosen.selected_row.epsilon == 0.2
        assert chosen.selected_row.macro > 0.99
        for row in chosen.table:
            assert set(row.scores) == set(TARGETS)
            assert row.macro == pytest.approx(np.mean(list(row.scores.values())))

    def test_the_readout_is_refitted_on_all_pairs(self) -> None:
        """The readout returned is that of the winning setting over every row."""
        rng = np.random.default_rng(1)
        labels = rng.random(30)
        good = labels[:, None] * np.array([[2.0]])
        matrices = {("uniform", 0.1): rng.random((30, 1)), ("uniform", 0.2): good}
        chosen = NnlsFitter().select(
            matrices, targets(labels), [str(i) for i in range(30)], kind="paper", feature_names=FEATURE_NAMES[:1]
        )
        whole = fit_monotone(good, targets(labels), kind="paper", feature_names=FEATURE_NAMES[:1])
        assert chosen.readout.coefficients["total"] == pytest.approx(whole.coefficients["total"])
        assert chosen.readout.scale == pytest.approx(whole.scale)

    def test_pairs_of_one_study_are_held_out_together(self) -> None:
        """A feature for each study explains its labels in full, but says nothing about a study held out."""
        study = np.repeat(np.arange(10), 6)
        rng = np.random.default_rng(2)
        labels = study + 1.0
        memory = np.eye(10)[study]
        hint = np.zeros((60, 10))
        hint[:, 0] = labels + 8 * rng.random(60)
        chosen = NnlsFitter().select(
            {("uniform", 0.1): memory, ("uniform", 0.2): hint},
            targets(labels),
            [str(s) for s in study],
            kind="debiased",
            feature_names=FEATURE_NAMES[-10:],
        )
        assert chosen.selected_row.epsilon == 0.2
        assert chosen.table[1].macro == 0.0

    def test_a_debiased_readout_ignores_no_floored_channel(self) -> None:
        """Labels that owe nothing to polarity still leave it its floor, and the published kind has none."""
        rng = np.random.default_rng(5)
        matrix = rng.random((60, 2))
        settings = {("uniform", 0.2): matrix}
        labels = targets(3 * matrix[:, 1])
        groups = [str(i // 6) for i in range(60)]
        names = ("polarity_expected", "comparison_maximum")
        debiased = NnlsFitter().select(settings, labels, groups, kind="debiased", feature_names=names).readout
        published = NnlsFitter().select(settings, labels, groups, kind="paper", feature_names=names).readout
        for target, least in FLOOR.items():
            assert debiased.coefficients[target][0] / debiased.scale[0] >= least - 1e-12
            assert published.coefficients[target][0] == pytest.approx(0, abs=1e-9)

    def test_ties_keep_the_order_of_the_grid(self) -> None:
        """Of settings with the same features the first given is selected."""
        labels = np.random.default_rng(3).random(20)
        matrices = {("no-text", 0.5): labels[:, None], ("uniform", 0.05): labels[:, None]}
        chosen = NnlsFitter().select(
            matrices, targets(labels), [str(i) for i in range(20)], kind="debiased", feature_names=FEATURE_NAMES[:1]
        )
        assert chosen.selected_row.prior == "no-text"

    def test_five_studies_are_needed(self) -> None:
        """Fewer cannot be split into five folds, and the message says so."""
        with pytest.raises(ConfigurationError, match="at least 5 studies, for 5 folds; there are 2"):
            NnlsFitter().select(
                {("uniform", 0.1): np.ones((8, 1))},
                targets(np.arange(8.0)),
                list("aaaabbbb"),
                kind="paper",
                feature_names=FEATURE_NAMES[:1],
            )


class TestReadout:
    """Readouts over a coefficient file."""

    def test_a_record_is_read_back(self, tmp_path: Path) -> None:
        """What is written gives the same risks as the readout it was written from."""
        loaded = load_readout("debiased", write(tmp_path / "r.json", record()))
        pair = aligned_pair()
        risk = loaded.read_out([pair])[0]
        assert risk.scores == some_readout().read(debiased_features(pair)).scores
        assert loaded.aligner == {"prior": "polarity-heavy", "epsilon": 0.2}

    def test_published_features_need_no_self_alignments(self, tmp_path: Path) -> None:
        """readout=paper reads the cross alignment alone."""
        loaded = load_readout("paper", write(tmp_path / "r.json", record("paper")))
        cross = alignment(2, 3, 5)
        assert not loaded.uses_self_alignments
        assert loaded.read_out([AlignedPair(cross=cross)])[0].scores == some_readout().read(features(cross)).scores

    def test_identical_reports_have_no_risk(self, tmp_path: Path) -> None:
        """The debiased risk of a report against itself is exactly 0 for every target."""
        loaded = load_readout("debiased", write(tmp_path / "r.json", record()))
        same = alignment(5, 5, 7)
        risk = loaded.read_out([AlignedPair(cross=same, reference_self=same, candidate_self=same)])[0]
        assert loaded.uses_self_alignments
        assert risk.scores == dict.fromkeys(TARGETS, 0.0)
        assert not any(risk.contributions.values())

    def test_features_may_be_left_out(self, tmp_path: Path) -> None:
        """A file over some of the features reads just those, by name."""
        names = ("severity_expected", "reference_unit_count")
        part = readout_record(some_readout(names), kind="paper", aligner={}, provenance={"name": "two"})
        cross = alignment(2, 3, 5)
        risk = load_readout("paper", write(tmp_path / "r.json", part)).read_out([AlignedPair(cross=cross)])[0]
        values = features(cross)[[FEATURE_NAMES.index(name) for name in names]]
        assert risk.scores == some_readout(names).read(values).scores

    def test_a_relaxed_readout_reads_best_matches(self, tmp_path: Path) -> None:
        """It needs no self-alignments, and a file of another kind that names its features is refused."""
        content = {
            kind: readout_record(
                some_readout(RELAXED_FEATURE_NAMES), kind=kind, aligner={}, provenance={"name": "best"}
            )
            for kind in KINDS
        }
        loaded = load_readout("relaxed", write(tmp_path / "r.json", content["relaxed"]))
        pair = AlignedPair(cross=alignment(4, 3, 0), reference_burden=np.ones((4, 2)), candidate_burden=np.ones((3, 2)))
        values = relaxed_features(pair)
        assert values.all()
        assert not loaded.uses_self_alignments
        assert loaded.read_out([pair])[0].scores == some_readout(RELAXED_FEATURE_NAMES).read(values).scores
        for kind in set(KINDS) - {"relaxed"}:
            with pytest.raises(ConfigurationError, match="unknown features: relaxed_finding_reference_major"):
                load_readout(kind, write(tmp_path / "p.json", content[kind]))

    def test_a_batch_keeps_its_order(self, tmp_path: Path) -> None:
        """One risk for each pair, in order; none for none."""
        loaded = load_readout("paper", write(tmp_path / "r.json", record("paper")))
        pairs = [AlignedPair(cross=alignment(2, 3, seed)) for seed in range(4)]
        assert [r.scores for r in loaded.read_out(pairs)] == [loaded.read_out([p])[0].scores for p in pairs]
        assert loaded.read_out([]) == []

    def test_identity_tells_user_files_apart(self, tmp_path: Path) -> None:
        """Kind and provenance, and for a user's file the start of its digest."""
        first = load_readout("debiased", write(tmp_path / "a.json", record()))
        again = load_readout("debiased", write(tmp_path / "b.json", record()))
        other = load_readout("debiased", write(tmp_path / "c.json", record(scale=[1.0] * 66)))
        assert first.identity.startswith("debiased@invented#")
        assert first.identity == again.identity
        assert first.identity != other.identity

    def test_readouts_are_chosen_by_name_and_path(self, tmp_path: Path) -> None:
        """Both components build through their spec, with the path as the option."""
        for kind in ("debiased", "paper"):
            spec = SPECS[kind]
            options = spec.options(path=write(tmp_path / f"{kind}.json", record(kind)))
            assert spec.factory(options, None).kind == kind  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"kind": "paper"}, "its kind is 'paper', not 'debiased'"),
            ({"features": ["lung_volume"]}, "unknown features: lung_volume"),
            ({"features": [FEATURE_NAMES[0]] * 66}, "named twice"),
            ({"features": "all"}, "'features' must be a list"),
            ({"scale": [1.0]}, "66 features needs 66 scales"),
            ({"scale": [0.0] * 66}, "scales must be positive"),
            ({"scale": ["1"] * 66}, "scale must be numbers"),
            ({"coefficients": {"total": [1.0] * 66}}, "coefficients must be given for total, significant"),
            ({"coefficients": dict.fromkeys(TARGETS, [-1.0] * 66)}, "coefficients nonnegative"),
            ({"coefficients": dict.fromkeys(TARGETS, [float("nan")] * 66)}, "coefficients nonnegative"),
            ({"coefficients": dict.fromkeys(TARGETS, 1.0)}, "coefficients of total must be numbers"),
            ({"intercepts": dict.fromkeys(TARGETS, -1.0)}, "intercepts must be nonnegative"),
            ({"provenance": {}}, "provenance has no name"),
            ({"provenance": None}, "'provenance' must be an object"),
        ],
    )
    def test_an_unusable_file_is_refused(self, tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
        """The message names the file and what is wrong with it."""
        path = write(tmp_path / "bad.json", record(**changes))
        with pytest.raises(ConfigurationError, match=rf"readout file .*bad\.json: .*{problem}"):
            load_readout("debiased", path)

    @pytest.mark.parametrize(
        ("content", "problem"),
        [(b"{", "is not JSON"), (b"\xff\xfe", "is not JSON"), (b"[]", "must hold a JSON object"), (b"", "is not JSON")],
    )
    def test_a_file_that_is_no_json_object_is_refused(self, tmp_path: Path, content: bytes, problem: str) -> None:
        """Broken, undecodable, empty and list files each get a plain message."""
        path = tmp_path / "bad.json"
        path.write_bytes(content)
        with pytest.raises(ConfigurationError, match=problem):
            load_readout("debiased", str(path))

    def test_a_missing_file_or_a_directory_is_refused(self, tmp_path: Path) -> None:
        """With the reason the system gives."""
        with pytest.raises(ConfigurationError, match="No such file"):
            load_readout("debiased", str(tmp_path / "none.json"))
        with pytest.raises(ConfigurationError, match="cannot be read"):
            load_readout("debiased", str(tmp_path))
