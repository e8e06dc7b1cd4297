"""Call something once a module has been imported, without importing it.

A finder in front of the others lets them find the module and adds a step after its loader has run it. It knows a few
exact names, and costs one dictionary look-up for each import of anything else.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

Hook = Callable[[ModuleType], None]


class _Watch(MetaPathFinder):
    def __init__(self) -> None:
        self.hooks: dict[str, list[Hook]] = {}
        self._busy = threading.local()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self.hooks or getattr(self._busy, "name", None) == fullname:
            return None
        self._busy.name = fullname
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._busy.name = None
        if spec is not None and spec.loader is not None:
            spec.loader = _Then(spec.loader, self.hooks[fullname])
        return spec


class _Then(Loader):
    """Another loader, and our step after it. All that the other one offers is still there."""

    def __init__(self, loader: Loader, hooks: list[Hook]) -> None:
        self._loader = loader
        self._hooks = hooks

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        for hook in tuple(self._hooks):
            _call(hook, module)


_WATCH = _Watch()


def after_import(name: str, hook: Hook) -> None:
    """Call ``hook`` with the module ``name`` once it is imported; at once if it already is. The hook may not raise
    into the importer: what it raises is dropped here, so it has to tell its own troubles."""
    module = sys.modules.get(name)
    if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        _call(hook, module)
        return
    _WATCH.hooks.setdefault(name, []).append(hook)
    if _WATCH not in sys.meta_path:
        sys.meta_path.insert(0, _WATCH)


def _call(hook: Hook, module: ModuleType) -> None:
    try:
        hook(module)
    except Exception:  # the import is the host's
        return
