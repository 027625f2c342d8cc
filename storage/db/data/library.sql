-- The index of documentation: folders, their files, pages, the words in them, controls and links.
-- `asked` holds for each page what typed words are compared with (`daemon.help.library.asked`).
-- `files.read_by` is a digest of the code that read a file, `checked` when all installed programs were looked at.

CREATE TABLE documentation (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    app TEXT NOT NULL,
    folder TEXT NOT NULL,
    label TEXT NOT NULL,
    own INTEGER NOT NULL
);

CREATE TABLE files (
    documentation INTEGER NOT NULL REFERENCES documentation (id),
    path TEXT NOT NULL,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    page INTEGER,
    problem TEXT,
    read_by TEXT NOT NULL,
    PRIMARY KEY (documentation, path)
) WITHOUT ROWID;

CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    page_id TEXT NOT NULL UNIQUE,
    documentation INTEGER NOT NULL REFERENCES documentation (id),
    app TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    title TEXT NOT NULL,
    steps TEXT NOT NULL
);
CREATE INDEX pages_by_app ON pages (app);

CREATE VIRTUAL TABLE words USING fts5(
    app, title, keywords, controls, headings, body,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE asked (page INTEGER PRIMARY KEY, stems BLOB NOT NULL, vectors BLOB NOT NULL);

CREATE TABLE controls (
    name TEXT NOT NULL,
    page INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (name, page)
) WITHOUT ROWID;
CREATE INDEX controls_by_page ON controls (page);

CREATE TABLE links (page INTEGER NOT NULL, target TEXT NOT NULL, PRIMARY KEY (page, target)) WITHOUT ROWID;

CREATE TABLE checked (id INTEGER PRIMARY KEY CHECK (id = 1), at_wall_ns INTEGER NOT NULL);
