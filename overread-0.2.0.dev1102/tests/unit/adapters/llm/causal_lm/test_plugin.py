"""The model as configuration names it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from overread.application.ports import Message, Request
from overread.domain.results.answer import Completion
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue, spec_problem

PLUGIN = "overread.adapters.llm.causal_lm.plugin"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.discover(builtins=[PLUGIN], entry_points=[])


def test_the_model_is_a_sound_plugin(catalogue: Catalogue) -> None:
    """Nothing that it needs is missing where the extra is installed."""
    registered = catalogue.find("model", "transformers")
    assert spec_problem(registered.spec) == ""
    assert registered.missing() == ()


def test_a_folder_after_the_name_is_the_model(catalogue: Catalogue, llama: Path) -> None:
    """transformers:FOLDER is all that has to be chosen."""
    assembly = Assembly(
        catalogue, choices={"model": f"transformers:{llama}"}, options={"model": {"chat": "green", "max_context": 256}}
    )
    found = assembly.get("model")
    assert f"chat=green-0.0.12,max_context={256}" in found.identity
    ((index, answer),) = found.complete([Request((Message("user", "No effusion."),), max_tokens=4)])
    assert index == 0
    assert isinstance(answer, Completion)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"chat": "alpaca"}, "chat"),
        ({"max_batch": 0}, "max_batch"),
        ({"max_context": 1}, "max_context"),
        ({"temperature": 1}, "temperature"),
    ],
)
def test_an_option_that_cannot_be_used_is_named_before_anything_is_loaded(
    options: dict[str, object], complaint: str, catalogue: Catalogue
) -> None:
    """Loading a model takes minutes."""
    with pytest.raises(ConfigurationError, match=complaint):
        Assembly(catalogue, choices={"model": "transformers:/no/such/folder"}, options={"model": options})


def test_a_model_needs_a_path(catalogue: Catalogue) -> None:
    """No model is downloaded by default."""
    with pytest.raises(ConfigurationError, match="path"):
        Assembly(catalogue, choices={"model": "transformers"}).get("model")


def test_the_plugin_itself_loads_no_library() -> None:
    """Listing plugins stays quick."""
    code = f"import sys, {PLUGIN}; assert not {{'torch', 'transformers', 'peft'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
