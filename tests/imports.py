"""Reads what every module of a package imports, without importing any of it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Import:
    """One name that `module` asks for: a dotted path, ours (`counterfoil.facts`) or anybody's (`os.path`)."""

    module: str
    target: str
    line: int
    at_run_time: bool  # False under `if TYPE_CHECKING:`
    on_load: bool  # False inside a function

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


def sources(package: Path) -> dict[str, str]:
    """Every module's text by its dotted name; a package's own is `counterfoil.cli.__init__`."""
    return {
        ".".join(path.relative_to(package.parent).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(package.rglob("*.py"))
    }


def imports(texts: dict[str, str]) -> list[Import]:
    """Every import of every module; a literal `import_module("…")` counts as one."""
    ours = {name.removesuffix(".__init__") for name in texts}
    return [
        Import(name.removesuffix(".__init__"), target, line, at_run_time, on_load)
        for name, text in texts.items()
        for node, at_run_time, on_load in _walk(ast.parse(text), True, True)
        for target, line in _targets(node, name.rpartition(".")[0], ours)
    ]


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """One circle in the graph, first node repeated at the end, or nothing."""
    done: set[str] = set()

    def visit(node: str, trail: list[str]) -> list[str]:
        if node in trail:
            return [*trail[trail.index(node) :], node]
        if node in done:
            return []
        for target in sorted(edges.get(node, ())):
            if found := visit(target, [*trail, node]):
                return found
        done.add(node)
        return []

    return next((found for node in sorted(edges) if (found := visit(node, []))), [])


def _walk(tree: ast.AST, at_run_time: bool, on_load: bool) -> Iterator[tuple[ast.AST, bool, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
            yield node, at_run_time, on_load
        if isinstance(node, ast.If) and _asks_type_checking(node.test):
            yield from _walk(ast.Module(node.body, []), False, on_load)
            yield from _walk(ast.Module(node.orelse, []), at_run_time, on_load)
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _walk(node, at_run_time, on_load and not inside)


def _asks_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def _targets(node: ast.AST, package: str, ours: set[str]) -> Iterator[tuple[str, int]]:
    match node:
        case ast.Import(names=names, lineno=line):
            yield from ((alias.name, line) for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level, lineno=line):
            base = _absolute("." * level + (module or ""), package)
            for alias in names:
                full = f"{base}.{alias.name}"
                # Of ours we know which names are modules; of others we keep the longer path, which says more.
                yield base if base in ours and full not in ours else full, line
        case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_], lineno=line):
            if ast.unparse(func).rpartition(".")[2] in {"import_module", "__import__"}:
                yield _absolute(name, package), line


def _absolute(name: str, package: str) -> str:
    """`..facts` as seen from the package `counterfoil.cli` is `counterfoil.facts`."""
    path = name.lstrip(".")
    dots = len(name) - len(path)
    if not dots:
        return name
    base = package.split(".")[: package.count(".") + 2 - dots]
    return ".".join([*base, path] if path else base)
