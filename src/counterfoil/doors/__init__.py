"""The doors by environment: how the processor gets into a process that nobody may change.

`COUNTERFOIL_ENABLED=true` opens them. Each door calls `counterfoil.doors.boot.arm`, which may be called any number of
times: it sees to it that every pipeline of the process, whoever builds it and whenever, has one processor.

- ``counterfoil.pth`` in site-packages: runs at interpreter start, in every shape of application, also under ``-I``.
- ``opentelemetry_pre_instrument``: under ``opentelemetry-instrument``, before any instrumentor.
- ``opentelemetry_instrumentor``: for declarative configuration (``OTEL_CONFIG_FILE``), with options from its YAML.
- ``opentelemetry_resource_detector``: where ``.pth`` files aren't read (``pip install --target``, ``PYTHONPATH``), by
  ``OTEL_EXPERIMENTAL_RESOURCE_DETECTORS=otel,counterfoil``.

Modules in here import nothing of ours or of OpenTelemetry until a pipeline is really built, and never raise.
"""
