"""The plugin of language models behind OpenAI-compatible servers. Nothing is sent when a model is built."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from overread.adapters.llm.chat_server._address import Address, parse_address
from overread.adapters.llm.chat_server._proxy import environment_proxy
from overread.adapters.llm.chat_server.options import ChatServerOptions
from overread.exceptions import ConfigurationError
from overread.extras import install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.llm.chat_server._model import ChatServerModel

__all__ = ["chat_server_model", "overread_models"]

_VERSION: Final = "1.0"
_MIB: Final = 2**20


def chat_server_model(options: ChatServerOptions, _: Components | None = None) -> ChatServerModel:
    """The model; its server is not asked for anything before the first request.

    Raises:
        ConfigurationError: if the server is another machine and ``allow_remote`` does not say that it may be, or an
            option, or the proxy that is to be used, cannot be.
    """
    address = _check_options(options)
    proxy = environment_proxy(address) if options.proxy else None
    from overread.adapters.llm.chat_server._line import open_line
    from overread.adapters.llm.chat_server._model import ChatServerModel

    return ChatServerModel(
        name=options.model,
        address=address,
        open_line=partial(
            open_line,
            address,
            key_env=options.key_env,
            timeout_s=options.timeout_s,
            retries=options.retries,
            max_bytes=int(options.max_answer_mib * _MIB),
            proxy=proxy,
        ),
        proxy=proxy,
        revision=options.revision,
        temperature=options.temperature,
        seed=options.seed,
        structured=options.structured,
        concurrency=options.concurrency,
        price_in=options.price_in,
        price_out=options.price_out,
    )


def _check_options(options: ChatServerOptions) -> Address:
    address = parse_address(options.base_url)
    elsewhere = f"base_url is on another machine, {address.host}"
    names = (options.model, options.model if options.revision is None else options.revision)
    prices = [price for price in (options.price_in, options.price_out) if price is not None]
    sound = {
        f"{elsewhere}; set model.allow_remote=true if report text may be sent there": (
            address.is_loopback or options.allow_remote
        ),
        "model and revision must be printable text without |": all(map(_is_name, names)),
        "key_env must be the name of an environment variable": options.key_env.isidentifier(),
        "timeout_s and max_answer_mib must be above 0": min(options.timeout_s, options.max_answer_mib) > 0,
        "concurrency must be at least 1": options.concurrency >= 1,
        "retries and prices must not be negative": min([options.retries, *prices]) >= 0,
    }
    if problems := [problem for problem, holds in sound.items() if not holds]:
        raise ConfigurationError(problems)
    return address


def _is_name(text: str) -> bool:
    return bool(text.strip()) and text.isprintable() and "|" not in text


@hookimpl
def overread_models() -> Iterable[ComponentSpec]:
    """openai."""
    return (
        ComponentSpec(
            name="openai",
            version=_VERSION,
            summary="A language model behind an OpenAI-compatible server, on this machine unless allowed elsewhere.",
            factory=chat_server_model,
            options=ChatServerOptions,
            requires=("openai",),
            install=install_command("judge"),
        ),
    )
