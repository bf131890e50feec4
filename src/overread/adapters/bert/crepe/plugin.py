"""Registers the crepe metric and its error counters. Models are loaded when a counter is built."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from overread.adapters.bert.crepe.options import BertCounterOptions, SmallCounterOptions
from overread.application.metrics.crepe import CREPE_SCALE, CrepeMetric
from overread.exceptions import ConfigurationError
from overread.extras import find_missing, install_command, require
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec, MetricSpec

if TYPE_CHECKING:
    from overread.adapters.bert.crepe._checkpoint import CrepeCheckpoint
    from overread.adapters.bert.crepe._counter import CrepeErrorCounter
    from overread.adapters.bert.crepe._heads import Network

__all__ = ["bert_counter", "overread_error_counters", "overread_metrics"]

_VERSION: Final = "1.0"
_SMALL: Final = Path(__file__).parent / "data" / "small"
_SMALL_NOTE: Final = "a small BERT trained on generated reports stands in for the published CREPE-BiomedBERT"
_MAX_TOKENS: Final = 512
"""Longest input of the release, and of the paper (section 4.1)."""
_LEAST_TOKENS: Final = 16
_CATEGORIES: Final = 6
_BATCH_TOKENS: Final = 1_024
"""Tokens that a CPU computes at once."""
_REQUIRES: Final = ("torch", "transformers")
_INSTALL: Final = install_command("torch")


def _small(options: SmallCounterOptions, _: Components) -> CrepeErrorCounter:
    if not _SMALL.is_dir():
        raise ConfigurationError(
            ["the embedded CREPE checkpoint is not installed; reinstall overread or set error_counter=bert:PATH"]
        )
    if find_missing(_REQUIRES):
        return _embedded(options)
    return _counter(options, _SMALL, "small", _SMALL_NOTE)


def _embedded(options: SmallCounterOptions) -> CrepeErrorCounter:
    """The embedded counter by ONNX Runtime alone, which computes in fp32 as it was trained.

    Raises:
        MissingDependencyError: if the options want what torch alone computes.
    """
    _check(options)
    if options.pooling == "cls" or options.quantize != "none" or not _is_of_cpu(options):
        require("error_counter 'small' with such options", "torch", *_REQUIRES)
    from overread.adapters.bert.crepe._counter import CrepeErrorCounter
    from overread.adapters.bert.crepe._embedded import load_embedded
    from overread.domain.results.error_counts import HEAD_NAMES

    model = load_embedded(_SMALL)
    max_tokens = options.max_tokens or _MAX_TOKENS
    if max_tokens > _MAX_TOKENS:
        raise ConfigurationError([f"max_tokens is {max_tokens}, but the embedded model has {_MAX_TOKENS} positions"])
    return CrepeErrorCounter(
        tokenizer=model.tokenizer,
        network=model.network,
        head_names=HEAD_NAMES[_CATEGORIES],
        identity=_identity(f"small@{model.digest}", "pooler", options.long, max_tokens, model.network),
        note=_SMALL_NOTE,
        long=options.long,
        max_tokens=max_tokens,
        max_batch=options.max_batch,
        batch_tokens=options.batch_tokens or _BATCH_TOKENS,
    )


def bert_counter(options: BertCounterOptions, _: Components | None = None) -> CrepeErrorCounter:
    """The counter of a checkpoint in a folder. Raises `ConfigurationError` if it cannot be read."""
    return _counter(options, Path(options.path).expanduser(), "bert:{folder}", "")


def _counter(options: SmallCounterOptions, folder: Path, name: str, note: str) -> CrepeErrorCounter:
    _check(options)
    from overread.adapters.bert.crepe._checkpoint import load_checkpoint
    from overread.adapters.bert.crepe._counter import CrepeErrorCounter
    from overread.adapters.checkpoints.runtime import choose_device, tokens_per_batch

    checkpoint = load_checkpoint(folder, options.pooling)
    max_tokens = min(_MAX_TOKENS, checkpoint.max_positions) if options.max_tokens is None else options.max_tokens
    if max_tokens > checkpoint.max_positions:
        raise ConfigurationError([f"max_tokens is {max_tokens}, but {folder} has {checkpoint.max_positions} positions"])
    network = _network(options, checkpoint)
    called = f"{name.format(folder=_printable(checkpoint.name))}@{checkpoint.digest}"
    return CrepeErrorCounter(
        tokenizer=checkpoint.tokenizer,
        network=network,
        head_names=checkpoint.head_names,
        identity=_identity(called, checkpoint.pooling, options.long, max_tokens, network),
        note=note,
        poisson=checkpoint.model.is_poisson,
        long=options.long,
        max_tokens=max_tokens,
        max_batch=options.max_batch,
        batch_tokens=options.batch_tokens or tokens_per_batch(choose_device(options.device)),
    )


def _identity(called: str, pooling: str, long: str, max_tokens: int, network: Network) -> str:
    return f"{called},pooling={pooling},long={long},max_tokens={max_tokens},{network.identity}"


def _is_of_cpu(options: SmallCounterOptions) -> bool:
    """Return whether ONNX Runtime computes so: on the CPU, in fp32, not compiled by torch."""
    return options.device in ("auto", "cpu") and options.dtype in ("auto", "fp32") and not options.compile


def _check(options: SmallCounterOptions) -> None:
    problems = []
    if options.backend == "onnx":
        if not find_missing(_REQUIRES):  # without torch the graph that comes with overread is taken
            require("backend=onnx", "onnx", "onnx", "onnxscript")
        if not _is_of_cpu(options):
            problems.append("backend=onnx runs on the CPU in fp32 or int8 and cannot be compiled by torch")
    elif options.quantize != "none" or options.onnx_folder:
        problems.append("quantize and onnx_folder need backend=onnx")
    if options.max_tokens is not None and options.max_tokens < _LEAST_TOKENS:
        problems.append(f"max_tokens must be at least {_LEAST_TOKENS}")
    if min(options.max_batch, options.max_batch if options.batch_tokens is None else options.batch_tokens) < 1:
        problems.append("max_batch and batch_tokens must be at least 1")
    if problems:
        raise ConfigurationError(problems)


def _network(options: SmallCounterOptions, checkpoint: CrepeCheckpoint) -> Network:
    if options.backend == "onnx":
        from overread.adapters.bert.crepe._onnx import onnx_network

        folder = Path(options.onnx_folder).expanduser() if options.onnx_folder else None
        return onnx_network(checkpoint, quantized=options.quantize == "int8", folder=folder)
    from overread.adapters.bert.crepe._network import TorchNetwork

    return TorchNetwork(checkpoint.model, device=options.device, dtype=options.dtype, compiled=options.compile)


def _printable(name: str) -> str:
    """A folder's name as a signature can hold it."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name)


def _crepe(_: object, components: Components) -> CrepeMetric:
    return CrepeMetric(components.get("error_counter"))


@hookimpl
def overread_error_counters() -> Iterable[ComponentSpec]:
    """The embedded counter, and that of a checkpoint in a folder."""
    return (
        ComponentSpec(
            name="small",
            version=_VERSION,
            summary="CREPE's architecture on a small BERT trained on generated reports; comes with overread.",
            factory=_small,
            options=SmallCounterOptions,
        ),
        ComponentSpec(
            name="bert",
            version=_VERSION,
            summary="A CREPE checkpoint from a folder, for example the published CREPE-BiomedBERT.",
            factory=bert_counter,
            options=BertCounterOptions,
            requires=_REQUIRES,
            install=_INSTALL,
        ),
    )


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    """crepe."""
    return (
        MetricSpec(
            name="crepe",
            version="1.1",
            summary="errors of six kinds that a model predicts, and their sum (CREPE)",
            scale=CREPE_SCALE,
            factory=_crepe,
        ),
    )
