"""Requests to other systems: webhooks, FHIR servers and OpenID providers are all asked in this way."""

from __future__ import annotations

from overread.hospital.infrastructure.exchange.asking._http import Answer, Asked, Limits, NoAnswer, answers, ask

__all__ = ["Answer", "Asked", "Limits", "NoAnswer", "answers", "ask"]
