"""Facts in Parquet, sorted by operation: what an archive is kept in, and judged from at constant memory.

DuckDB sorts and spills, pyarrow reads and writes; both come with the extra `archive` and are loaded when an archive is
touched. The rules are the ones of every other audit: no query knows them.
"""
