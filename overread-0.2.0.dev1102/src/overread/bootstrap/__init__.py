"""Joins the layers: settings, plugins, metrics and stores become services, fits and checks."""
