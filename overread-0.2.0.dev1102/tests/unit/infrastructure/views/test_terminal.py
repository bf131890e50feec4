"""The terminal views."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final

import pytest
from attrs import evolve
from rich.cells import cell_len
from rich.console import Console

from overread.application.training.fit_readout import SelectionRow
from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.readout import TARGETS
from overread.domain.results.result import (
    AnswerEvidence,
    EntityEvidence,
    EvaluationResult,
    Scored,
    TransportEvidence,
    Unscored,
)
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.infrastructure.views.evidence_rows import edge_sum_words
from overread.infrastructure.views.terminal import show_evidence, show_history, show_pair, show_plugins, show_selection
from overread.infrastructure.views.wording import headline_words

from . import build

PLUGINS: Final[dict[str, Any]] = {
    "plugins": [
        {
            "name": "overread.sinkhorn",
            "distribution": "overread",
            "version": "0.1.0",
            "builtin": True,
            "provides": ["aligner:balanced", "aligner:partial", "aligner:unbalanced"],
        },
        {
            "name": "acme",
            "distribution": "acme-metrics",
            "version": "2.0",
            "builtin": False,
            "provides": ["metric:acme"],
        },
    ],
    "components": [
        {
            "kind": "metric",
            "name": "acme",
            "version": "[2]",
            "summary": "a score [bold] of somebody else's",
            "plugin": "acme",
            "distribution": "acme-metrics",
            "options": {"depth": 3},
            "can_run": False,
            "missing": ["sacrebleu"],
            "install": "pip install 'overread[baselines]'",
            "higher_is_better": False,
            "range": [0, None],
            "backend": "sacrebleu",
        },
        {
            "kind": "aligner",
            "name": "balanced",
            "version": "1.0",
            "summary": "entropic balanced transport",
            "plugin": "overread.sinkhorn",
            "distribution": "overread",
            "options": [],
            "can_run": True,
            "missing": [],
            "install": "pip install POT",
        },
    ],
    "failures": [
        {"plugin": "broken", "distribution": "broken-dist", "version": "0.3", "problem": "ImportError: no module" * 9}
    ],
}

ROWS: Final = [
    SelectionRow(prior=prior, epsilon=epsilon, macro=macro, scores=dict(zip(TARGETS, scores, strict=True)))
    for prior, epsilon, macro, scores in (
        ("text-heavy", 0.05, 0.811, (0.9, 0.8, 0.7)),
        ("uniform", 0.2, 0.846, (0.91, 0.81, 0.71)),
        ("all", 0.1, float("nan"), (0.0, 0.0, 0.0)),
    )
]

HISTORY: Final[list[dict[str, Any]]] = [
    {
        "pair_id": "s[1]" * 30,
        "metric": "radot",
        "status": "scored",
        "score": 4.3021,
        "reason": None,
        "run": "demo",
        "created": "2025-01-02T03:04:05.123456",
    },
    {
        "pair_id": "s2",
        "metric": "green",
        "status": "unscored",
        "score": None,
        "reason": "empty",
        "run": "demo",
        "created": "2025-01-02T03:04:06",
    },
]


PLAN_READOUT: Final = Signature("radot", (("readout", "plan"),))


def printed(show: Callable[[Console], None], *, width: int = 80) -> str:
    """What a pipe receives; no line may be wider than the console."""
    console = Console(file=io.StringIO(), width=width)
    show(console)
    assert isinstance(console.file, io.StringIO)
    output = console.file.getvalue()
    assert max(map(cell_len, output.splitlines())) <= width
    assert "\x1b" not in output
    return output


def squeezed(output: str) -> str:
    """The output without the white space that wrapping adds."""
    return "".join(output.split())


def pair_view(**changes: Any) -> str:
    given = {"pair": build.pair(), "results": build.results(), **changes}
    return printed(lambda console: show_pair(console, given["pair"], given["results"], build.finding_name))


def evidence_view(result: EvaluationResult) -> str:
    return printed(lambda console: show_evidence(console, build.pair(), result, build.finding_name))


def test_a_pair_shows_scores_with_direction_and_missing_scores_with_reason() -> None:
    """A score cannot be read without its direction, nor a missing one without its reason."""
    output = " ".join(pair_view().split())
    assert "Pair s<1>" in output
    assert "radot 2.500 0 to infinity," in output
    assert "lower is better" in output
    assert "higher is better" in output
    assert "not scored (language): candidate:" in output
    assert "Note on radot: a stand-in backend answered" in output
    assert "Clinically significant. 5 discrepancies: 1 critical, 2 significant, 2 insignificant." in output


def test_a_pair_shows_every_discrepancy_gravest_first() -> None:
    """Each with its number, severity, category and finding."""
    lines = pair_view().splitlines()
    start = lines.index(next(line for line in lines if line.startswith("Discrepancies")))
    rows = [
        line.split()[:2]
        for line in lines[start:]
        if line.split()[1:2] in (["critical"], ["significant"], ["insignificant"])
    ]
    assert rows == [
        ["1", "critical"],
        ["2", "significant"],
        ["3", "significant"],
        ["4", "insignificant"],
        ["5", "insignificant"],
    ]


def test_a_discrepancy_shows_its_grade_and_explain_what_its_weight_is_made_of() -> None:
    """A radiologist reads severity and importance; the sum is for who asks what a score rests on."""
    results = {result.metric: result for result in build.weighed()}
    first = " ".join(pair_view(results=results).split())
    assert "1 significant (actionable) \u00b7 False finding: pleural effusion" in first
    assert "weight" not in first
    whole = " ".join(evidence_view(results["notation"]).split())
    for words in ("weight 0.5 = actionable 0.5 \u00d7 1", "actionable 0.5 \u00d7 0.3", "follow-up 0.2 \u00d7 0.6"):
        assert words in whole
    assert "category A, Severity, inaccuracy" in whole


def test_a_pair_shows_what_is_wrong_before_scores_and_no_plan() -> None:
    """Edges, masses and plans belong to what `show_evidence` tells."""
    output = pair_view()
    assert output.index("Clinically significant") < output.index("Discrepancies") < output.index("Scores")
    for words in ("mass", "edge", "plan"):
        assert words not in output.lower()


def test_differences_at_the_same_words_quote_them_once() -> None:
    """Each has its own number, grade and reason above the words."""
    where = build.discrepancies()[1].reference_spans
    both = tuple(evolve(d, candidate_spans=(), reference_spans=where) for d in build.discrepancies()[:2])
    output = pair_view(results={"notation": build.notation(both)})
    assert output.count("\u201clarge right pleural effusion\u201d") == 1
    assert output.index("1 significant") < output.index("2 insignificant") < output.index("\u201clarge right")


def test_a_pair_tells_sections_denials_and_what_was_not_read() -> None:
    """Where the words stand and whether they are denied is told in words, not by colour."""
    results = {"radot": build.radot(), "notation": build.notation()}
    output = " ".join(pair_view(results=results).split())
    assert "\u201cNo pneumothorax\u201d (FINDINGS, denied)" in output
    assert "possibly new\u201d (FINDINGS, uncertain)" in output
    assert "1 statement of the reference unread." in output


def test_a_second_reader_is_explained_where_one_spoke() -> None:
    """One sentence says how the share enters the score; without a second reader there is none."""
    doubted = tuple(evolve(d, probability=0.31) for d in build.discrepancies())
    output = " ".join(pair_view(results={"notation": build.notation(doubted)}).split())
    assert "second reader: 31%, doubtful" in output
    assert output.count("it adds that share of its weight to the risk") == 1
    assert "second reader" not in pair_view()


def test_a_discrepancy_that_was_not_weighed_shows_no_weight() -> None:
    """A judge's severity is not made into a number."""
    assert "weight" not in pair_view(results={"green": build.green()})
    assert "weight" not in pair_view(results={"notation": build.notation()})


