"""Readers of labelled data: each published layout, and every fault named with its file, row and remedy."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from overread.domain.findings.entailment import Entailment
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.reader_labels.negex import read_phrases
from overread.studies.infrastructure.datasets.reader_labels.oidm import read_names
from overread.studies.infrastructure.datasets.reader_labels.openi import read_coded_reports
from overread.studies.infrastructure.datasets.reader_labels.probes import read_probes
from overread.studies.infrastructure.datasets.reader_labels.radfact import read_statements

PRIVATE = "Mr Sample"


def _refused(read: Callable[[Path], Any], path: Path, *words: str) -> None:
    """The reader refuses the file with all of these words, and quotes nothing."""
    with pytest.raises(InputError) as caught:
        read(path)
    message = str(caught.value)
    assert str(path) in message
    assert [word for word in words if word not in message] == []
    assert PRIVATE not in message


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def _phrase_row(**cells: str) -> str:
    row = {
        "item": "1",
        "blank": " ",
        "phrase": "dry cough",
        "sentence": "She has no DRY   COUGH today.",
        "polarity": "Negated",
        "history": "Recent",
        "person": "Patient",
    }
    return "\t".join({**row, **cells}.values())


class TestPhrases:
    def test_the_phrase_stands_in_its_own_letters(self, tmp_path: Path) -> None:
        """The phrase is found in its sentence by words and not by case; one that is not there is left out."""
        rows = [
            _phrase_row(),
            _phrase_row(item="2", sentence="Dry cough as a child.", polarity="Affirmed", history="Historical"),
            _phrase_row(item="3", history="Not particular", person="Family member"),
            _phrase_row(item="4", sentence="Another sentence."),
            "",
        ]
        read = read_phrases(_write(tmp_path / "kit.tsv", "\n".join(rows)))
        first, second, third = read.phrases
        sentence = first.sentence
        assert sentence.text == "She has no dry cough today."
        assert sentence.text[sentence.start : sentence.end] == "dry cough"
        assert (first.negated, first.historical, first.other) == (True, False, False)
        assert (second.negated, second.historical, second.sentence.start) == (False, True, 0)
        assert (third.historical, third.other) == (False, True)
        assert read.left_out == ("4",)

    @pytest.mark.parametrize(
        ("row", "words"),
        [
            ("1\tonly three\tcells", ["row 1", "3 cells instead of 7", "phrase in capitals"]),
            (_phrase_row(polarity=PRIVATE), ["row 1", "affirmed, negated"]),
            (_phrase_row() + "\n" + _phrase_row(), ["row 2", "item number"]),
            (_phrase_row(sentence="Another."), ["holds no phrase"]),
        ],
    )
    def test_faults(self, tmp_path: Path, row: str, words: list[str]) -> None:
        """A row that breaks the layout is named, with what the layout asks for."""
        _refused(read_phrases, _write(tmp_path / "kit.tsv", row), *words)

    def test_an_empty_or_missing_file(self, tmp_path: Path) -> None:
        """A file without phrases is told apart from none at all."""
        _refused(read_phrases, _write(tmp_path / "kit.tsv", ""), "holds no phrase")
        _refused(read_phrases, tmp_path / "none.tsv", "no such file")


REPORT = """<?xml version="1.0"?><eCitation><uId id="CXR7"/><Abstract>
<AbstractText Label="COMPARISON">None.</AbstractText>
<AbstractText Label="INDICATION">Fall</AbstractText>
<AbstractText Label="FINDINGS">Heart &amp; lungs fine.</AbstractText>
<AbstractText Label="IMPRESSION">Old scar.</AbstractText></Abstract>
<MeSH><major>Cicatrix/lung</major><major> normal </major><automatic>scar</automatic></MeSH></eCitation>"""


class TestCodedReports:
    @pytest.fixture(params=["folder", "archive"])
    def source(self, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
        folder = tmp_path / "reports"
        (folder / "inner").mkdir(parents=True)
        _write(folder / "inner" / "7.xml", REPORT)
        _write(folder / "readme.txt", PRIVATE)
        if request.param == "folder":
            return folder
        with tarfile.open(tmp_path / "reports.tgz", "w:gz") as archive:
            archive.add(folder, "reports")
        return tmp_path / "reports.tgz"

    def test_findings_impression_indication_and_manual_codes(self, source: Path) -> None:
        """A report is its findings and impression; the indication is context, and automatic codes are left out."""
        (report,) = read_coded_reports(source)
        assert report.id == "CXR7"
        assert report.report.text == "FINDINGS: Heart & lungs fine.\n\nIMPRESSION: Old scar."
        assert report.codes == ("Cicatrix/lung", "normal")
        assert report.context.indication == "Fall"

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (f"<eCitation>{PRIVATE}", ["1.xml", "not well-formed"]),
            (f"<eCitation><p>{PRIVATE}</p></eCitation>", ["1.xml", "uId"]),
            ('<!DOCTYPE x [<!ENTITY a "b">]><eCitation><uId id="1"/></eCitation>', ["1.xml", "document type"]),
        ],
    )
    def test_faults(self, tmp_path: Path, text: str, words: list[str]) -> None:
        """A document that cannot be read is named, and one with its own entities is not opened."""
        _write(tmp_path / "1.xml", text)
        _refused(read_coded_reports, tmp_path, *words)

    def test_no_reports(self, tmp_path: Path) -> None:
        """A folder, a path and an archive that hold no reports each say what was expected."""
        _refused(read_coded_reports, tmp_path, "holds no .xml files", "NLMCXR_reports.tgz")
        _refused(read_coded_reports, tmp_path / "none", "no such file")
        _refused(read_coded_reports, _write(tmp_path / "broken.tgz", PRIVATE * 100), "not a whole tar archive")

    def test_an_archive_that_breaks_off(self, tmp_path: Path) -> None:
        """A download that was cut does not pass for a smaller set."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            member = tarfile.TarInfo("1.xml")
            member.size = 100_000
            archive.addfile(member, io.BytesIO(REPORT.encode() + bytes(range(256)) * 400))
        cut = tmp_path / "cut.tgz"
        cut.write_bytes(gzip.compress(packed.getvalue())[:-40])
        _refused(read_coded_reports, cut, "not a whole tar archive")


