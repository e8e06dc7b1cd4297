"""Pages that draw what happened to an operation: pure, from judgements to HTML and SVG. No file, clock or network."""
