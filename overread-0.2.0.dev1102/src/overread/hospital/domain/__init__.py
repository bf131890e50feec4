"""Examinations in daily practice: the versions of their reports, which are compared, and what people say of it."""