def _example(**changes: Any) -> dict[str, Any]:
    return {
        "example_id": "e1",
        "input": {"phrases_A": ["Small effusion."], "phrases_B": ["Effusion.", "Clear lungs."]},
        "output": {
            "phrases_A_evidenced": [{"phrase": "Small effusion.", "status": "neutral", "evidence": []}],
            "phrases_B_evidenced": [
                {"phrase": "Effusion.", "status": "entailment"},
                {"phrase": "Clear lungs.", "status": "contradiction"},
            ],
        },
    } | changes


class TestStatements:
    def test_each_phrase_stands_against_all_of_the_other_side(self, tmp_path: Path) -> None:
        """A phrase without evidence on the other side is neutral."""
        statements = read_statements(_write(tmp_path / "nli.json", json.dumps([_example()])))
        assert [(s.id, s.statement, s.report, s.label) for s in statements] == [
            ("e1 A1", "Small effusion.", ("Effusion.", "Clear lungs."), Entailment.NEUTRAL),
            ("e1 B1", "Effusion.", ("Small effusion.",), Entailment.ENTAILED),
            ("e1 B2", "Clear lungs.", ("Small effusion.",), Entailment.CONTRADICTED),
        ]

    @pytest.mark.parametrize(
        ("document", "words"),
        [
            ({"a": PRIVATE}, ["not a list"]),
            ([], ["not a list"]),
            ([_example(), PRIVATE], ["row 2", "not an object"]),
            ([_example(input={"phrases_A": []})], ["row 1", "phrases_B is missing"]),
            ([_example(input={"phrases_A": [], "phrases_B": [3]})], ["row 1", "not text"]),
            ([_example(output={"phrases_A_evidenced": PRIVATE})], ["row 1", "wrong type"]),
            (
                [_example(output={"phrases_A_evidenced": [{"phrase": "x", "status": PRIVATE}]})],
                ["row 1", "entailment, contradiction, neutral"],
            ),
            ([_example(output={"phrases_A_evidenced": [], "phrases_B_evidenced": []})], ["holds no labelled phrase"]),
        ],
    )
    def test_faults(self, tmp_path: Path, document: Any, words: list[str]) -> None:
        """Every level of the document is checked before its labels are used."""
        _refused(read_statements, _write(tmp_path / "nli.json", json.dumps(document)), *words)

    def test_what_is_not_json(self, tmp_path: Path) -> None:
        """The line of the fault is named, without its text."""
        _refused(read_statements, _write(tmp_path / "nli.json", f"[\n{PRIVATE}"), "not valid JSON at line 2")


