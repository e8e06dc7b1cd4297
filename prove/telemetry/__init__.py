"""How telemetry travels: pipelines as applications have them, and a receiver that is as unkind as networks are."""
