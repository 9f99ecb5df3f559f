-- Which migrations a database has had.

-- name: list_tables
-- Gives (name) of every table, so that an empty database, one of ours and a foreign one are told apart.
SELECT tablename FROM pg_tables WHERE schemaname = CURRENT_SCHEMA() ORDER BY tablename;

-- name: create_migration
-- Makes the table that the other two queries need; it comes before the first migration.
CREATE TABLE migration (
    tenant TEXT COLLATE "C" NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    applied_at TEXT COLLATE "C" NOT NULL
);

-- name: migration_version
-- Gives (version) of the newest migration that was applied, 0 where there was none.
SELECT COALESCE(MAX(version), 0) FROM migration;

-- name: put_migration
-- Notes that a migration was applied.
INSERT INTO migration (tenant, principal, version, name, applied_at)
VALUES (%(tenant)s, %(principal)s, %(version)s, %(name)s, %(at)s);
