"""Every law in this folder runs under the profile "laws"."""

from hypothesis import settings

from tests import strategies  # noqa: F401  # registers the profile

settings.load_profile("laws")
