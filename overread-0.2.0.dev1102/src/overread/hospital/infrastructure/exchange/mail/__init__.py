"""Mail to the authors of reports, through the site's own server."""
