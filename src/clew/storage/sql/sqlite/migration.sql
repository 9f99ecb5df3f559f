-- Which migrations a database has had.

-- name: list_tables
-- Gives (name) of every table, so that an empty database, one of ours and a foreign one are told apart.
SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name;

-- name: create_migration
-- Makes the table that the other two queries need; it comes before the first migration.
CREATE TABLE migration (
    tenant TEXT NOT NULL,
    principal TEXT NOT NULL,
    version INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at TEXT NOT NULL
);

-- name: migration_version
-- Gives (version) of the newest migration that was applied, 0 where there was none.
SELECT COALESCE(MAX(version), 0) FROM migration;

-- name: put_migration
-- Notes that a migration was applied.
INSERT INTO migration (tenant, principal, version, name, applied_at)
VALUES (:tenant, :principal, :version, :name, :at);
