"""Adapters, one package a technology: a light ``plugin.py`` and heavy ``_*.py`` modules behind it."""
