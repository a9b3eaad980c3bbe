"""``python -m raylint``."""

from raylint.cli import program

if __name__ == "__main__":
    program()
