"""The documentation: its examples run, and it leaves nothing out."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
import typer.main

import overread
from overread import exceptions
from overread.adapters.lexicon import load_knowledge
from overread.adapters.lexicon.check import ERROR, check_lexicon
from overread.cli import app as cli
from overread.cli.grammar import OLD_SPELLINGS
from overread.domain.differences.cost import PRIORS
from overread.domain.differences.features import FEATURE_NAMES, describe_feature
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.permissions import ALLOWED
from overread.hospital.domain.audit_trail import Role
from overread.infrastructure.serialise import result_record
from overread.infrastructure.settings import Settings
from overread.plugins import hookspecs
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import KINDS
from overread.studies.infrastructure.datasets.training_pairs import marked

from ..printed import agrees, difference

_ROOT: Final = Path(__file__).parents[2]
_GOLD_PAIRS: Final = 40
_FOLDERS: Final = ("docs", "docs/tours", "docs/metrics")
_PAGES: Final = [*(page for folder in _FOLDERS for page in sorted((_ROOT / folder).glob("*.md"))), _ROOT / "README.md"]
_LINKED: Final = [
    *_PAGES,
    *sorted((_ROOT / "docs" / "decisions").glob("*.md")),
    _ROOT / "CONTRIBUTING.md",
    _ROOT / "CHANGELOG.md",
]
_FENCE: Final = re.compile(r"^```(?P<language>\w*)(?: (?P<file>\S+))?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


def _name(page: Path) -> str:
    return str(page.relative_to(_ROOT))


def _read(name: str) -> str:
    return (_ROOT / "docs" / name).read_text(encoding="utf-8")


def _section(text: str, heading: str) -> str:
    """The text under a heading, up to the next of its level or above."""
    level = heading.partition(" ")[0]
    (start,) = [match.end() for match in re.finditer(rf"^{re.escape(heading)}$", text, re.MULTILINE)]
    end = re.search(rf"^#{{1,{len(level)}}} ", text[start:], re.MULTILINE)
    return text[start : start + end.start()] if end else text[start:]


def _rows(text: str) -> list[list[str]]:
    """Cells of each table row but the headings."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    headings = [
        line for line, below in zip(text.splitlines(), text.splitlines()[1:], strict=False) if below[:4] == "|---"
    ]
    return [row for row in rows if row not in [line.strip("| ").split(" | ") for line in headings]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every file whose content the documentation shows, as the working folder.

    Of each file of the gold corpus, the first pairs are scored: all would take longer than all other examples.
    """
    for page in _PAGES:
        for block in _FENCE.finditer(page.read_text(encoding="utf-8")):
            if block["file"]:
                (tmp_path / block["file"]).write_text(block["body"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in os.environ if name.startswith("OVERREAD_")]:
        monkeypatch.delenv(name)
    whole = marked.read_marked_gold
    monkeypatch.setattr(marked, "read_marked_gold", lambda path: [*whole(path)][:_GOLD_PAIRS])
    return tmp_path


def _examples() -> list[Path]:
    return [page for page in _PAGES if any(b["language"] in ("console", "python") for b in _blocks(page))]


def _blocks(page: Path) -> Iterator[re.Match[str]]:
    return (block for block in _FENCE.finditer(page.read_text(encoding="utf-8")) if not block["file"])


def _status(command: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    try:
        cli.main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.mark.parametrize("page", _examples(), ids=_name)
@pytest.mark.usefixtures("folder")
def test_examples_run(page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands and Python examples of a page run in its order, from nothing but the files it shows, and print that."""
    scope: dict[str, Any] = {"__name__": "documentation"}
    monkeypatch.setenv("COLUMNS", "80")
    blocks = [*_blocks(page)]
    odd: list[str] = []
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        capsys.readouterr()
        if block["language"] == "console":
            for command, shown in _CONSOLE.findall(block["body"]):
                assert command.startswith("overread "), f"a console block runs something else: {command}"
                status = _status(command, monkeypatch)
                printed = capsys.readouterr()
                assert status == 0, f"{command}: {printed.err}"
                texts = (printed.out + printed.err, printed.err + printed.out)
                if not _is_elsewhere(command) and not any(agrees(shown, text) for text in texts):
                    odd.append(difference(command, shown, printed.out + printed.err))
        elif block["language"] == "python":
            exec(compile(block["body"], str(page), "exec"), scope)  # noqa: S102 - the examples are ours
            if following is not None and following["language"] == "text" and _follows(block, following):
                printed = capsys.readouterr()
                if not agrees(following["body"], printed.out):
                    odd.append(difference(block["body"], following["body"], printed.out))
    assert odd == [], "\n".join(["printed otherwise than shown:", *odd])


_CONSOLE: Final = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_ELSEWHERE: Final = tuple(
    f"overread {command}"
    for command in ("--version", "plugins", "plugin check", "benchmark gold", "verify", "fit", "history")
)


def _follows(block: re.Match[str], following: re.Match[str]) -> bool:
    return not block.string[block.end() : following.start()].strip()


def _is_elsewhere(command: str) -> bool:
    """Return whether a command prints what differs from one installation to the next, or is run here on less."""
    return command.startswith(_ELSEWHERE) or "toy" in command


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield name, command
        return
    for child, inner in children.items():
        if inner.hidden:  # another spelling of a command that is documented
            continue
        yield from _commands(inner, f"{name} {child}")


_COMMANDS: Final = dict(_commands(typer.main.get_command(cli.app), "overread"))


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command_is_documented_with_its_options(name: str) -> None:
    """Each command has a section, and each option of it stands there."""
    section = _section(_read("command-line.md"), f"## {name}")
    shown = [p for p in _COMMANDS[name].params if not getattr(p, "hidden", False)]
    options = [o for p in shown for o in (*p.opts, *p.secondary_opts) if o.startswith("-")]
    assert [o for o in options if o != "--help" and not re.search(rf"`{o}[ `]", section)] == []


def test_every_old_spelling_is_documented() -> None:
    """The table says how each is spelled now."""
    rows = [row[0] for row in _rows(_section(_read("command-line.md"), "## Output")) if len(row) == 2]
    old = {o for command in _COMMANDS.values() for p in command.params if getattr(p, "hidden", False) for o in p.opts}
    assert {*old, *OLD_SPELLINGS} <= {name.split()[0] for row in rows for name in _names(row)}


def test_every_hook_is_documented_with_its_port() -> None:
    """The table of hooks has one row each, and says how what it offers is chosen."""
    rows = {row[0].strip("`"): row for row in _rows(_section(_read("plugins.md"), "## Hooks"))}
    assert sorted(rows) == sorted(name for name in vars(hookspecs) if name.startswith("overread_"))
    for kind, hook in KINDS.items():
        assert rows[hook][2].strip("`") in (vars(hookspecs)[hook].__doc__ or "")
        assert ("--metric" if kind == "metric" else f"{kind}=") in rows[hook][3]


def test_the_features_are_those_of_the_code() -> None:
    """All 66, in order, with what each measures."""
    rows = _rows(_section(_read("metrics/radot-presets.md"), "## The 66 features"))
    assert [row[0].strip("`") for row in rows] == list(FEATURE_NAMES)
    assert [row[1] for row in rows] == [describe_feature(name) for name in FEATURE_NAMES]


def test_the_priors_are_those_of_the_code() -> None:
    """Each with its four weights."""
    rows = {row[0].strip("`"): row[1:] for row in _rows(_section(_read("metrics/radot-presets.md"), "## Plans"))}
    assert {name: rows.get(name) for name in PRIORS} == {
        name: [f"{weight:.3f}" for weight in weights.as_tuple()] for name, weights in PRIORS.items()
    }


@pytest.mark.parametrize("kind", ["relaxed", "debiased", "paper"])
def test_the_provenance_is_that_of_the_shipped_readout(kind: str) -> None:
    """Name, numbers of pairs and studies, plan and held-out correlations."""
    shipped = json.loads(
        (_ROOT / "src/overread/adapters/transport/nnls/data" / f"{kind}.json").read_text(encoding="utf-8")
    )
    provenance, aligner = shipped["provenance"], shipped["aligner"]
    section = _section(_read("metrics/radot-presets.md"), "## Where the shipped coefficients come from")
    (row,) = (row for row in _rows(section) if row[0] == f"`{kind}`")
    held_out = provenance["held_out_spearman"]
    assert row[1:] == [
        provenance["name"],
        f"{provenance['pairs']:,} of {provenance['studies']} studies",
        f"{aligner['prior']}, epsilon {aligner['epsilon']:g}",
        *(f"{held_out[target]:.3f}" for target in ("total", "significant", "insignificant", "macro")),
    ]
    assert section.count(f"--name {provenance['name']}\n") == 3


def test_the_entries_shown_can_be_added_to_the_lexicon(tmp_path: Path) -> None:
    """Each kind of entry is accepted by the loader in the file that it belongs to."""
    data = tmp_path / "data"
    shutil.copytree(_ROOT / "src/overread/adapters/lexicon/data", data)
    homes = {"finding": "findings/lung", "normal": "findings/normal", "rule": "reading/context"}
    homes |= {"anatomy": "reading/anatomy", "severity": "reading/severity", "modifier": "reading/modifiers"}
    homes |= {"section": "reading/sections", "modality": "reading/modality", "statement": "reading/administrative"}
    homes |= {"circumstance": "reading/indication", "question": "reading/indication"}
    homes |= {"region": "reading/anatomy", "composition": "reading/composition"}
    shown = "\n".join(b["body"] for b in _blocks(_ROOT / "docs/lexicon.md") if b["language"] == "toml")
    entries = re.findall(r"^\[\[(\w+)\]\]\n(?:.+\n)+", shown, re.MULTILINE)
    assert sorted(entries) == sorted(homes)
    for match in re.finditer(r"^\[\[(\w+)\]\]\n(?:.+\n)+", shown, re.MULTILINE):
        with (data / f"{homes[match[1]]}.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n{match[0]}")
    assert [problem for problem in check_lexicon(str(data)) if problem.level == ERROR] == []
    known, shipped = load_knowledge(str(data)), load_knowledge()
    assert len(known.lexicon.findings) == len(shipped.lexicon.findings) + 1
    assert len(known.lexicon.normals) == len(shipped.lexicon.normals) + 1
    assert len(known.attributes) == len(shipped.attributes) + 4
    assert len(known.statements) == len(shipped.statements) + 1
    assert len(known.context) == len(shipped.context) + 1
    assert len(known.sections) == len(shipped.sections) + 1


def test_every_key_of_a_result_line_is_documented() -> None:
    """The two tables hold the keys of a result and of a discrepancy, and no others."""
    results = overread.score(reference="No effusion.", candidate="Effusion.", metrics=["notation"])
    record = result_record(results["notation"])
    named = [name for row in _rows(_section(_read("command-line.md"), "## A result line")) for name in _names(row[0])]
    keys = [*record, *record["discrepancies"][0]]
    assert named[: len(keys)] == keys


def _names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_setting_is_documented() -> None:
    """In the table of the command line; the two that have no key in the file stand in the Python interface's."""
    fields = {field.name for field in attrs.fields(Settings)}
    in_python = {row[0].strip("`") for row in _rows(_section(_read("python.md"), "## Settings"))}
    assert in_python == {"choices", "options"}
    section = _section(_read("command-line.md"), "## Settings")
    named = {row[0].strip("`") for row in _rows(section)}
    assert fields - in_python <= named
    assert [kind for kind in KINDS if kind != "metric" and f"`{kind}`" not in section] == []


def test_every_setting_of_the_hospital_is_documented() -> None:
    """In the table of the service's page."""
    named = [row[0].strip("`") for row in _rows(_section(_read("service.md"), "## Settings"))]
    assert named == [field.name for field in attrs.fields(HospitalConfiguration)]


def test_every_call_of_the_hospital_service_is_documented_with_its_roles() -> None:
    """Who may do what is said as it is held; a lead may do what a reviewer may, an administrator all."""
    rows = _rows(_section(_read("service.md"), "## What it does"))
    documented = {
        name: re.findall(r"submitter|reviewer|lead|author|admin", row[1]) for row in rows for name in _names(row[0])
    }
    held = {}
    for name, roles in ALLOWED.items():
        own = roles - {Role.ADMIN} - ({Role.LEAD} if Role.REVIEWER in roles else set())
        held[name] = [role.value for role in Role if role in (own or roles)]
    assert documented == held


def test_every_environment_variable_is_documented() -> None:
    """Those that the settings are read from, and the limit of lines."""
    modules = ("infrastructure/settings.py", "tables/lines.py")
    source = "".join((_ROOT / "src/overread" / each).read_text(encoding="utf-8") for each in modules)
    section = _section(_read("command-line.md"), "## Environment variables")
    assert {name for row in _rows(section) for name in _names(row[0])} == set(re.findall(r"OVERREAD_[A-Z_]+", source))


def test_every_option_of_a_component_is_documented() -> None:
    """Every metric and component that comes with overread, with the names of its options."""
    rows = {
        (row[0], row[1].strip("`")): row[2]
        for row in _rows(_section(_read("command-line.md"), "## Settings"))
        if len(row) == 3
    }
    catalogue = Catalogue.discover(entry_points=[])
    for kind in KINDS:
        for registered in catalogue.of(kind):
            options = [field.name for field in attrs.fields(registered.spec.options)]
            assert _names(rows[kind, registered.spec.name]) == options


def test_every_public_name_is_documented() -> None:
    """The names of the package and its exceptions stand in the Python page."""
    text = _read("python.md")
    assert [name for name in (*overread.__all__, *exceptions.__all__) if f"`{name}`" not in text] == []


@pytest.mark.parametrize("page", _LINKED, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link names a file that is there, and each anchor a heading in it."""
    for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        path = page.parent / target if target else page
        assert path.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {_slug(heading) for heading in headings}, f"{page.name} links to {target}#{anchor}"


def test_the_index_leads_to_every_page() -> None:
    """A page that is in no table of the index is not in the site's navigation, unless a page has it in its folder."""
    docs = _ROOT / "docs"
    rows = {target for target, _ in _LINK.findall("\n".join(row[0] for row in _rows(_read("index.md"))))}
    gathered = {docs / re.sub(r"(/README|/index)?\.md$", "", row) for row in rows}
    pages = [page for page in docs.rglob("*.md") if page.parent not in gathered and docs / "project" != page.parent]
    assert {str(page.relative_to(docs)) for page in pages} - {"index.md"} - rows == set()


def test_every_metric_has_a_page() -> None:
    """Under its name, and in the table of the overview; further pages of it are named after it."""
    metrics = sorted(registered.spec.name for registered in Catalogue.discover(entry_points=[]).of("metric"))
    pages = {page.stem for page in (_ROOT / "docs/metrics").glob("*.md")} - {"index"}
    assert {page.partition("-")[0] for page in pages} == set(metrics) <= pages
    linked = {target for target, _ in _LINK.findall(_section(_read("metrics/index.md"), "# Metrics"))}
    assert {f"{page}.md" for page in pages} <= linked


def test_every_extra_is_documented() -> None:
    """With what it is needed for; dev and docs are for those who change overread."""
    extras = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    text = _read("getting-started.md")
    assert [name for name in extras if name not in ("dev", "docs") and f"`{name}` |" not in text] == []


def _decisions() -> list[Path]:
    return sorted((_ROOT / "docs" / "decisions").glob("[0-9]*.md"))


def test_decisions_are_numbered_through() -> None:
    """A number names one decision, and none is left out."""
    numbers = [int(page.name.partition("-")[0]) for page in _decisions()]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("page", _decisions(), ids=lambda page: page.stem)
def test_a_decision_has_a_status_that_the_index_repeats(page: Path) -> None:
    """Accepted, Superseded or Withdrawn below the title, and the same word beside the title in the index."""
    title, _, status = page.read_text(encoding="utf-8").splitlines()[:3]
    found = re.match(r"\*\*Status:\*\* (Accepted|Superseded by \[\d{4}\]|Withdrawn, because)", status)
    assert found, f"{page.name} has no status"
    rows = {row[0]: row[1] for row in _rows(_read("decisions/README.md"))}
    number = page.name.partition("-")[0]
    assert rows[f"[{number}]({page.name}) {title.removeprefix('# ')}"].startswith(found[1].removesuffix(", because"))


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", _PAGES, ids=_name)
def test_no_example_reaches_into_the_infrastructure(page: Path) -> None:
    """What a page shows can be done through names that are meant to be used."""
    assert [block["body"] for block in _blocks(page) if "overread.infrastructure" in block["body"]] == []


def test_the_table_of_cards_is_that_of_the_run() -> None:
    """Nothing in it is set by hand; only its names lead to pages."""
    shown = [line for line in _read("cards.md").splitlines() if r"\[" in line]
    summary = _section(_read("cards/index.md"), "## In short").splitlines()
    assert [re.sub(r"^\| \[(.+?)\]\(.+?\)", r"| \1", line) for line in shown] == [
        line for line in summary if r"\[" in line
    ]
