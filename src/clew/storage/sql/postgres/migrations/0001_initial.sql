-- The first schema. Every table has the tenant that its rows belong to and the principal that wrote them.
-- Texts sort by their bytes, as they do in SQLite.
-- Payloads are records of clew.domain as msgpack (graph) or JSON (everything that a person may have to read).

-- One row per ingested document.
CREATE TABLE source (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    owners TEXT COLLATE "C" NOT NULL,
    report BYTEA NOT NULL,
    ingested_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, document)
);

-- One row per record that a document asserts. A type with its properties is one row; its members are counted beside it,
-- so that counting decodes nothing. `digest` is a hash of the record without its lines. `rank` is 0 where the document
-- describes the record's owner, 1 where it speaks about somebody else's. `owner` is what is loaded together:
-- `service:NAME`, `process:NAME` or `codes:NAME`.
CREATE TABLE node (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    rank BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    property_count BIGINT NOT NULL,
    navigation_count BIGINT NOT NULL,
    code_count BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    payload BYTEA NOT NULL
);
CREATE INDEX node_of_document ON node (tenant, document);
CREATE INDEX node_by_id ON node (tenant, id);
CREATE INDEX node_of_owner ON node (tenant, owner);
CREATE INDEX node_root ON node (tenant, kind) WHERE kind IN ('Service', 'Process');

-- One row per relation that a document asserts and no record implies. `key` tells it from parallel ones: the source's
-- own id of it, or what else distinguishes it.
CREATE TABLE edge (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    payload BYTEA NOT NULL
);
CREATE INDEX edge_of_document ON edge (tenant, document);
CREATE INDEX edge_by_source ON edge (tenant, source);
CREATE INDEX edge_by_target ON edge (tenant, target);

-- What a document states about an element of another one. `namespace` is the one of the target's qualified name.
CREATE TABLE overlay (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    namespace TEXT COLLATE "C" NOT NULL,
    service TEXT COLLATE "C" NOT NULL,
    value_helps BIGINT NOT NULL,
    payload BYTEA NOT NULL
);
CREATE INDEX overlay_of_document ON overlay (tenant, document);
CREATE INDEX overlay_by_namespace ON overlay (tenant, namespace);

-- What was wrong with a document.
CREATE TABLE issue (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    severity TEXT COLLATE "C" NOT NULL,
    payload BYTEA NOT NULL,
    PRIMARY KEY (tenant, document, position)
);

CREATE TABLE setting (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, key)
);

-- The version of each service's description that was accepted; another one refuses writes.
CREATE TABLE schema_lock (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    service TEXT COLLATE "C" NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    accepted_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, service)
);

CREATE TABLE journal (
    sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    case_id TEXT COLLATE "C" NOT NULL,
    conversation_id TEXT COLLATE "C" NOT NULL,
    plan_hash TEXT COLLATE "C" NOT NULL,
    at TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL
);
CREATE INDEX journal_by_run ON journal (tenant, run_id);
CREATE INDEX journal_by_case ON journal (tenant, case_id) WHERE case_id <> '';
CREATE FUNCTION journal_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the journal is append-only';
END
$$;
CREATE TRIGGER journal_keeps_its_rows BEFORE UPDATE OR DELETE ON journal
    FOR EACH ROW EXECUTE FUNCTION journal_refuse();
CREATE TRIGGER journal_keeps_all_rows BEFORE TRUNCATE ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION journal_refuse();

-- `case` is a word of SQL, so the table has a longer name. `principal` is the case's owner.
CREATE TABLE process_case (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    handle TEXT COLLATE "C" NOT NULL,
    process TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    mode TEXT COLLATE "C" NOT NULL,
    opened_at TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, handle)
);

CREATE TABLE evidence (
    sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    handle TEXT COLLATE "C" NOT NULL,
    activity TEXT COLLATE "C" NOT NULL,
    object_key TEXT COLLATE "C" NOT NULL,
    at TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL
);
CREATE INDEX evidence_of_case ON evidence (tenant, handle);

CREATE TABLE plan (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, hash)
);

-- A plan is confirmed once: the primary key is the guard.
CREATE TABLE confirmation (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, hash)
);

CREATE TABLE run (
    sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    plan_hash TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    failure TEXT COLLATE "C" NOT NULL,
    started_at TEXT COLLATE "C" NOT NULL,
    changed_at TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    UNIQUE (tenant, run_id)
);

-- Written before a call is sent; one without a receipt means that nobody knows whether the call arrived.
CREATE TABLE intent (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    at TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, run_id, position)
);

CREATE TABLE receipt (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    status BIGINT NOT NULL,
    at TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, run_id, position)
);

-- Embeddings by what was embedded (float32, little endian), so that an unchanged text is never embedded again.
CREATE TABLE vector (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    content_hash TEXT COLLATE "C" NOT NULL,
    vector BYTEA NOT NULL,
    PRIMARY KEY (tenant, model, content_hash)
);

-- The state of a mock service as JSON text.
CREATE TABLE mock_state (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    service TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, service)
);
