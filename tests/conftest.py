"""No example is timed, whichever files are run: how long one takes is nobody's promise."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
