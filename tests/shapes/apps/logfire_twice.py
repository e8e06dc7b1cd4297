"""An application that configures Logfire twice: the second time is a pipeline of its own, the first is shut down."""

import logfire
from shop import charge

logfire.configure()
charge(number=1)
logfire.configure()
charge(number=2)
