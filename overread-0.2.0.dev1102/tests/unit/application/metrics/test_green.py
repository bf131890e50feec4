"""The green metric over readers and models that say what they are told."""

from __future__ import annotations

from collections.abc import Callable

from overread.application.asking.inquiry import Inquiry, UnreadableAnswerError
from overread.application.asking.prompt import Prompt
from overread.application.metrics.green import GREEN_SCALE, GreenMetric, GreenReader
from overread.application.ports import Request
from overread.domain.reports.report import Span
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.green import CountedErrors, GreenNotation
from overread.domain.results.result import AnswerEvidence, Outcome, Scored, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.testing import FakeLanguageModel

from ..fakes import pair

PROMPT = Prompt("test", "1", "R: {reference} C: {candidate}")
A, B, C = ErrorCategory.FALSE_FINDING, ErrorCategory.OMITTED_FINDING, ErrorCategory.LOCATION
NOTATION = GreenNotation(
    significant={A: CountedErrors(1, ('It says "a mass".',)), C: CountedErrors(1, ("“base” for “apex”",))},
    insignificant={B: CountedErrors(2, ("effusion",))},
    matched=2,
    matched_findings=("heart size",),
    explanation="They differ.",
    notes=("odd",),
)


def locate(quote: str, text: str) -> Span | None:
    start = text.find(quote)
    return None if start < 0 else Span(start, start + len(quote))


def read(text: str) -> GreenNotation:
    if text == "bad":
        raise UnreadableAnswerError("unreadable answer", "nothing is counted", "Count.")
    return GreenNotation() if text == "nothing" else NOTATION


def metric(
    answer: Callable[[Request], str | Completion | Unscored] = lambda _: "good",
    *,
    note: str = "",
    words: int | None = None,
    takes_anything: bool = False,
    model: FakeLanguageModel | None = None,
) -> GreenMetric:
    reader = GreenReader(
        "reader", read, lambda text: " ".join(text.split()[:words]), note=note, takes_anything=takes_anything
    )
    return GreenMetric(Inquiry(model or FakeLanguageModel(answer)), PROMPT, reader, locate)


def outcome(of: GreenMetric, reference: str = "At the apex.", candidate: str = "At the base.") -> Outcome:
    [found] = of.evaluate([pair("p", reference, candidate)])
    return found


def scored(of: GreenMetric, reference: str = "At the apex.", candidate: str = "At the base.") -> Scored:
    found = outcome(of, reference, candidate)
    assert isinstance(found, Scored)
    return found


def test_the_score_and_every_number_behind_it() -> None:
    """Matches over matches and significant errors; the other errors are counted beside it."""
    found = scored(metric())
    assert found.score == 0.5
    assert {name: value for name, value in found.subscores.items() if value} == {
        "A": 1.0,
        "C": 1.0,
        "insignificant_B": 2.0,
        "significant": 2.0,
        "error_count": 2.0,
        "insignificant": 2.0,
        "matched": 2.0,
    }
    assert {*"ABCDEF", *(f"insignificant_{letter}" for letter in "ABCDEF")} < found.subscores.keys()
    assert (GREEN_SCALE.low, GREEN_SCALE.high, GREEN_SCALE.higher_is_better) == (0.0, 1.0, True)


def test_each_counted_error_is_a_discrepancy_with_the_words_it_quotes() -> None:
    """An error counted without words has no span."""
    false, side, *missing = scored(metric(), "Effusion: effusion at the apex.", "At the base a mass.").discrepancies
    assert (false.category, false.aspect, false.type) == (A, ErrorAspect.DESCRIPTION, ErrorType.FABRICATION)
    assert (false.severity, false.reason) == (Severity.SIGNIFICANT, "counted as clinically significant")
    assert (false.reference_spans, false.candidate_spans) == ((), (Span(12, 18),))
    assert (side.reference_spans, side.candidate_spans) == ((Span(26, 30),), (Span(7, 11),))
    assert [(d.severity, d.explanation, d.reference_spans, d.candidate_spans) for d in missing] == [
        (Severity.INSIGNIFICANT, "effusion", (Span(10, 18),), ()),
        (Severity.INSIGNIFICANT, "", (), ()),
    ]


def test_words_that_are_quoted_twice_are_marked_in_two_places() -> None:
    """And in the first one again once there is no other."""
    errors = CountedErrors(3, ('"Scar." is lost', '"Scar." is lost', '"Scar." is lost'))
    notation = GreenNotation(significant={B: errors}, matched=1)
    reader = GreenReader("reader", lambda _: notation, str)
    of = GreenMetric(Inquiry(FakeLanguageModel(lambda _: "good")), PROMPT, reader, locate)
    spans = [d.reference_spans for d in scored(of, "Scar. Clear. Scar.", "Clear.").discrepancies]
    assert spans == [(Span(0, 5),), (Span(13, 18),), (Span(0, 5),)]


