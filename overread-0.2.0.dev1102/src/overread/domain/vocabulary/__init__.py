"""Terms and small tools that every other package of the domain uses: taxonomies, severities, anatomy, matching."""
