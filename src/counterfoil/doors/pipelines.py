"""The providers of this process whose pipelines have their processor."""

from __future__ import annotations

from weakref import WeakSet

attached: WeakSet[object] = WeakSet()
