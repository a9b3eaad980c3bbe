"""The history server's collector in a cluster's spec, for the rules that speak of it."""

from __future__ import annotations

from raylint.cluster import RayCluster
from raylint.field import View
from raylint.pod import EnvVar
from raylint.rule import Location

__all__ = ["OPTIONS", "Collector", "filled"]

OPTIONS = "historyServerOptions"


class Collector:
    """``collectorOptions``. Of variables with one name the last counts."""

    __slots__ = ("options", "variables")

    def __init__(self, cluster: RayCluster) -> None:
        self.options: View = cluster.part(OPTIONS).part("collectorOptions")
        found = (EnvVar(cluster.document, path, entry) for path, entry in self.options.parts("env"))
        self.variables = {variable.name: variable for variable in found}

    def has(self, name: str) -> bool:
        """Is there a value that is not empty, or a source of one?"""
        variable = self.variables.get(name)
        return variable is not None and (not variable.value.known or bool(variable.value.value))

    def text(self, name: str) -> str:
        """The literal value; empty where there is none."""
        variable = self.variables.get(name)
        return (variable.value.value or "") if variable is not None else ""

    def at(self, name: str) -> Location:
        variable = self.variables.get(name)
        return self.options.at_key("env") if variable is None else variable.at


def filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text
