"""Credible reports: invented, each of one examination, with findings that it can show and that go together."""
