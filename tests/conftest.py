"""Settings for all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["support.skips"]

settings.register_profile("check", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", parent=settings.get_profile("check"), max_examples=2000)
settings.load_profile(os.environ.get("LAMINA_PROPERTIES", "check"))
