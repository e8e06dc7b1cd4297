"""Many calls of a tool, each in a trace of its own. Usage: many.py NUMBER."""

import sys

from shop import charge

for number in range(int(sys.argv[1])):
    charge(number=number)
