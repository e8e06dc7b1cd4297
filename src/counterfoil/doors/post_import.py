"""Call something once a module has been imported, without importing it.

A finder in front of the others lets them find the module and adds a step after its loader has run it. It knows a few
exact names, and costs one dictionary look-up for each import of anything else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:  # this module is loaded at the start of every process: no import that can be spared
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    Hook = Callable[[ModuleType], None]
    Tell = Callable[[Exception], None]


class _Watch:
    """A finder of modules, as in `sys.meta_path`."""

    def __init__(self) -> None:
        self.hooks: dict[str, list[tuple[Hook, Tell]]] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        if fullname not in self.hooks:
            return None
        for finder in tuple(sys.meta_path):
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    if spec.loader is not None:
                        spec.loader = _Then(spec.loader, self.hooks[fullname])  # type: ignore[assignment]
                    return spec
        return None


class _Then:
    """Another loader, and our step after it. All that the other one offers is still there."""

    def __init__(self, loader: Loader, hooks: list[tuple[Hook, Tell]]) -> None:
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
        for hook, tell in tuple(self._hooks):
            _call(hook, tell, module)


_WATCH = _Watch()


def after_import(name: str, hook: Hook, tell: Tell) -> None:
    """Call ``hook`` with the module ``name`` once it is imported; at once if it already is. What the hook raises is
    told and goes no further: the import is the host's."""
    module = sys.modules.get(name)
    if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        _call(hook, tell, module)
        return
    _WATCH.hooks.setdefault(name, []).append((hook, tell))
    if _WATCH not in sys.meta_path:
        sys.meta_path.insert(0, _WATCH)


def _call(hook: Hook, tell: Tell, module: ModuleType) -> None:
    try:
        hook(module)
    except Exception as trouble:
        tell(trouble)
