"""Updates a store from a CSV file with SQLite's upsert, without rules, checks or a log: sqlite_upsert.py STORE FILE"""
import csv
import sqlite3
import sys

store, path = sys.argv[1:]
with sqlite3.connect(store) as connection, open(path, newline="", encoding="utf-8") as file:
    rows = csv.reader(file)
    columns = next(rows)
    others = [column for column in columns if column != "username"]
    connection.execute("PRAGMA cache_size = -65536")
    connection.executemany(
        f"""
        INSERT INTO profiles (revision, created_at, updated_at, schema_version, password_schema_version,
        password_is_judged, {", ".join(columns)})
        VALUES (1, 1700000000000, 1700000000000, 1, 1, 0, {", ".join("nullif(?, '')" for _ in columns)})
        ON CONFLICT (username) DO UPDATE SET revision = revision + 1, updated_at = excluded.updated_at,
        {", ".join(f"{column} = excluded.{column}" for column in others)}
        WHERE {" OR ".join(f"{column} IS NOT excluded.{column}" for column in others)}
        """,
        rows,
    )