def test_edges_without_a_partner_stand_among_the_others_and_all_add_up() -> None:
    """By hand 0.5 + 0.15 + 0.12 + 0.03 = 0.8, which is the total."""
    radot, notation = build.weighed()
    lines = [" ".join(line.split()) for line in evidence_view(radot).splitlines()]
    assert any(line.startswith("1 (no partner) C1 There is a") and line.endswith("0.500") for line in lines)
    assert any(line.startswith("3 R3 A 12 mm nodule") and "(no partner)" in line for line in lines)
    assert "4 edges, together 0.800 = total" in lines
    assert "4 edges, together 0.800 = risk" in evidence_view(notation)


def test_the_sum_of_edges_is_named_a_total_only_where_it_is_one() -> None:
    """To 1e-9; a plan that must place all mass has no such sum."""
    radot, _ = build.weighed()
    off = evolve(radot, outcome=evolve(radot.scored, subscores={**radot.subscores, "total": 0.8 + 2e-9}))
    near = evolve(radot, outcome=evolve(radot.scored, subscores={**radot.subscores, "total": 0.8 + 5e-10}))
    assert "4 edges, together 0.800\n" in evidence_view(off)
    assert "together 0.800 = total" in evidence_view(near)
    assert "together" not in evidence_view(build.radot())


