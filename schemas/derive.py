"""Derive schema tables from CustomResourceDefinitions: ``python -m raylint_schemas.derive``.

For a KubeRay that raylint does not know yet::

    kubectl get crd -o yaml | python -m raylint_schemas.derive - > kuberay.json
    helm show crds kuberay/kuberay-operator | python -m raylint_schemas.derive - > kuberay.json
    raylint --crd kuberay.json ...

(``--crd`` takes the CRDs themselves as well; the tables load a hundred times faster.)

For this package: ``python -m raylint_schemas.derive --all FOLDER`` reads ``FOLDER/<tag>/*`` for every tag and
writes the files of this folder. The same CRDs give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from raylint.crd import crds_in, named_parts, numbered, read_crds
from raylint.errors import UsageError
from raylint.reader import read
from raylint.target import parse_version, version_text

SOURCE = "https://github.com/ray-project/kuberay (helm-chart/kuberay-operator/crds)"
LICENCE = "Apache-2.0"


def main(arguments: list[str] | None = None) -> int:
    """Run as a command. Returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m raylint_schemas.derive", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", default=["-"], help="CRDs as YAML or JSON; - is the standard input")
    parser.add_argument("--kuberay", default="", help="the release to note in the tables")
    parser.add_argument("--all", metavar="FOLDER", help="folders named by tag, each with one release's CRDs")
    parser.add_argument("--into", metavar="FOLDER", default=os.path.dirname(__file__), help="where --all writes")
    options = parser.parse_args(arguments)
    try:
        if options.all:
            for name, text in derive_all(options.all).items():
                with open(os.path.join(options.into, name), "w", encoding="utf-8", newline="\n") as file:
                    file.write(text)
        else:
            sys.stdout.write(derive(options.files, options.kuberay))
    except (OSError, UsageError) as error:
        print(f"derive: {error}", file=sys.stderr)
        return 2
    return 0


def derive(files: list[str], kuberay: str = "") -> str:
    """The tables of the CRDs in some files (``-``: standard input) as text. Raises UsageError."""
    return _text(kuberay, read_crds(files))


def derive_all(folder: str) -> dict[str, str]:
    """The files of this package, by name, from ``folder/<tag>/``. Raises OSError and UsageError."""
    tags = sorted(
        (tag for tag in os.listdir(folder) if parse_version(tag)), key=lambda tag: parse_version(tag) or ()
    )
    if not tags:
        raise UsageError(f"{folder} holds no folder that is named by a release, such as v1.7.0")
    newest = tags[-1]
    kinds, parts = _release(os.path.join(folder, newest))
    numbers = {name: number for number, name in enumerate(parts)}
    whole = numbered(kinds, parts, numbers)
    files = {_name(newest): _text(newest, whole)}
    for tag in tags[:-1]:
        files[_name(tag)] = _text(tag, _difference(os.path.join(folder, tag), whole, numbers))
    return files


def _difference(folder: str, whole: dict[str, Any], numbers: dict[str, int]) -> dict[str, Any]:
    """A release's tables as patches of the newest's."""
    kinds, parts = _release(folder)
    numbers = dict(numbers)
    for name in parts:
        numbers.setdefault(name, len(numbers))
    tables = numbered(kinds, parts, numbers)
    patches = {}
    for name, part in zip(parts, tables["definitions"], strict=True):
        number = numbers[name]
        known = whole["definitions"][number] if number < len(whole["definitions"]) else {}
        if part != known:
            patches[str(number)] = _patch(known, part)
    return {"kinds": tables["kinds"], "definitions": patches}


def _patch(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The JSON merge patch (RFC 7386) that makes ``after`` of ``before``."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        known = before.get(key)
        if isinstance(value, dict) and isinstance(known, dict):
            if value != known:
                patch[key] = _patch(known, value)
        elif key not in before or value != known:
            patch[key] = value
    return patch


def _release(folder: str) -> tuple[dict[str, Any], dict[str, Any]]:
    documents: list[object] = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            raw = file.read()
        documents += [json.loads(raw)] if name.endswith(".json") else [d.data for d in read(name, raw).documents]
    return named_parts(crds_in(documents))


def _name(tag: str) -> str:
    return f"kuberay-{version_text((parse_version(tag) or ())[:2])}.json"


def _text(kuberay: str, tables: dict[str, Any]) -> str:
    """The tables with a line for each definition, so that a difference between releases can be read."""
    definitions = tables["definitions"]
    if isinstance(definitions, dict):
        lines = [f"{json.dumps(number)}:{_compact(patch)}" for number, patch in definitions.items()]
        opening, closing = "{", "}"
    else:
        lines = [_compact(part) for part in definitions]
        opening, closing = "[", "]"
    head = _compact({"kuberay": kuberay, "source": SOURCE, "licence": LICENCE, "kinds": tables["kinds"]})
    body = ",\n".join(lines)
    return f'{head[:-1]},\n"definitions":{opening}\n{body}\n{closing}}}\n'


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
