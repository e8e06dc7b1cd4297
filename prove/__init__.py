"""The proving ground: real agents, real providers and faults, and a check of every verdict against the providers' books.

Nothing in here is part of the product, and the product knows nothing of it.
"""
