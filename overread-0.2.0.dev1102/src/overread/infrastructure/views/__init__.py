"""Views for people: terminal views and web pages."""
