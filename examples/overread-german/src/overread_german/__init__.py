"""An extractor of German chest reports for overread."""
