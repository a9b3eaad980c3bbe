"""What holds for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# The server that the tests of the webhook share.
pytest_plugins = ["served"]

# Tests assert no seconds: the machine may be busy with something else.
settings.register_profile("raylint", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("raylint")
