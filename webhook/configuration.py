"""The configuration in force, and its change while requests are answered.

A new one is read, checked and tried on good manifests beside the old one, and takes its place in one assignment. A
request uses one configuration from its beginning to its end. What cannot be used leaves the old one in force.
"""

from __future__ import annotations

import logging
from hashlib import sha256

from raylint.admission import Admission
from raylint.admission_setup import admission_of, configured_files, import_everything
from raylint.errors import UsageError
from raylint.packs import installed_rules

from .logs import event
from .metrics import Metrics
from .samples import SAMPLES

__all__ = ["Configuration", "Snapshot"]


class Snapshot:
    """One configuration. ``crashes`` collects the failures of rules until somebody takes them."""

    def __init__(self, admission: Admission, crashes: list[Exception], digest: str) -> None:
        self.admission = admission
        self.crashes = crashes
        self.digest = digest

    @property
    def hash(self) -> str:
        return self.admission.ruleset.rpartition("+")[2]


class Configuration:
    def __init__(self, file: str, metrics: Metrics) -> None:
        """UsageError: there is no configuration to begin with."""
        self._file = file
        self._metrics = metrics
        self._rules = installed_rules()
        import_everything(self._rules)
        self._refused = ""
        self.last_error = ""
        self.current = self._load(self._digest())
        metrics.configured(self.current.hash)

    def refresh(self, *, forced: bool = False) -> None:
        """Take the configuration in the files if it is another one and can be used. Blocks for about 0.1 s."""
        if not self._file:
            return
        digest = self._digest()
        if digest == self.current.digest != self._refused:
            # What could not be used was taken back.
            self._refused, self.last_error = "", ""
            self._metrics.config_reloaded.set(1)
        if not forced and digest in (self.current.digest, self._refused):
            return
        try:
            snapshot = self._load(digest)
            if self._digest() != digest:
                raise UsageError("the files changed while they were read")
        except Exception as error:
            self._refuse(digest, error)
            return
        self.current, self._refused, self.last_error = snapshot, "", ""
        self._metrics.configured(snapshot.hash)
        self._metrics.config_reloads.labels("success").inc()
        self._metrics.config_reloaded.set(1)
        event(logging.INFO, "configuration loaded", configuration=snapshot.hash)

    def _refuse(self, digest: str, error: Exception) -> None:
        self._refused = digest
        self.last_error = str(error) if isinstance(error, UsageError) else type(error).__name__
        self._metrics.config_reloads.labels("failure").inc()
        self._metrics.config_reloaded.set(0)
        event(logging.ERROR, "configuration not loaded; the old one is in force", reason=self.last_error)

    def _load(self, digest: str) -> Snapshot:
        crashes: list[Exception] = []
        admission = admission_of(self._file, self._rules, crashes.append)
        for sample in SAMPLES:
            outcome = admission.answer(sample, "2000-01-01")
            if outcome.failed:
                raise UsageError(f"rule {outcome.failed[0]} fails on a good {outcome.review.kind}")
        return Snapshot(admission, crashes, digest)

    def _digest(self) -> str:
        """Of all files that the configuration consists of, as far as they can be read."""
        digest = sha256()
        if not self._file:
            return digest.hexdigest()
        try:
            files = configured_files(self._file)
        except UsageError:
            files = [self._file]
        for path in files:
            try:
                with open(path, "rb") as stream:
                    content = stream.read()
            except OSError as error:
                content = str(error.errno).encode()
            digest.update(len(content).to_bytes(8, "big") + content)
        return digest.hexdigest()
