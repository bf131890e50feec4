"""Settings: file, environment and overrides, and every problem in one error."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from overread.exceptions import ConfigurationError, OverreadError
from overread.infrastructure.settings import Settings, load_settings, settings_from

FILE = """
metrics = ["radot", "bleu"]
store = "results.db"
store_text = true
strict_plugins = true
required_plugins = ["fixed"]
log_level = "info"

[choose]
extractor = "medspacy"
aligner = "partial"
radot = "debiased"

[options.aligner]
epsilon = 0.1

[options.radot]
max_units = 500
"""


def load(path: Path | None = None, *overrides: str, **environment: str) -> Settings:
    return load_settings(path, overrides, environment)


def problems(*overrides: str, **environment: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(None, *overrides, **environment)
    return "\n".join(caught.value.problems)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "overread.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_nothing_given_means_the_defaults() -> None:
    """No store, no report text, no metric named."""
    settings = load()
    assert settings == Settings()
    assert (settings.store, settings.store_text, settings.metrics) == (None, False, ())


def test_a_file_sets_everything(file: Path) -> None:
    """Every setting has its place in the file, with the types of the settings."""
    settings = load(file)
    assert settings.metrics == ("radot", "bleu")
    assert settings.choices == {"extractor": "medspacy", "aligner": "partial", "radot": "debiased"}
    assert settings.options == {"aligner": {"epsilon": 0.1}, "radot": {"max_units": 500}}
    assert settings.store is not None
    assert settings.store.name == "results.db"
    assert (settings.store_text, settings.strict_plugins) == (True, True)
    assert (settings.required_plugins, settings.log_level) == (("fixed",), "info")


def test_the_environment_may_name_the_file(file: Path, tmp_path: Path) -> None:
    """One that is given goes before it."""
    assert load(OVERREAD_CONFIG=str(file)).log_level == "info"
    other = tmp_path / "other.toml"
    other.write_text("")
    assert load(other, OVERREAD_CONFIG=str(file)) == Settings()


def test_the_later_wins(file: Path) -> None:
    """File, then environment, then overrides."""
    assert load(file, OVERREAD_LOG_LEVEL="ERROR").log_level == "error"
    assert load(file, "log_level=debug", OVERREAD_LOG_LEVEL="error").log_level == "debug"
    assert load(file, OVERREAD_STORE="/data/x.db").store == Path("/data/x.db")
    settings = load(file, "aligner=balanced", "aligner.epsilon=0.2")
    assert (settings.choices["aligner"], settings.options["aligner"]) == ("balanced", {"epsilon": "0.2"})
    assert settings.choices["extractor"] == "medspacy"


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("aligner=partial", Settings(choices={"aligner": "partial"})),
        (" aligner = partial ", Settings(choices={"aligner": "partial"})),
        ("readout=debiased:a=b.json", Settings(choices={"readout": "debiased:a=b.json"})),
        ("aligner.epsilon=0.1", Settings(options={"aligner": {"epsilon": "0.1"}})),
        ("radot=paper", Settings(choices={"radot": "paper"})),
        ("radot.max_units=500", Settings(options={"radot": {"max_units": "500"}})),
        ("store_text=TRUE", Settings(store_text=True)),
        ("metrics=radot, bleu", Settings(metrics=("radot", "bleu"))),
        ("log_level=INFO", Settings(log_level="info")),
        ("hospital.attempts=2", Settings(hospital={"attempts": "2"})),
        ("serve.http.port=0", Settings(serve={"http": {"port": "0"}})),
    ],
)
def test_an_override(override: str, expected: Settings) -> None:
    """Options keep their text: whoever builds the component knows their types."""
    assert load(None, override) == expected


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("aligner", "key=value"),
        ("=partial", "key=value"),
        (".epsilon=1", "key=value"),
        ("aligner.=1", "key=value"),
        ("a.b.c=1", "key=value"),
        ("alignr=partial", "alignr is not a setting; did you mean aligner?"),
        ("aligner=", "aligner must be a name"),
        ("radot=", "radot must be a value for the metric"),
        ("metric=radot", "metric is not a setting; did you mean metrics?"),
        ("log_level=loud", "debug, info"),
        ("store_text=perhaps", "true or false"),
        ("store=", "path"),
    ],
)
def test_an_override_that_cannot_be_used(override: str, says: str) -> None:
    """What is wrong with an override is named, with what would be right."""
    assert says in problems(override)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('metrics = "radot, bleu"', 'metrics must be a list, such as ["radot, bleu"]'),
        ('store_text = "true"', "store_text must be true or false, not the text 'true'"),
        ('time_limit = "60"', "time_limit must be a number, not the text '60'"),
        ('log_level = "LOUD"', "log_level must be one of debug"),
        ("stores = 1", "stores is not a setting; did you mean store?"),
    ],
)
def test_a_file_means_what_it_writes(line: str, says: str, file: Path) -> None:
    """TOML has lists, switches and numbers: a text is none of them, and the message names file and setting."""
    file.write_text(line)
    with pytest.raises(ConfigurationError) as caught:
        load(file)
    [problem] = caught.value.problems
    assert problem.startswith(f"{file}: {says}")


def test_an_override_within_a_table_leaves_the_rest_of_it(file: Path) -> None:
    """Of the tables that the service reads, too, however deep."""
    file.write_text('[serve.http]\nhost = "localhost"\nport = 1\n')
    assert load(file, "serve.http.port=2", "serve.workers=0").serve == {
        "http": {"host": "localhost", "port": "2"},
        "workers": "0",
    }


def test_all_problems_come_together(file: Path) -> None:
    """Of the file, the environment and the overrides."""
    file.write_text('stor = "x"\nmetrics = 3\n[choose]\nwheel = "round"\nreadout = 1\n[options]\naligner = 2\n')
    with pytest.raises(ConfigurationError) as caught:
        load(file, "foo=1", "bar", OVERREAD_LOG_LEVEL="loud")
    text = "\n".join(caught.value.problems)
    for word in ("stor is", "metrics", "wheel", "readout", "options.aligner", "log_level", "foo is", "'bar'"):
        assert word in text
    assert len(caught.value.problems) == 8


@pytest.mark.parametrize("data", [b"metrics = [", b'log_level = "\xff"'])
def test_a_file_that_is_no_toml(file: Path, data: bytes) -> None:
    """Neither bad syntax nor bad bytes are a traceback."""
    file.write_bytes(data)
    with pytest.raises(OverreadError, match=r"overread\.toml"):
        load(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A configuration that was asked for is not silently left out."""
    with pytest.raises(OverreadError, match=r"none\.toml"):
        load(tmp_path / "none.toml")
    with pytest.raises(OverreadError, match=r"none\.toml"):
        load(OVERREAD_CONFIG=str(tmp_path / "none.toml"))


