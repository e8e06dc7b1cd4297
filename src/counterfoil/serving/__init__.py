"""Workers on a ledger. The judge takes facts in by OTLP, for hosts without a database; `reconcile` asks targets.

Both judge what is due and tell it by OTLP, and a verdict counts as told when somebody has heard it.
"""
