-- What else a workspace keeps: settings, schema locks, vectors, the state of mock services.

-- name: put_setting
-- Sets a value.
INSERT INTO setting (tenant, principal, key, value) VALUES (:tenant, :principal, :key, :value)
ON CONFLICT (tenant, key) DO UPDATE SET principal = excluded.principal, value = excluded.value;

-- name: get_setting
-- Gives (value) of a key.
SELECT value FROM setting WHERE tenant = :tenant AND key = :key;

-- name: list_settings
-- Gives (key, value) of all settings.
SELECT key, value FROM setting WHERE tenant = :tenant ORDER BY key;

-- name: delete_setting
-- Forgets a value.
DELETE FROM setting WHERE tenant = :tenant AND key = :key;

-- name: put_lock
-- Accepts a version of a service's description.
INSERT INTO schema_lock (tenant, principal, service, version, accepted_at)
VALUES (:tenant, :principal, :service, :version, :at)
ON CONFLICT (tenant, service) DO UPDATE SET
    principal = excluded.principal, version = excluded.version, accepted_at = excluded.accepted_at;

-- name: lock_of_service
-- Gives (version, accepted_at, principal) of the accepted description.
SELECT version, accepted_at, principal FROM schema_lock WHERE tenant = :tenant AND service = :service;

-- name: list_locks
-- Gives (service, version, accepted_at, principal) of all accepted descriptions.
SELECT service, version, accepted_at, principal FROM schema_lock WHERE tenant = :tenant ORDER BY service;

-- name: delete_lock
-- Lets go of a lock.
DELETE FROM schema_lock WHERE tenant = :tenant AND service = :service;

-- name: put_vector
-- Keeps an embedding.
INSERT INTO vector (tenant, principal, model, content_hash, vector)
VALUES (:tenant, :principal, :model, :content_hash, :vector)
ON CONFLICT (tenant, model, content_hash) DO UPDATE SET vector = excluded.vector;

-- name: get_vector
-- Gives (vector) of a text by its hash.
SELECT vector FROM vector WHERE tenant = :tenant AND model = :model AND content_hash = :content_hash;

-- name: list_vectors
-- Gives (content_hash, vector) of all embeddings of a model.
SELECT content_hash, vector FROM vector WHERE tenant = :tenant AND model = :model ORDER BY content_hash;

-- name: delete_vectors
-- Forgets the embeddings of a model.
DELETE FROM vector WHERE tenant = :tenant AND model = :model;

-- name: put_mock_state
-- Keeps the state of a mock service.
INSERT INTO mock_state (tenant, principal, service, state) VALUES (:tenant, :principal, :service, :state)
ON CONFLICT (tenant, service) DO UPDATE SET principal = excluded.principal, state = excluded.state;

-- name: get_mock_state
-- Gives (state) of a mock service.
SELECT state FROM mock_state WHERE tenant = :tenant AND service = :service;

-- name: list_mock_states
-- Gives (service, state) of all mock services.
SELECT service, state FROM mock_state WHERE tenant = :tenant ORDER BY service;

-- name: delete_mock_state
-- Lets a mock service begin anew.
DELETE FROM mock_state WHERE tenant = :tenant AND service = :service;

-- name: delete_mock_states
-- Lets all mock services begin anew.
DELETE FROM mock_state WHERE tenant = :tenant;

-- name: check_integrity
-- Gives (finding), one row `ok` where the database is sound.
PRAGMA quick_check;
