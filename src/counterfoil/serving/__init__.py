"""Workers on a ledger. The judge takes facts in by OTLP, for hosts that share no database; `reconcile` asks the targets.

Both judge what is due and tell it by OTLP, and a verdict counts as told when somebody has heard it.
"""
