"""The desk: another service of the same people. Webhooks come here, and here somebody asks the provider's book."""
