"""A process that calls a tool, and a child of it that calls one more. The child ends right after its call."""

import multiprocessing
import sys

from shop import charge

if __name__ == "__main__":
    charge()
    child = multiprocessing.get_context(sys.argv[1]).Process(target=charge, kwargs={"number": 2})
    child.start()
    child.join()
    sys.exit(child.exitcode)
