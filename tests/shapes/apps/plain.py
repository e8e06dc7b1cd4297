"""An application that knows of tracing and sets nothing up."""

from shop import charge

charge()
