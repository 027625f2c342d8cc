-- What was sent to models; triggers let no part outlive its request and no picture its last part.
-- Numbers of requests are never reused, because session logs name them.

CREATE TABLE requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_wall_ns INTEGER NOT NULL,
    session TEXT NOT NULL,
    purpose TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    address TEXT NOT NULL,
    path TEXT NOT NULL,
    headers TEXT NOT NULL,
    model TEXT NOT NULL,
    digest TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    outcome TEXT,
    ended_wall_ns INTEGER,
    tokens_in INTEGER NOT NULL DEFAULT 0,
    tokens_out INTEGER NOT NULL DEFAULT 0,
    cached INTEGER NOT NULL DEFAULT 0,
    dollars REAL NOT NULL DEFAULT 0
);
CREATE INDEX requests_by_session ON requests (session);

CREATE TABLE pictures (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, jpeg BLOB NOT NULL);

CREATE TABLE parts (
    request INTEGER NOT NULL REFERENCES requests (id),
    n INTEGER NOT NULL,
    text BLOB,
    picture INTEGER REFERENCES pictures (id),
    PRIMARY KEY (request, n),
    CHECK ((text IS NULL) != (picture IS NULL))
) WITHOUT ROWID;
CREATE INDEX parts_by_picture ON parts (picture) WHERE picture IS NOT NULL;

CREATE TRIGGER request_gone AFTER DELETE ON requests BEGIN
    DELETE FROM parts WHERE request = OLD.id;
END;
CREATE TRIGGER part_gone AFTER DELETE ON parts
    WHEN OLD.picture IS NOT NULL AND NOT EXISTS (SELECT 1 FROM parts WHERE picture = OLD.picture) BEGIN
    DELETE FROM pictures WHERE id = OLD.picture;
END;

-- pictures and words that were sent and not stored: without consent to the recording
CREATE TABLE unkept (
    request INTEGER NOT NULL REFERENCES requests (id),
    n INTEGER NOT NULL,
    digest TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    is_text INTEGER NOT NULL,
    PRIMARY KEY (request, n)
) WITHOUT ROWID;
CREATE TRIGGER unkept_gone AFTER DELETE ON requests BEGIN
    DELETE FROM unkept WHERE request = OLD.id;
END;
