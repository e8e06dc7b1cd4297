"""An application that lets Logfire set its telemetry up."""

import logfire
from shop import charge

logfire.configure()
charge()
