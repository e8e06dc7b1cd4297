"""The proving ground: real agents, providers and faults, and every verdict checked against the providers' books.

Nothing in here is part of the product, and the product knows nothing of it.
"""
