"""Options, and what is known of a model before anything is sent."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from overread.adapters.llm.chat_server.options import ChatServerOptions
from overread.adapters.llm.chat_server.plugin import chat_server_model, overread_models
from overread.exceptions import ConfigurationError


def options(**values: Any) -> ChatServerOptions:
    return ChatServerOptions(**{"model": "Qwen/Qwen3-8B", **values})


def test_the_identity_is_of_the_answer_and_not_of_the_place() -> None:
    """The same model on another machine gives the same score."""
    here = chat_server_model(options(revision="2024-10"))
    there = chat_server_model(options(revision="2024-10", base_url="http://localhost:9/v1", key_env="K", timeout_s=1))
    assert here.identity == there.identity == "openai:Qwen/Qwen3-8B@2024-10,temperature=0,seed=7,structured=auto"


@pytest.mark.parametrize(
    "change", [{"model": "other"}, {"revision": "b"}, {"temperature": 0.5}, {"seed": 8}, {"structured": "off"}]
)
def test_the_identity_changes_with_whatever_changes_answers(change: dict[str, Any]) -> None:
    """Results of two settings are never mixed up."""
    assert chat_server_model(options(**change)).identity != chat_server_model(options()).identity


def test_where_text_goes_is_known_before_it_is_sent() -> None:
    """The note stands beside every score; a missing encryption is part of it."""
    here = chat_server_model(options())
    assert (here.traits.destination, here.note) == ("127.0.0.1:8000", "")
    away = chat_server_model(options(base_url="https://llm.example.org/v1", allow_remote=True))
    assert (away.traits.destination, away.note) == ("llm.example.org:443", "report text was sent to llm.example.org")
    bare = chat_server_model(options(base_url="http://llm.example.org/v1", allow_remote=True))
    assert bare.note == "report text was sent to llm.example.org without encryption"


def test_the_proxy_on_the_way_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is used only where that is asked for."""
    monkeypatch.setenv("https_proxy", "http://user:hush@proxy.example.org:3128")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    url = "https://llm.example.org/v1"
    through = chat_server_model(options(base_url=url, allow_remote=True, proxy=True))
    assert through.traits.destination == "llm.example.org:443 through the proxy proxy.example.org:3128"
    assert through.note == "report text was sent to llm.example.org through the proxy proxy.example.org:3128"
    assert "hush" not in repr(through)
    direct = chat_server_model(options(base_url=url, allow_remote=True))
    assert "proxy" not in direct.traits.destination + direct.note
    assert direct.identity == through.identity


def test_prices_are_told() -> None:
    """A dry run tells the cost beforehand."""
    model = chat_server_model(options(price_in=0.5, price_out=1.5))
    assert (model.traits.price_in, model.traits.price_out) == (0.5, 1.5)


def test_all_problems_are_named_at_once() -> None:
    """Six mistakes take one run to find."""
    bad = options(
        base_url="https://example.org/v1",
        model="a|b",
        key_env="MY KEY",
        timeout_s=0,
        concurrency=0,
        retries=-1,
        price_in=-0.1,
    )
    with pytest.raises(ConfigurationError) as caught:
        chat_server_model(bad)
    assert len(caught.value.problems) == 6


@pytest.mark.parametrize("change", [{"model": " "}, {"revision": "a\nb"}, {"max_answer_mib": 0.0}, {"price_out": -1.0}])
def test_each_option_is_checked(change: dict[str, Any]) -> None:
    """What a server would refuse is refused here."""
    with pytest.raises(ConfigurationError):
        chat_server_model(options(**change))


def test_the_plugin_is_light() -> None:
    """Listing plugins does not load the client library."""
    code = (
        "import sys, overread.adapters.llm.chat_server.plugin as plugin;"
        "heavy = {'openai', 'httpx2', 'tenacity', 'jsonschema'} & sys.modules.keys();"
        "print(sorted(heavy), len(plugin.overread_models()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] 1"


def test_the_model_goes_by_the_name_openai() -> None:
    """The name is that of the protocol, which many servers speak."""
    [spec] = overread_models()
    assert spec.name == "openai"
    assert "openai" in spec.requires
