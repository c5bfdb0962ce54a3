"""Counts the rows of a CSV file that break the rules of the standard schema: polars_validate.py FILE"""
import sys
from datetime import date

import polars as pl

hash_format = r"^\$argon2id\$v=19\$m=[0-9]+,t=[0-9]+,p=[0-9]+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$"
rows = pl.scan_csv(sys.argv[1], infer_schema=False)
birthday = pl.col("birthday").str.to_date("%Y-%m-%d", strict=False)
rules = {
    "username": pl.col("username").str.contains("^[A-Za-z0-9]{2,10}$"),
    "phone": pl.col("phone").str.contains("^[0-9]{4}-[0-9]{4}$"),
    "address": pl.col("address").str.contains("^[A-Za-z0-9]+( [A-Za-z0-9]+)*$")
    & (pl.col("address").str.len_bytes() <= 70),
    "postal_code": pl.col("postal_code").is_null() | pl.col("postal_code").str.contains("^[0-9]{5}$"),
    "birthday": pl.col("birthday").is_null() | birthday.is_between(date(1900, 1, 1), date.today()),
    "password_hash": pl.col("password_hash").is_null() | pl.col("password_hash").str.contains(hash_format),
}
bad = rows.select([(~rule).fill_null(True).sum().alias(name) for name, rule in rules.items()])
print(bad.collect(engine="streaming").to_dicts()[0])