def test_a_byte_order_mark_is_accepted(file: Path) -> None:
    """Editors on Windows write one."""
    file.write_bytes(b"\xef\xbb\xbflog_level = 'info'\n")
    assert load(file).log_level == "info"


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an explicit environment the process's own is read."""
    monkeypatch.setenv("OVERREAD_LOG_LEVEL", "error")
    assert load_settings().log_level == "error"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("store_text", "false", "store_text must be true or false, not the text 'false'"),
        ("store_text", 1, "store_text must be true or false, not 1"),
        ("store_text", None, "store_text must be true or false, not None"),
        ("strict_plugins", "no", "strict_plugins must be true or false, not the text 'no'"),
        ("metrics", ("radot", 5), "metrics[1] must be text, not a number"),
        ("metrics", "radot", 'metrics must be a list, such as ["radot"], not the text'),
        ("metrics", 5, "metrics must be a list, not 5"),
        ("metrics", ("",), "metrics must be a list of names that are not empty"),
        ("required_plugins", {"a": 1}, "required_plugins must be a list, not a table"),
        ("choices", ["aligner=partial"], "choices must be a table, not a list"),
        ("choices", {"aligner": None}, "choices.aligner must be text, not None"),
        ("options", {"aligner": 0.1}, "options.aligner must be a table, not 0.1"),
        ("options", "aligner.epsilon=0.1", "options must be a table, not the text"),
        ("store", 5, "store must be a path, not 5"),
        ("store", "", "store must be a path, not the text ''"),
        ("answers", b"x", "answers must be a path, not bytes"),
        ("log_level", "loud", "log_level must be one of debug"),
        ("log_level", None, "log_level must be one of debug"),
        ("time_limit", "60", "time_limit must be a number, not the text '60'"),
    ],
)
def test_a_value_of_another_kind_is_refused(name: str, value: Any, says: str) -> None:
    """A text that says false would keep reports: no value is taken for another."""
    with pytest.raises(ConfigurationError) as told:
        Settings(**{name: value})
    [problem] = told.value.problems
    assert problem.startswith(says)


def test_every_value_of_another_kind_is_told_at_once() -> None:
    """As with every other problem of settings."""
    with pytest.raises(ConfigurationError) as told:
        Settings(store_text="no", log_level=3)  # type: ignore[arg-type]
    assert len(told.value.problems) == 2


def test_lists_and_paths_as_text_are_taken() -> None:
    """What can mean one thing only."""
    settings = Settings(metrics=["radot"], store="results.db")
    assert (settings.metrics, settings.store) == (("radot",), Path("results.db"))


def test_a_mapping_is_read_as_a_file_is(file: Path) -> None:
    """The same keys mean the same; the choices may have either of their names."""
    document = tomllib.loads(FILE)
    assert settings_from(document) == load(file)
    assert settings_from({**document, "choices": document["choose"]}) == load(file)
    assert settings_from({"second_reader": "none", "aligner": "partial"}).choices == {
        "second_reader": "none",
        "aligner": "partial",
    }
    assert settings_from(None) == Settings()
    assert settings_from(load(file)) == load(file)


def test_every_problem_of_a_mapping_is_told() -> None:
    """An unknown key, a value of another kind and a component that there is not."""
    with pytest.raises(ConfigurationError) as told:
        settings_from({"stor": "x", "store_text": 3, "choices": {"aligner": 1}, "options": 7, "log_level": "loud"})
    assert len(told.value.problems) == 5
    assert all(problem.startswith("settings: ") for problem in told.value.problems)


@pytest.mark.parametrize(("text", "seconds"), [("60", 60.0), ("0.5", 0.5)])
def test_a_time_limit_is_a_number_of_seconds(text: str, seconds: float) -> None:
    """As an override, in a mapping, or as a number."""
    assert load_settings(overrides=[f"time_limit={text}"], environment={}).time_limit == seconds
    assert Settings(time_limit=seconds).time_limit == seconds


@pytest.mark.parametrize("value", ["0", "-1", "soon", "inf", "nan"])
def test_a_time_limit_that_is_none_is_refused(value: str) -> None:
    """Nothing can be done in no time, and for ever is no limit."""
    with pytest.raises(ConfigurationError, match="time_limit must be a number"):
        load_settings(overrides=[f"time_limit={value}"], environment={})