class TestNames:
    def _read(self, path: Path) -> list[Any]:
        return list(read_names(path, {"F1": ("scar",)}))

    def test_names_and_synonyms(self, tmp_path: Path) -> None:
        """With a byte order mark, and with cells missing at the end of a row, as in the published list."""
        text = '\ufeffid,name,parent,synonyms,more\nF1,Scar,,"Old scar, Cicatrix",x\n\nF2,Bump\n'
        assert [(n.entry, n.name, n.synonym, n.findings) for n in self._read(_write(tmp_path / "n.csv", text))] == [
            ("F1", "Scar", False, ("scar",)),
            ("F1", "Old scar", True, ("scar",)),
            ("F1", "Cicatrix", True, ("scar",)),
            ("F2", "Bump", False, ()),
        ]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("id,title\nF1,Scar", ["no column name", "columns are id, name"]),
            (f"id,name\nF1,Scar\nF2,a,b,{PRIVATE}", ["row 2", "4 cells instead of 2"]),
            ("id,name\nF1,", ["row 1", "name is empty"]),
            (f'id,name\nF1,"a" {PRIVATE}', ["row 1", "quote"]),
            ("id,name\n,Scar", ["row 1", "is empty"]),
            ("id,name\n", ["holds no names"]),
            ("", ["holds no names"]),
        ],
    )
    def test_faults(self, tmp_path: Path, text: str, words: list[str]) -> None:
        """Rows, quotes and empty cells are checked before names are read."""
        _refused(self._read, _write(tmp_path / "n.csv", text), *words)


PROBE = {
    "id": "p1",
    "aspect": "Severity",
    "type": "inaccuracy",
    "significant": True,
    "reference": "Small scar.",
    "candidate": "Large scar.",
    "age": 61,
    "note": "ignored",
}


class TestProbes:
    def test_labels_and_context(self, tmp_path: Path) -> None:
        """A probe may lack a type and an age; what it has is kept."""
        rows = [
            PROBE,
            {k: v for k, v in PROBE.items() if k not in ("type", "age")} | {"id": "p2", "significant": False},
        ]
        first, second = read_probes(_write(tmp_path / "p.jsonl", "\n".join(map(json.dumps, rows))))
        assert (first.aspect, first.type, first.significant) == (ErrorAspect.SEVERITY, ErrorType.INACCURACY, True)
        assert first.pair.context.age == 61
        assert (second.type, second.significant, second.pair.context.age) == (None, False, None)

    def test_the_same_as_a_table(self, tmp_path: Path) -> None:
        """A table holds the same labels as JSON lines."""
        text = "id,aspect,significant,reference,candidate,type\np1,severity,True,Scar.,No scar.,\n"
        (probe,) = read_probes(_write(tmp_path / "p.csv", text))
        assert (probe.aspect, probe.significant, probe.type) == (ErrorAspect.SEVERITY, True, None)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"aspect": PRIVATE}, ["row 1", "aspect is not one of Location"]),
            ({"type": PRIVATE}, ["row 1", "type is not one of omission"]),
            ({"significant": PRIVATE}, ["row 1", "neither true nor false"]),
            ({"candidate": None}, ["row 1", "candidate is null"]),
            ({"age": 900}, ["row 1", "age is not an age"]),
        ],
    )
    def test_faults(self, tmp_path: Path, changes: dict[str, Any], words: list[str]) -> None:
        """A label that is none of the known ones is named with those that are."""
        _refused(read_probes, _write(tmp_path / "p.jsonl", json.dumps(PROBE | changes)), *words)

    def test_missing_columns_and_repeated_ids(self, tmp_path: Path) -> None:
        """Ids name probes in tables of errors and must be unique."""
        _refused(read_probes, _write(tmp_path / "p.jsonl", '{"id": "p1"}'), "row 1", "significant (true or false)")
        _refused(read_probes, _write(tmp_path / "q.jsonl", f"{json.dumps(PROBE)}\n" * 2), "row 2", "also that of row 1")
