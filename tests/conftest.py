"""Settings of Hypothesis: the same cases in every run, so that a change is judged by what it changes.

`HYPOTHESIS_PROFILE=explore` draws new ones.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
