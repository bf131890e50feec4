"""Chat templates: rendered as transformers does, and ended where they do not end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.adapters.llm.causal_lm._templates import TemplateProblemError, TemplateProcess, render_template

from .checkpoints import ALTERNATES, CHATML, DATED, ENDLESS, NO_SYSTEM, tokenizer_of

ASKED = [{"role": "user", "content": "No effusion."}]
NAMES = {"bos_token": "<s>", "eos_token": "</s>"}
DOUBLED = "{% set ns = namespace(x='x') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}"
DEEP = "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}"


@pytest.fixture(scope="module")
def process() -> Iterator[TemplateProcess]:
    process = TemplateProcess(limit_s=0.3)
    yield process
    process.close()


@pytest.mark.parametrize(
    "template", [CHATML, NO_SYSTEM, ALTERNATES, "{{ bos_token }}" + CHATML + "{{ messages|tojson }}"]
)
@given(texts=st.lists(st.text(), min_size=1, max_size=3), ask=st.booleans())
@settings(max_examples=30, deadline=None)
def test_a_template_is_rendered_as_transformers_does(template: str, texts: list[str], ask: bool) -> None:  # noqa: FBT001
    """Whatever the texts hold."""
    roles = ("user", "assistant", "user")
    turns = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    tokenizer = tokenizer_of(template)
    expected = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=ask)
    assert render_template(template, turns, tokenizer.special_tokens_map, ask=ask) == expected


@pytest.mark.parametrize(
    "template", [ENDLESS, DEEP, "{{ 9 ** (9 ** 9) }}"], ids=["loops", "recursion", "within one operation"]
)
def test_a_template_without_end_is_ended(process: TemplateProcess, template: str) -> None:
    """By the system, so that nothing in it can go on; the next one is rendered."""
    with pytest.raises(TemplateProblemError, match=r"^it does not finish within 0\.3 s$"):
        process.render(template, ASKED, NAMES, ask=True)
    assert process.render("{{ messages[0].content }}", ASKED, NAMES, ask=True) == "No effusion."


@pytest.mark.parametrize(
    "template", [DOUBLED, "{{ 'x' * 10 ** 11 }}", "{{ 'x' * 2 ** 25 }}", "{{ '%999999999999d' % 1 }}"]
)
def test_a_template_does_not_fill_the_memory(template: str) -> None:
    """Whether it grows by and by, at once, or is only long."""
    process = TemplateProcess()
    try:
        with pytest.raises(TemplateProblemError):
            process.render(template, ASKED, NAMES, ask=True)
    finally:
        process.close()


def test_what_a_template_raises_is_told_by_its_type(process: TemplateProcess) -> None:
    """Its words may be those of a report."""
    with pytest.raises(TemplateProblemError, match=r"^TemplateError$"):
        process.render("{{ raise_exception(messages[0].content) }}", ASKED, NAMES, ask=True)
    with pytest.raises(TemplateProblemError, match=r"^TemplateSyntaxError$"):
        process.render("{% for", ASKED, NAMES, ask=True)


def test_a_process_that_was_ended_is_replaced(process: TemplateProcess) -> None:
    """Whoever ended it, and whether between conversations."""
    assert process.render("x", ASKED, NAMES, ask=True) == "x"
    assert process._process is not None
    os.kill(process._process.process.pid, signal.SIGKILL)
    process._process.process.wait()
    assert process.render("y", ASKED, NAMES, ask=True) == "y"


def test_threads_get_their_own_conversations(process: TemplateProcess) -> None:
    """One waits for another."""
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda n: process.render(f"{n}", ASKED, NAMES, ask=True), range(100)))
    assert texts == [str(number) for number in range(100)]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_renders_with_one_of_its_own(process: TemplateProcess) -> None:
    """Two that read from one pipe would take each other's conversations."""
    assert process.render(DATED, ASKED, NAMES, ask=True)
    child = os.fork()
    if child == 0:
        try:
            told = process.render("child", ASKED, NAMES, ask=True)
            process.close()
            os._exit(0 if told == "child" else 1)
        finally:
            os._exit(2)
    assert process.render("parent", ASKED, NAMES, ask=True) == "parent"
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert process.render("parent again", ASKED, NAMES, ask=True) == "parent again"


def test_a_process_that_was_ended_starts_anew(process: TemplateProcess) -> None:
    """Nothing is left of it, and the next template is rendered as before."""
    before = process.render(CHATML, ASKED, NAMES, ask=True)
    running = process._process
    process.close()
    assert running is not None
    assert running.process.poll() is not None
    assert process.render(CHATML, ASKED, NAMES, ask=True) == before
