"""Writes every generated file and removes those that are no longer generated."""

from __future__ import annotations

from dashboards.src.files import ROOT, files, generated


def main() -> None:
    """Write what has changed and say so."""
    wanted = files()
    for name in sorted(generated() - set(wanted)):
        (ROOT / name).unlink()
        print(f"removed {name}")
    for name, text in wanted.items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")


main()
