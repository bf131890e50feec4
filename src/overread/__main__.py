"""``python -m overread``."""

from overread.cli.app import main

if __name__ == "__main__":
    main()