def test_edges_that_are_not_shown_are_counted_in_the_sum() -> None:
    """The foot tells how many of all edges stand above it."""
    radot, _ = build.weighed()
    evidence = radot.outcome.evidence
    assert isinstance(evidence, TransportEvidence)
    assert edge_sum_words(radot, evidence, 4) == "4 edges, together 0.800 = total"
    assert edge_sum_words(radot, evidence, 2) == "2 of 4 edges; all together 0.800 = total"


def test_radots_headline_says_what_it_is() -> None:
    """A relative risk is not the total; where the score is the total nothing need be said."""
    radot, notation = build.weighed()
    lines = [" ".join(line.split()) for line in pair_view(results={"radot": radot}).splitlines()]
    headline = lines.index("radot 0.480 0 to 1, risk relative to what there was to say")
    assert lines[headline + 1].startswith("lower is better total 0.800, significant 0.650")
    assert "relative" not in pair_view(results={"notation": notation})
    assert "relative" not in pair_view()


def test_the_headline_of_two_equal_reports_is_said_too() -> None:
    """There both are 0, and the readout in the signature tells."""
    radot, _ = build.weighed()
    zero = evolve(radot.scored, score=0.0, subscores=dict.fromkeys(TARGETS, 0.0))
    assert headline_words(evolve(radot, outcome=zero)) == ""
    assert headline_words(evolve(radot, outcome=zero, signature=PLAN_READOUT)).startswith("risk relative")


def test_terms_of_a_plan_are_told_in_the_fields_words() -> None:
    """Category or aspect with the importance, and what was summed."""
    radot, _ = build.weighed()
    lines = [" ".join(line.split()) for line in evidence_view(radot).splitlines()]
    for line in (
        "false finding, actionable sum of 0.5 \u00d7 extent 1.000 0.500",
        "terminology, follow-up sum of 0.2 \u00d7 extent 1.000 0.120",
    ):
        assert line in lines


def test_nothing_is_cut_off() -> None:
    """A narrow console folds words and keeps every one of them."""
    reference = "FINDINGS: " + "Qxw" * 60
    discrepancy = Discrepancy(
        category=None,
        aspect=ErrorAspect.NOISE,
        type=None,
        severity=Severity.INSIGNIFICANT,
        reason="words that no rule covers",
        finding="",
        reference_spans=(Span(10, len(reference)),),
    )
    output = pair_view(pair=build.pair(reference), results={"notation": build.notation((discrepancy,))})
    assert output.count("Q") == 60
    assert "\u2026" not in output


def test_report_text_is_never_markup_nor_an_escape_sequence() -> None:
    """Square brackets print as they are; control characters do not reach the terminal."""
    text = "FINDINGS: [red]No[/red] \x1b[2Jpneumothorax [/]"
    discrepancy = Discrepancy(
        category=ErrorCategory.FALSE_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.FABRICATION,
        severity=Severity.SIGNIFICANT,
        reason="a reason",
        finding="pneumothorax",
        candidate_spans=(Span(10, len(text)),),
    )
    output = pair_view(pair=build.pair(candidate=text), results={"notation": build.notation((discrepancy,))})
    assert squeezed("[red]No[/red]") in squeezed(output)
    assert "\ufffd[2J" in squeezed(output)


def test_an_empty_candidate_lists_what_it_omits() -> None:
    """Every finding of the reference is missing from a report without text."""
    pair, results = build.against_nothing()
    output = " ".join(pair_view(pair=pair, results=results).split())
    assert "does not state it" in output


def test_a_pair_without_any_result_prints_its_name_only() -> None:
    """No empty table stands for discrepancies and edges that no metric looked for."""
    output = pair_view(results={"rouge": build.unscored()})
    assert "language" in output
    assert "Discrepancies" not in output
    assert "Edges" not in output


