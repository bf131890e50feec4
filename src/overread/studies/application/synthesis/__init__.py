"""Pairs with known errors: invented ones, and errors put into a user's own reports."""
