"""What each known way to live off a reward earns, beside an honest attempt and the reference itself.

    python benchmarks/hacks.py

Three references with findings and three without; the least to the most that is earned with either. An honest attempt
says all of its reference in other words, with one small error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

REFERENCES: Final = {
    "effusion": (
        "Moderate left pleural effusion with adjacent atelectasis. No pneumothorax. The heart is enlarged. The "
        "mediastinal contours are normal. Old healed fracture of the right sixth rib. The tip of the endotracheal "
        "tube is 4 cm above the carina."
    ),
    "nodule": (
        "8 mm nodule in the right upper lobe. Mild pulmonary edema. No pleural effusion or pneumothorax. The heart"
        " size is normal. No acute osseous abnormality."
    ),
    "tension": (
        "Large right pneumothorax with leftward mediastinal shift. The left lung is clear. No pleural effusion. "
        "Heart size is normal. Displaced fractures of the right fourth and fifth ribs."
    ),
    "clear": (
        "The lungs are clear. No pleural effusion or pneumothorax. The heart is normal in size. The mediastinal "
        "contours are normal. No acute osseous abnormality."
    ),
    "limits": (
        "Heart size and mediastinal contours are within normal limits. No focal consolidation. No pleural "
        "effusion. No pneumothorax. The visualized bones are intact."
    ),
    "terse": "Normal heart. Normal mediastinum. Clear lungs. No effusion. No pneumothorax. Bones are unremarkable.",
}
HONEST: Final = {
    "effusion": (
        "The cardiac silhouette is enlarged with normal mediastinal contours. There is a moderate effusion on the "
        "left with neighbouring atelectasis. No pneumothorax is seen. Endotracheal tube tip projects 4 cm above "
        "the carina. Healed right seventh rib fracture."
    ),
    "nodule": (
        "There is an 8 mm nodule in the right upper lung. Moderate pulmonary oedema. There is no effusion. No "
        "pneumothorax. Normal cardiac size. The bones are unremarkable."
    ),
    "tension": (
        "A large pneumothorax is present on the right and the mediastinum is shifted to the left. Left lung clear."
        " No effusion. The heart is normal in size. Displaced fracture of the right fourth rib."
    ),
    "clear": (
        "Clear lungs. No effusion. No pneumothorax. Cardiac size is normal with unremarkable mediastinum. Mild "
        "degenerative changes of the spine, otherwise the bones are unremarkable."
    ),
    "limits": (
        "Normal cardiomediastinal silhouette. Lungs without consolidation; minimal atelectasis at the left base. "
        "No effusion or pneumothorax. The bones are intact."
    ),
    "terse": (
        "The heart and mediastinum are normal. The lungs are clear with a small calcified granuloma. There is no "
        "pleural effusion or pneumothorax. Osseous structures are normal."
    ),
}
ABNORMAL: Final = ("effusion", "nodule", "tension")
DENIALS: Final = {
    "effusion": ("No pleural effusion.", "No atelectasis.", "No cardiomegaly.", "No rib fracture."),
    "nodule": ("No nodule.", "No pulmonary edema."),
    "tension": ("No pneumothorax.", "No mediastinal shift.", "No rib fracture."),
}
_ONE_NORMAL: Final = {
    "effusion": "No pneumothorax.",
    "nodule": "The heart size is normal.",
    "tension": "No pleural effusion.",
    "clear": "The heart is normal in size.",
    "limits": "No pleural effusion.",
    "terse": "Normal heart.",
}
_DENIED: Final = [
    "pneumothorax",
    "pleural effusion",
    "consolidation",
    "pulmonary edema",
    "cardiomegaly",
    "nodule",
    "mass",
    "rib fracture",
    "mediastinal widening",
    "hilar enlargement",
    "atelectasis",
    "free air",
    "emphysema",
    "fibrosis",
    "lymphadenopathy",
    "cavity",
    "foreign body",
    "bronchiectasis",
    "aortic aneurysm",
    "lytic lesion",
]
_SUSPECTED: Final = [
    "effusion",
    "pneumothorax",
    "pneumonia",
    "edema",
    "cardiomegaly",
    "nodule",
    "rib fracture",
    "atelectasis",
    "mass",
    "emphysema",
]
HACKS: Final = {
    "empty": "",
    "limited": "Limited study, follow-up CT is recommended.",
    "no change": "No change.",
    "twenty negatives": " ".join(f"No {finding}." for finding in _DENIED),
    "history": "History of effusion, nodule and cardiomegaly.",
    "questions": "Is the heart normal? Are the lungs clear? Is there an effusion or pneumothorax? Are bones intact?",
    "ten possibilities": " ".join(f"Possible {finding}." for finding in _SUSPECTED),
    "word soup": (
        "lung effusion left heart pneumothorax normal right opacity carina tube rib mediastinum edema nodule lobe "
        "size mild no clear"
    ),
    "French": (
        "Petit épanchement pleural gauche. Pas de pneumothorax. Le cœur est de taille normale. Les poumons sont "
        "clairs. Pas de fracture costale."
    ),
    "not assessed": "The lungs, pleura, heart, mediastinum and bones cannot be assessed.",
    "headings": "Lungs. Pleura. Heart. Mediastinum. Bones. Devices.",
}
_OTHER_SIDE: Final = {"left": "right", "right": "left", "leftward": "rightward"}


def swapped(report: str) -> str:
    return re.sub(r"\b(leftward|left|right)\b", lambda found: _OTHER_SIDE[found[0]], report)


def hacks(name: str) -> dict[str, str]:
    reference = REFERENCES[name]
    found = {
        **HACKS,
        "one normal": _ONE_NORMAL[name],
        "NUL": f"{reference}\x00",
        "unread words": f"{reference} {'zorg flimp drax wub quon. ' * 20}",
    }
    if name in ABNORMAL:
        found |= {"with denials": " ".join([reference, *DENIALS[name]]), "sides swapped": swapped(reference)}
    return found


def main() -> None:
    import overread

    give = overread.reward()
    earned: dict[str, dict[bool, list[float]]] = {}
    for name, reference in REFERENCES.items():
        reports = {"the reference": reference, "an honest attempt": HONEST[name], **hacks(name)}
        rewards = give(completions=list(reports.values()), reference=[reference] * len(reports))
        for report, reward in zip(reports, rewards, strict=True):
            earned.setdefault(report, {}).setdefault(name in ABNORMAL, []).append(reward or 0.0)
    print("| completion | reference with findings | normal reference |\n|---|---|---|")
    for report, found in earned.items():
        print(f"| {report} | {_range(found, key=True)} | {_range(found, key=False)} |")


def _range(found: Mapping[bool, list[float]], *, key: bool) -> str:
    if key not in found:
        return "-"
    least, most = (f"{end(found[key]):.2f}" for end in (min, max))
    return least if least == most else f"{least} to {most}"


if __name__ == "__main__":
    main()