def test_evidence_shows_units_edges_contributions_and_convergence() -> None:
    """R3 to C3 by hand: 0.20 (0.50 + 1.00) = 0.300."""
    output = evidence_view(build.radot())
    lines = output.splitlines()
    assert any(line.split()[:3] == ["R1", "10-25", "pneumothorax"] and "absent" in line for line in lines)
    assert any(line.split()[0:1] == ["R4"] and "not read" in line for line in lines)
    assert any(line.split()[0:1] == ["C3"] and "normal" in line and "denies 1 finding" in line for line in lines)
    assert "possible, left," in output
    assert "12 mm" in output
    assert "stable, large," in output
    first = next(line for line in lines if line.split()[:2] == ["1", "R3"])
    assert first.split()[-4:] == ["0.200", "0.500", "1.00", "0.300"]
    term = next(line for line in lines if line.strip().startswith("modifier expected"))
    assert term.split()[-2:] == ["7.224", "1.500"]
    assert "somebody elses feature" in output
    constant = next(line for line in lines if line.strip().startswith("constant"))
    assert constant.split() == ["constant", "0.125"]
    assert "The 4 \u00d7 3 transport plan converged (7 iterations" in output
    assert "radot|aligner:balanced" in squeezed(output)


def test_a_plan_that_did_not_converge_says_so() -> None:
    """Costs of a plan that did not converge must not be taken for those of one that did."""
    assert "did NOT converge" in evidence_view(build.radot(converged=False))
    assert "did NOT converge" in pair_view(results={"radot": build.radot(converged=False)})
    assert "did NOT converge" not in pair_view()


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (build.unscored(), "not scored (language): candidate: not a language the reader knows"),
        (build.notation(), "notation gives no evidence beyond this."),
    ],
)
def test_a_result_without_evidence_says_so(result: EvaluationResult, words: str) -> None:
    """What has nothing to show says so, with the reason where it is not scored."""
    assert words in evidence_view(result)


def test_evidence_of_notation_lists_its_discrepancies() -> None:
    """A metric that gives no more than discrepancies shows why each is one."""
    assert "the candidate contradicts itself" in " ".join(evidence_view(build.notation()).split())


def test_evidence_of_entities_shows_matches_that_add_up() -> None:
    """The candidate's by hand: 0.9 x 0.36 x 1 / 1.5 = 0.216 and 0.6 x 0.5 / 1.5 = 0.200, together the precision."""
    output = evidence_view(build.ratescore())
    lines = [line.strip() for line in output.splitlines()]
    assert output.index("Candidate entities, matched in the reference: precision 0.416") < output.index(
        "Reference entities, matched in the candidate: recall 0.360"
    )
    first = next(line for line in lines if line.startswith("C1 pneumothorax"))
    assert first.split() == ["C1", "pneumothorax", "21-33", "R1", "pneumothorax", "1.000", "0.900", "0.360", "0.216"]
    types = lines[lines.index(first) + 1]
    assert types.split() == ["disease", "non-disease"]
    assert next(line for line in lines if line.startswith("C2 heart")).split()[-4:] == [
        "0.500",
        "0.600",
        "1.000",
        "0.200",
    ]
    assert next(line for line in lines if line.startswith("R2")).split()[-4:] == ["-0.250", "0.000", "1.000", "0.000"]
    assert "Note on ratescore: another reader stands in" in output


def test_evidence_of_a_side_without_entities_says_so_in_words() -> None:
    """Both tables tell which report is silent, and no direction is made up."""
    whole = build.entities()
    silent = EntityEvidence(reference_entities=(), candidate_entities=whole.candidate_entities)
    output = evidence_view(build.ratescore(silent))
    assert output.count("No entity was found in the reference.") == 2
    assert "No entity was found in the candidate." not in output
    assert "precision 0" not in output.partition("Candidate entities")[2]
    first = next(line for line in output.splitlines() if line.split()[:1] == ["C1"])
    assert first.split() == ["C1", "pneumothorax", "21-33", "none"]


