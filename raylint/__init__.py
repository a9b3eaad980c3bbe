"""raylint: says what will go wrong with a KubeRay manifest before it is applied."""

__version__ = "0.1.0"
