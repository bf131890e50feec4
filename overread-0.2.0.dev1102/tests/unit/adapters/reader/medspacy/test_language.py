"""Telling reports in another language."""

from __future__ import annotations

import pytest

from overread.adapters.lexicon import load_knowledge
from overread.adapters.reader.medspacy._language import foreign_language

STOPWORDS = load_knowledge().stopwords
VOCABULARY = frozenset(
    w for term in load_knowledge().elements.values() for element in term for w in element.alternatives
)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("Das Herz ist nicht vergrößert und es gibt keine Ergüsse, der Befund ist unauffällig.", "(de)"),
        ("Le cœur est de taille normale et il n'y a pas de pneumothorax dans le poumon.", "(fr)"),
        ("El corazón es de tamaño normal y no se observa derrame en los pulmones.", "(es)"),
        ("Il cuore non è ingrandito e non si osservano versamenti nel polmone.", "(it)"),
        ("O coração não está aumentado e não há derrame nos pulmões.", "(pt)"),
        ("Het hart is niet vergroot en er zijn geen tekenen van een pneumothorax.", "(nl)"),
        ("Сердце не увеличено, лёгкие чистые.", "script"),
        ("心臓は拡大していない。胸水はない。気胸はない。", "script"),
    ],
)
def test_foreign(text: str, sign: str) -> None:
    """Function words or script give a language away."""
    language = foreign_language(text, STOPWORDS, VOCABULARY)
    assert language is not None
    assert sign in language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Kein Pleuraerguss.", "de"),
        ("Pneumothorax rechts, kein Erguss.", "de"),
        ("Herz normal groß.", "de"),
        ("Pas d'épanchement pleural.", "fr"),
        ("Examen normal.", "fr"),
        ("Sin derrame pleural.", "es"),
        ("Gran derrame pleural derecho con atelectasia.", "es"),
        ("Nessuna frattura.", "it"),
        ("Cardiomegalia. Congestione vascolare.", "it"),
        ("Sem pneumotórax.", "pt"),
        ("Geen fractuur.", "nl"),
    ],
)
def test_short_and_foreign(text: str, language: str) -> None:
    """Two words are enough where English has none of them."""
    assert f"({language})" in (foreign_language(text, STOPWORDS, VOCABULARY) or "")


@pytest.mark.parametrize(
    "text",
    [
        "The heart is normal and there is no effusion.",
        "Cardiomegaly. Effusion.",
        "no pneumothorax",
        "de novo RLL PNA",
        "Dr. de la Cruz was told of the left pneumothorax.",
        "12 mm",
        "β blocker",
        "Non calcified nodule.",
        "De novo pneumothorax.",
        "PICC in situ.",
        "Silhouette normal. Fracture. Nodule.",
        "Zorbly flimwidget.",
    ],
)
def test_english(text: str) -> None:
    """Short, terse and Latin-flavoured English is English."""
    assert foreign_language(text, STOPWORDS, VOCABULARY) is None
