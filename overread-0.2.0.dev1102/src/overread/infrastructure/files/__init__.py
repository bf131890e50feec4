"""Files: tables of pairs in, results out, each written whole or not at all."""
