"""Every law in this folder runs under the profile "laws", or under the one that HYPOTHESIS_PROFILE names."""

import os

from hypothesis import settings

from tests import strategies  # noqa: F401  # registers the profiles

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "laws"))
