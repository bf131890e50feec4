"""Alert rules, dashboard and runbooks: they name what the service exposes, and one another."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import promql_parser
import pytest
import yaml

from overread.hospital.infrastructure.http._metrics import Instruments

DOCS: Final = Path(__file__).parents[2] / "docs"
RULES: Final = DOCS / "deploy" / "prometheus-rules.yaml"
DASHBOARD: Final = DOCS / "deploy" / "grafana-dashboard.json"
PROMTOOL: Final = shutil.which("promtool")


def _alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def _queries() -> list[str]:
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def _exposed() -> set[str]:
    """Names of all series that the service exposes once it has done something, and of what Prometheus adds."""
    instruments = Instruments()
    instruments.answered("/", "GET", 200, 0.1)
    instruments.joined(1)
    text = instruments.exposition({"jobs": 0, "deliveries": 0}, {"store": True}).decode()
    series = {re.split(r"[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}
    return series | set(re.findall(r"^# TYPE (overread_(?:feed|unmatched)\w*) ", text, flags=re.MULTILINE)) | {"up"}


@pytest.mark.parametrize("query", [*(alert["expr"] for alert in _alerts()), *_queries()])
def test_queries_are_valid_and_ask_for_what_there_is(query: str) -> None:
    """By the grammar of PromQL; every series that is asked for is one that the service exposes."""
    promql_parser.parse(query)
    asked = set(re.findall(r"\b(?:overread_[a-z_]+|up)\b(?!=)", re.sub(r'"[^"]*"', '""', query)))
    assert asked
    assert asked <= _exposed()


def test_every_alert_has_its_runbook() -> None:
    """And every runbook its alert, by the name of its heading."""
    text = (DOCS / "runbooks.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (\w+)$", text, flags=re.MULTILINE))
    assert headings == {alert["alert"] for alert in _alerts()}
    for alert in _alerts():
        assert alert["annotations"]["runbook"] == f"runbooks.md#{alert['alert'].lower()}"
        assert alert["labels"]["severity"] in ("critical", "warning")
        assert alert["for"] in ("2m", "5m", "10m", "15m"), "a passing disturbance is no alarm"


def test_panels_do_not_overlap() -> None:
    """Each panel has a title, a description and a place of its own on the 24 columns."""
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    places: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert panel["title"]
        assert panel["description"]
        assert not cells & places
        assert all(x < 24 for x, _ in cells)
        places |= cells


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
def test_promtool_takes_the_rules_and_they_fire(tmp_path: Path) -> None:
    """As Prometheus reads them; each fires on the series that it is for, and not before its time."""
    assert PROMTOOL is not None
    subprocess.run([PROMTOOL, "check", "rules", RULES], check=True, capture_output=True)
    series = {
        'up{job="overread", instance="a"}': "1x3 0x30",
        'overread_part_up{part="store", instance="a"}': "1x3 0x30",
        'overread_waiting{queue="jobs"}': "300+10x200",
        'overread_waiting{queue="deliveries"}': "1x200",
        'overread_feed_silent{door="hl7", site="north"}': "0x3 1x60",
        'overread_feed_refused{door="hl7", reason="no-text"}': "30x200",
        'overread_feed_messages{door="hl7", site="north"}': "50x200",
        'overread_http_requests_total{instance="a", status="500"}': "0+10x200",
        'overread_http_requests_total{instance="a", status="401"}': "0+120x200",
        'overread_http_request_seconds_bucket{instance="a", route="/x", le="2.5"}': "0+1x200",
        'overread_http_request_seconds_bucket{instance="a", route="/x", le="5"}': "0+60x200",
        'overread_http_request_seconds_bucket{instance="a", route="/x", le="+Inf"}': "0+60x200",
    }
    fires = {"OverreadDown": 6, "OverreadPartFailed": 6, "OverreadQueueGrows": 100, "OverreadDeliveriesStuck": 100}
    fires |= {"OverreadFeedSilent": 10, "OverreadRefusals": 20}
    fires |= dict.fromkeys(("OverreadErrors", "OverreadSlow", "OverreadKnocking"), 60)
    assert set(fires) == {alert["alert"] for alert in _alerts()}
    test = {
        "rule_files": [str(RULES)],
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": name, "values": values} for name, values in series.items()],
                "promql_expr_test": [
                    {
                        "expr": f'count(ALERTS{{alertname="{alert}", alertstate="firing"}})',
                        "eval_time": f"{minute}m",
                        "exp_samples": [{"labels": "{}", "value": 1}] if minute else [],
                    }
                    for alert, at in fires.items()
                    for minute in (0, at)
                ],
            }
        ],
    }
    file = tmp_path / "test.yaml"
    file.write_text(yaml.safe_dump(test), encoding="utf-8")
    ran = subprocess.run([PROMTOOL, "test", "rules", file], check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