def test_evidence_of_counts_shows_each_category_and_what_was_seen() -> None:
    """Each category has its count and probability, and all of them a sum."""
    output = evidence_view(build.crepe())
    rows = {line.split()[0]: line.split() for line in output.splitlines() if line.strip().startswith(("(", "all"))}
    assert rows["(A)"] == ["(A)", "false", "finding", "2.000", "100.0", "%"]
    assert rows["(B)"][-3:] == ["0.500", "50.0", "%"]
    assert rows["all"] == ["all", "2.500"]
    assert len(rows) == len("ABCDEF") + 1
    assert "the model saw all of them. It read them in 2 windows." in " ".join(output.split())
    assert "Note on crepe: a small model stands in" in output


def test_evidence_of_counts_says_what_the_model_did_not_see() -> None:
    """Counts over a part of the reports say so, and without probabilities there are no percentages."""
    output = " ".join(evidence_view(build.crepe(unseen=88, presence={})).split())
    assert "600 tokens; the model did NOT see 88 of them" in output
    assert "part of a report was not read" in output
    assert "%" not in output


def test_a_prediction_of_errors_is_no_verdict() -> None:
    """A metric that counts without naming cannot say that there are no discrepancies, whatever it counts."""
    assert "discrepanc" not in pair_view(results={"crepe": build.crepe()})
    assert "(A) false finding 2, (B) omitted finding 0.500" in pair_view(results={"crepe": build.crepe()})


def test_evidence_of_answers_shows_what_was_judged_and_every_raw_answer() -> None:
    """Errors with the judge's words, matches, and each answer with how it was read, its tokens and its text."""
    output = evidence_view(build.green())
    lines = [line.strip() for line in output.splitlines()]
    words = " ".join(squeezed(output).split())
    assert squeezed("(A) false finding") in words
    assert "sentencenotread" not in words
    assert "notquoted" in words
    for part in ("<b>reports</b>", "One finding is [bold]invented[/bold].", "I think [bold]two\ufffd[31m errors"):
        assert squeezed(part) in words
    assert lines[lines.index("Findings that both reports state") + 1 :][:2] == [
        "- A right pleural effusion",
        "- Heart size",
    ]
    assert "Raw answer 1 of 2, green, attempt 1: unreadable answer" in lines
    assert "tokens: prompt not reported, answer not reported" in lines
    assert "ended: length; asked now" in lines
    start = lines.index("Raw answer 2 of 2, green, attempt 2: read")
    assert lines[start + 1 : start + 7] == [
        "prompt: green@1:0123456789ab",
        "model: m-7b",
        "tokens: 1,234 prompt, 56 answer",
        "ended: stop; asked now",
        "[Explanation]: ...",
        "(a) False finding: 1.",
    ]


def test_an_unscored_pair_shows_the_answer_that_could_not_be_read() -> None:
    """Whoever asks why a pair is not scored finds the model's words."""
    output = evidence_view(build.refused())
    assert "not scored (refusal): the model declined" in output
    assert "Raw answer 1 of 1, green, attempt 1: refusal" in output
    assert "I'm sorry, but I cannot help." in output


def test_of_second_passes_it_is_told_which_difference_they_are_about() -> None:
    """In the order in which the first pass named them; a repair belongs to the answer before it."""
    asked = [("span-detection", 1), ("severity", 1), ("severity", 2), ("severity", 1)]
    answers = tuple(evolve(build.answer("x", attempt), prompt=f"{name}@1:0") for name, attempt in asked)
    evidence = AnswerEvidence(answers=answers)
    output = evidence_view(build.result("judge", build.RISK, Scored(score=2.0, evidence=evidence)))
    titles = [line.strip() for line in output.splitlines() if "Raw answer" in line]
    assert titles == [
        "Raw answer 1 of 4, span-detection, attempt 1: read",
        "Raw answer 2 of 4, severity 1 of 2, attempt 1: read",
        "Raw answer 3 of 4, severity 1 of 2, attempt 2: read",
        "Raw answer 4 of 4, severity 2 of 2, attempt 1: read",
    ]


def test_a_judged_discrepancy_says_nothing_twice() -> None:
    """Neither its severity, nor words of the report that stand beside it; a reason that says more stays."""
    judged = build.green().scored
    [found] = judged.discrepancies
    echo = evolve(found, reason="counted as clinically significant", explanation="There is a PNEUMOTHORAX.")
    quoting = evolve(found, explanation='It says "there is a pneumothorax", not “x”')
    telling = evolve(found, reason="judged by the criteria of its aspect")
    for discrepancy, gone, stays in (
        (found, "judged significant", "the reference denies"),
        (echo, "counted as", "(A) false finding"),
        (echo, "PNEUMOTHORAX", "(A) false finding"),
        (quoting, "there is a", "says \u201c\u2026\u201d, not “x”"),
        (telling, "nothing of the kind", "criteria of its aspect"),
    ):
        outcome = evolve(judged, discrepancies=(discrepancy,))
        output = squeezed(pair_view(results={"green": build.result("green", build.SHARE, outcome)}))
        assert squeezed(gone) not in output
        assert squeezed(stays) in output


