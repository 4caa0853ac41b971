"""Generated examples: no time limit for one (machines are slow at times), nothing kept between runs."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "spark_paimon", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("spark_paimon")
