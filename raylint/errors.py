"""What raylint raises for a fault of the caller."""


class UsageError(Exception):
    """Wrong usage, configuration or installation, told in one sentence; the command line exits with 2."""
