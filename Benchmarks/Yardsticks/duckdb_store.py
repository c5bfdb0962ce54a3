"""Imports a CSV file into DuckDB with the checks and indexes of a store: duckdb_store.py import|upsert STORE FILE

`import` makes the store. `upsert` updates it from the file, and writes only the rows that differ."""
import sys
from datetime import date

import duckdb

verb, store, path = sys.argv[1:]
columns = ["username", "phone", "address", "postal_code", "birthday", "password_hash"]
others = columns[1:]
table = f"""
CREATE TABLE profiles (
    id BIGINT NOT NULL, revision INTEGER NOT NULL,
    username VARCHAR PRIMARY KEY CHECK (regexp_full_match(username, '[A-Za-z0-9]{{2,10}}')),
    phone VARCHAR NOT NULL CHECK (regexp_full_match(phone, '[0-9]{{4}}-[0-9]{{4}}')),
    address VARCHAR NOT NULL CHECK (regexp_full_match(address, '[A-Za-z0-9]+( [A-Za-z0-9]+)*') AND length(address) <= 70),
    postal_code VARCHAR CHECK (regexp_full_match(postal_code, '[0-9]{{5}}')),
    birthday DATE CHECK (birthday BETWEEN DATE '1900-01-01' AND DATE '{date.today()}'),
    password_hash VARCHAR NOT NULL
        CHECK (regexp_full_match(password_hash, '[$]argon2id[$]v=19[$]m=[0-9]+,t=[0-9]+,p=[0-9]+[$][A-Za-z0-9+/]+[$][A-Za-z0-9+/]+')))
"""
# The header names the columns. Every cell is read as text.
rows = f"SELECT * REPLACE (CAST(birthday AS DATE) AS birthday) FROM read_csv('{path}', header = true, all_varchar = true)"

with duckdb.connect(store) as connection:
    if verb == "import":
        connection.execute(table)
        connection.execute(
            f"INSERT INTO profiles SELECT row_number() OVER () AS id, 1 AS revision, {', '.join(columns)} FROM ({rows})")
        connection.execute("CREATE INDEX profiles_phone ON profiles (phone)")
    else:
        connection.execute(
            f"""
            INSERT INTO profiles SELECT row_number() OVER () AS id, 1 AS revision, {', '.join(columns)} FROM ({rows})
            ON CONFLICT (username) DO UPDATE SET revision = revision + 1,
            {", ".join(f"{column} = excluded.{column}" for column in others)}
            WHERE {" OR ".join(f"profiles.{column} IS DISTINCT FROM excluded.{column}" for column in others)}
            """)
    connection.execute("CHECKPOINT")
    print(connection.execute("SELECT count(*), max(revision) FROM profiles").fetchone())
