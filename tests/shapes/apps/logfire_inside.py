"""An application that hands our processor to Logfire by itself."""

import logfire
from shop import charge

from counterfoil import CounterfoilProcessor

logfire.configure(additional_span_processors=[CounterfoilProcessor()])
charge()
