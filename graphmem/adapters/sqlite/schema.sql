-- The first version of the file. Times are microseconds since 1970-01-01 UTC; digests are 64-bit sums as signed integers.

PRAGMA application_id = 1735552365;

CREATE TABLE namespaces (
    name TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    parameters_version INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    graph_digest INTEGER NOT NULL,
    counts TEXT NOT NULL,
    refs TEXT NOT NULL
);

CREATE TABLE memories (
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    ref TEXT NOT NULL,
    kind TEXT NOT NULL,
    revision INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    evidence INTEGER NOT NULL,
    episode TEXT NOT NULL,
    session_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    task_type TEXT NOT NULL,
    result TEXT NOT NULL,
    tool TEXT NOT NULL,
    agent TEXT NOT NULL,
    error_type TEXT NOT NULL,
    digest INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (namespace, id)
);
CREATE UNIQUE INDEX memories_ref ON memories (namespace, ref) WHERE ref <> '';
CREATE INDEX memories_feed ON memories (namespace, revision, id);
-- Wide, so that find() filters in the index and reads only the bodies that it shows.
CREATE INDEX memories_time ON memories (
    namespace, occurred_at, id, kind, result, state, task_type, tool, agent, error_type
);
CREATE INDEX memories_session ON memories (namespace, session_id, occurred_at, id) WHERE session_id <> '';
CREATE INDEX memories_task ON memories (namespace, task_id, occurred_at, id) WHERE task_id <> '';

CREATE TABLE vectors (
    namespace TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    field TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (namespace, memory_id, field),
    FOREIGN KEY (namespace, memory_id) REFERENCES memories (namespace, id) ON DELETE CASCADE
);

CREATE TABLE tags (
    namespace TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (namespace, memory_id, tag),
    FOREIGN KEY (namespace, memory_id) REFERENCES memories (namespace, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX tags_tag ON tags (namespace, tag, memory_id);

CREATE TABLE edges (
    namespace TEXT NOT NULL,
    from_id TEXT NOT NULL,
    to_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    body TEXT NOT NULL,
    FOREIGN KEY (namespace, from_id) REFERENCES memories (namespace, id),
    FOREIGN KEY (namespace, to_id) REFERENCES memories (namespace, id)
);
CREATE UNIQUE INDEX edges_from ON edges (namespace, from_id, to_id, kind);
CREATE INDEX edges_to ON edges (namespace, to_id, kind);
CREATE INDEX edges_owner ON edges (namespace, owner_id);
CREATE INDEX edges_time ON edges (namespace, recorded_at, from_id, to_id);

CREATE TABLE records (
    namespace TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    subject TEXT NOT NULL,
    digest INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (namespace, kind, id)
);
CREATE INDEX records_time ON records (namespace, kind, at, id);
CREATE INDEX records_subject ON records (namespace, subject, kind, at, id) WHERE subject <> '';

CREATE TABLE jobs (
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    subject TEXT NOT NULL,
    state TEXT NOT NULL,
    owner TEXT NOT NULL,
    lease_until INTEGER,
    attempt INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (namespace, id)
);
CREATE INDEX jobs_open ON jobs (namespace, kind, created_at, id) WHERE state IN ('PENDING', 'RUNNING');
CREATE INDEX jobs_held ON jobs (namespace, kind, lease_until) WHERE state = 'RUNNING';
CREATE INDEX jobs_time ON jobs (namespace, created_at, id);
CREATE INDEX jobs_subject ON jobs (namespace, subject) WHERE subject <> '';

CREATE TABLE requests (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    payload_hash TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (namespace, key)
);
CREATE INDEX requests_memory ON requests (namespace, memory_id);
CREATE INDEX requests_time ON requests (namespace, at, key);

CREATE TABLE erasures (
    namespace TEXT NOT NULL,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (namespace, hash)
) WITHOUT ROWID;
CREATE INDEX erasures_time ON erasures (namespace, at, hash);

CREATE TABLE tombstones (
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (namespace, id)
) WITHOUT ROWID;
CREATE INDEX tombstones_feed ON tombstones (namespace, revision, id);

PRAGMA user_version = 1;
