-- What outlives sessions (one JSON value a name), and what models cost a local day.

CREATE TABLE facts (name TEXT PRIMARY KEY, body TEXT NOT NULL);

CREATE TABLE spending (
    day TEXT NOT NULL,
    tier TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    dollars REAL NOT NULL,
    PRIMARY KEY (day, tier)
) WITHOUT ROWID;
