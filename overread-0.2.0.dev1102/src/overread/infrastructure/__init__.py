"""Infrastructure: files, storage, settings, logs, pages and terminal views."""