def test_a_number_under_two_names_is_shown_once() -> None:
    """Unless the two differ."""
    for count, shown in ((3.0, False), (4.0, True)):
        counts = {"significant": 3.0, "error_count": count, "matched": 0.0, "A": 0.0}
        outcome = evolve(build.green().scored, subscores=counts)
        output = squeezed(pair_view(results={"green": build.result("green", build.SHARE, outcome)}))
        assert ("errorcount" in output) is shown
        assert "significant3" in output


def test_an_endless_answer_is_cut_on_the_screen() -> None:
    """What is left out is counted, and where it is to be had is told."""
    endless = build.answer("word " * 2_000_000)
    evidence = AnswerEvidence(answers=(endless,))
    output = evidence_view(build.result("green", build.SHARE, Unscored("cut off", "", evidence)))
    assert len(output) < 20_000
    assert "9,992,000 more characters; overread explain -f json has them all" in output


def test_a_judge_that_names_nothing_found_no_discrepancies() -> None:
    """Unlike a metric that counts without naming."""
    silent = Scored(score=0.0, evidence=AnswerEvidence(answers=()))
    assert "No discrepancies found." in pair_view(results={"judge": build.result("judge", build.RISK, silent)})


def test_plugins_are_grouped_by_kind_and_say_what_is_missing() -> None:
    """A metric shows its direction and backend; what cannot run shows what to install; failures are named."""
    output = printed(lambda console: show_plugins(console, PLUGINS))
    flat = squeezed(output)
    assert output.index("metric") < output.index("aligner")
    assert "0toinfinity,lowerisbetter;backend:sacrebleu" in flat
    assert "cannotrunhere:sacrebleumissing;installwith:pipinstall'overread[baselines]'" in flat
    assert flat.count("cannotrunhere") == 1
    assert "ascore[bold]ofsomebodyelse's" in flat
    assert "[2]" in output
    assert "depth=3" in output
    assert "overread(builtin)" in flat
    assert flat.count("ImportError") == 9
    assert "failed" not in printed(lambda console: show_plugins(console, {**PLUGINS, "failures": []}))


def test_history_shows_scores_and_reasons() -> None:
    """Ids may look like markup and are printed as they are; an empty store says that it is empty."""
    output = printed(lambda console: show_history(console, HISTORY))
    assert output.count("[") == 30
    assert "4.302" in output
    assert "unscored: empty" in output
    assert "2 stored results" in output
    assert printed(lambda console: show_history(console, [])) == "No stored results.\n"


def test_selection_is_ranked_and_marks_the_chosen_setting() -> None:
    """Best macro first, which is the chosen one; an undefined correlation is last."""
    output = printed(lambda console: show_selection(console, ROWS))
    lines = [line.split() for line in output.splitlines() if line.split()[-1:] and line.split()[-1][:2] == "0."]
    priors = [line[1] if line[0] == "->" else line[0] for line in lines]
    assert priors == ["uniform", "text-heavy", "all"]
    assert [line[1] for line in lines if line[0] == "->"] == ["uniform"]
    assert next(line for line in lines if "uniform" in line)[-4:] == ["0.846", "0.910", "0.810", "0.710"]


@pytest.mark.parametrize("width", [80, 100, 160])
def test_views_fit_their_console(width: int) -> None:
    """`printed` checks every line."""
    pair, results = build.pair(), build.results()
    assert printed(lambda console: show_pair(console, pair, results, build.finding_name), width=width)


@pytest.mark.parametrize("width", [80, 100, 160])
@pytest.mark.parametrize(
    "result", [build.ratescore(), build.crepe(unseen=88), build.radot(), build.green(), build.refused()]
)
def test_evidence_fits_its_console(result: EvaluationResult, width: int) -> None:
    """`printed` checks every line."""
    assert printed(lambda console: show_evidence(console, build.pair(), result, build.finding_name), width=width)
