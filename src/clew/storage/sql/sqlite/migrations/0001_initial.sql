-- The first schema. Every table has the tenant that its rows belong to and the principal that wrote them.
-- Payloads are records of clew.domain as msgpack (graph) or JSON (everything that a person may have to read).

-- One row per ingested document.
CREATE TABLE source (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    document TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    owners TEXT NOT NULL,
    report BLOB NOT NULL,
    ingested_at TEXT NOT NULL,
    PRIMARY KEY (tenant, document)
);

-- One row per record that a document asserts. A type with its properties is one row; its members are counted beside it,
-- so that counting decodes nothing. `digest` is a hash of the record without its lines. `rank` is 0 where the document
-- describes the record's owner, 1 where it speaks about somebody else's. `owner` is what is loaded together:
-- `service:NAME`, `process:NAME` or `codes:NAME`.
CREATE TABLE node (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    document TEXT NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    rank INTEGER NOT NULL,
    name TEXT NOT NULL,
    property_count INTEGER NOT NULL,
    navigation_count INTEGER NOT NULL,
    code_count INTEGER NOT NULL,
    digest BLOB NOT NULL,
    payload BLOB NOT NULL
);
CREATE INDEX node_of_document ON node (tenant, document);
CREATE INDEX node_by_id ON node (tenant, id);
CREATE INDEX node_of_owner ON node (tenant, owner);
CREATE INDEX node_root ON node (tenant, kind) WHERE kind IN ('Service', 'Process');

-- One row per relation that a document asserts and no record implies. `key` tells it from parallel ones: the source's
-- own id of it, or what else distinguishes it.
CREATE TABLE edge (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    document TEXT NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    key TEXT NOT NULL,
    payload BLOB NOT NULL
);
CREATE INDEX edge_of_document ON edge (tenant, document);
CREATE INDEX edge_by_source ON edge (tenant, source);
CREATE INDEX edge_by_target ON edge (tenant, target);

-- What a document states about an element of another one. `namespace` is the one of the target's qualified name.
CREATE TABLE overlay (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    document TEXT NOT NULL,
    position INTEGER NOT NULL,
    target TEXT NOT NULL,
    namespace TEXT NOT NULL,
    service TEXT NOT NULL,
    value_helps INTEGER NOT NULL,
    payload BLOB NOT NULL
);
CREATE INDEX overlay_of_document ON overlay (tenant, document);
CREATE INDEX overlay_by_namespace ON overlay (tenant, namespace);

-- What was wrong with a document.
CREATE TABLE issue (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    document TEXT NOT NULL,
    position INTEGER NOT NULL,
    code TEXT NOT NULL,
    severity TEXT NOT NULL,
    payload BLOB NOT NULL,
    PRIMARY KEY (tenant, document, position)
);

CREATE TABLE setting (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (tenant, key)
) WITHOUT ROWID;

-- The version of each service's description that was accepted; another one refuses writes.
CREATE TABLE schema_lock (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    service TEXT NOT NULL,
    version TEXT NOT NULL,
    accepted_at TEXT NOT NULL,
    PRIMARY KEY (tenant, service)
) WITHOUT ROWID;

CREATE TABLE journal (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    kind TEXT NOT NULL,
    run_id TEXT NOT NULL,
    case_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    plan_hash TEXT NOT NULL,
    at TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX journal_by_run ON journal (tenant, run_id);
CREATE INDEX journal_by_case ON journal (tenant, case_id) WHERE case_id <> '';
CREATE TRIGGER journal_keeps_its_rows BEFORE DELETE ON journal BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
CREATE TRIGGER journal_keeps_its_words BEFORE UPDATE ON journal BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

-- `case` is a word of SQL, so the table has a longer name. `principal` is the case's owner.
CREATE TABLE process_case (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    handle TEXT NOT NULL,
    process TEXT NOT NULL,
    state TEXT NOT NULL,
    mode TEXT NOT NULL,
    opened_at TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (tenant, handle)
);

CREATE TABLE evidence (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    handle TEXT NOT NULL,
    activity TEXT NOT NULL,
    object_key TEXT NOT NULL,
    at TEXT NOT NULL,
    payload TEXT NOT NULL
);
CREATE INDEX evidence_of_case ON evidence (tenant, handle);

CREATE TABLE plan (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
);

-- A plan is confirmed once: the primary key is the guard.
CREATE TABLE confirmation (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    hash TEXT NOT NULL,
    run_id TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (tenant, hash)
) WITHOUT ROWID;

CREATE TABLE run (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    run_id TEXT NOT NULL,
    plan_hash TEXT NOT NULL,
    state TEXT NOT NULL,
    failure TEXT NOT NULL,
    started_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (tenant, run_id)
);

-- Written before a call is sent; one without a receipt means that nobody knows whether the call arrived.
CREATE TABLE intent (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    run_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    at TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (tenant, run_id, position)
);

CREATE TABLE receipt (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    run_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    status INTEGER NOT NULL,
    at TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (tenant, run_id, position)
);

-- Embeddings by what was embedded (float32, little endian), so that an unchanged text is never embedded again.
CREATE TABLE vector (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    model TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (tenant, model, content_hash)
);

-- The state of a mock service as JSON text.
CREATE TABLE mock_state (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    service TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (tenant, service)
);
