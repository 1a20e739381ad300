"""More cases than every run needs: pytest tests/sidecar/policies --hypothesis-profile=thorough."""

from hypothesis import settings

settings.register_profile("thorough", max_examples=2500)