def test_answers_and_their_words_are_the_evidence() -> None:
    """What the model said is kept and not printed."""
    found = scored(metric())
    assert isinstance(found.evidence, AnswerEvidence)
    assert (found.evidence.explanation, found.evidence.matched) == ("They differ.", ("heart size",))
    assert [answer.completion.text for answer in found.evidence.answers] == ["good"]
    assert "apex" not in repr(found)


def test_a_pair_of_blank_reports_is_not_asked_about_and_one_blank_report_is() -> None:
    """A report left out altogether can be compared, nothing with nothing cannot."""
    model = FakeLanguageModel(lambda _: "good")
    blank, half = metric(model=model).evaluate([pair("a", " ", "\n"), pair("b", "Clear.", "")])
    assert blank == Unscored("empty", "both reports are empty")
    assert isinstance(half, Scored)
    assert [request.messages[0].text for request in model.asked] == ["R: Clear. C: "]


def test_outcomes_keep_their_places_whatever_becomes_of_the_others() -> None:
    """Four ways to come to no score leave the others theirs."""

    def answer(request: Request) -> str | Unscored:
        text = request.messages[0].text
        return Unscored("too long") if "LONG" in text else "bad" if "BAD" in text else "good"

    texts = ("One.", "", "LONG.", "BAD.", "Two.")
    found = metric(answer).evaluate([pair(text, text, text and f"{text} More.") for text in texts])
    assert [o.reason if isinstance(o, Unscored) else o.score for o in found] == [
        0.5,
        "empty",
        "too long",
        "unreadable answer",
        0.5,
    ]


def test_an_answer_that_cannot_be_read_is_no_score_and_is_kept_with_its_repair() -> None:
    """Who wonders why can read both answers."""
    found = outcome(metric(lambda _: "bad"))
    assert isinstance(found, Unscored)
    assert (found.reason, found.detail) == ("unreadable answer", "nothing is counted")
    assert found.evidence is not None
    assert [answer.attempt for answer in found.evidence.answers] == [1, 2]


def test_neither_an_error_nor_a_match_leaves_the_score_undefined() -> None:
    """Nought over nought is no score, and the answer is kept."""
    found = outcome(metric(lambda _: "nothing"))
    assert isinstance(found, Unscored)
    assert found.reason == "undefined"
    assert found.evidence is not None
    assert found.evidence.answers[0].completion.text == "nothing"


def test_a_reader_that_takes_anything_scores_what_says_nothing_and_what_was_cut_off() -> None:
    """So the release does; only a missing answer stays missing."""
    assert scored(metric(lambda _: "nothing", takes_anything=True)).score == 0.0
    cut = scored(metric(lambda _: Completion("good", Finish.LENGTH), takes_anything=True))
    assert cut.score == 0.5
    missing = outcome(metric(lambda _: Unscored("no answer"), takes_anything=True))
    assert isinstance(missing, Unscored)


def test_notes_come_from_model_reader_and_answer() -> None:
    """The place that text was sent to comes first."""
    found = scored(metric(note="as released", model=FakeLanguageModel(lambda _: "good", note="sent away")))
    assert found.notes == ("sent away", "as released", "odd")
    assert not found.truncated


def test_a_shortened_report_is_sent_short_and_told() -> None:
    """What was left out is counted in the note."""
    model = FakeLanguageModel(lambda _: "good")
    found = scored(metric(words=2, model=model), "one two three four", "one two")
    assert model.asked[0].messages[0].text == "R: one two C: one two"
    assert found.truncated
    assert found.notes[-1] == "of the reference only the first 2 of 4 words were sent"


def test_the_signature_names_model_prompt_and_reading() -> None:
    """Each of the three changes scores."""
    parts = dict(metric().signature_parts)
    assert parts == {"model": "fake", "prompt": PROMPT.identity, "reader": "reader,repairs=1,max_tokens=1024"}


def test_questions_are_told_without_asking() -> None:
    """A dry run knows what it would cost."""
    model = FakeLanguageModel()
    questions = metric(model=model).questions([pair("a", "One.", "Two."), pair("b", "", "")])
    assert [question.request.messages[0].text for question in questions] == ["R: One. C: Two."]
    assert model.asked == []
