-- What else a workspace keeps: settings, schema locks, vectors, the state of mock services.

-- name: put_setting
-- Sets a value.
INSERT INTO setting (tenant, principal, key, value) VALUES (%(tenant)s, %(principal)s, %(key)s, %(value)s)
ON CONFLICT (tenant, key) DO UPDATE SET principal = excluded.principal, value = excluded.value;

-- name: get_setting
-- Gives (value) of a key.
SELECT value FROM setting WHERE tenant = %(tenant)s AND key = %(key)s;

-- name: list_settings
-- Gives (key, value) of all settings.
SELECT key, value FROM setting WHERE tenant = %(tenant)s ORDER BY key;

-- name: delete_setting
-- Forgets a value.
DELETE FROM setting WHERE tenant = %(tenant)s AND key = %(key)s;

-- name: put_lock
-- Accepts a version of a service's description.
INSERT INTO schema_lock (tenant, principal, service, version, accepted_at)
VALUES (%(tenant)s, %(principal)s, %(service)s, %(version)s, %(at)s)
ON CONFLICT (tenant, service) DO UPDATE SET
    principal = excluded.principal, version = excluded.version, accepted_at = excluded.accepted_at;

-- name: lock_of_service
-- Gives (version, accepted_at, principal) of the accepted description.
SELECT version, accepted_at, principal FROM schema_lock WHERE tenant = %(tenant)s AND service = %(service)s;

-- name: list_locks
-- Gives (service, version, accepted_at, principal) of all accepted descriptions.
SELECT service, version, accepted_at, principal FROM schema_lock WHERE tenant = %(tenant)s ORDER BY service;

-- name: delete_lock
-- Lets go of a lock.
DELETE FROM schema_lock WHERE tenant = %(tenant)s AND service = %(service)s;

-- name: put_vector
-- Keeps an embedding.
INSERT INTO vector (tenant, principal, model, content_hash, vector)
VALUES (%(tenant)s, %(principal)s, %(model)s, %(content_hash)s, %(vector)s)
ON CONFLICT (tenant, model, content_hash) DO UPDATE SET vector = excluded.vector;

-- name: get_vector
-- Gives (vector) of a text by its hash.
SELECT vector FROM vector WHERE tenant = %(tenant)s AND model = %(model)s AND content_hash = %(content_hash)s;

-- name: list_vectors
-- Gives (content_hash, vector) of all embeddings of a model.
SELECT content_hash, vector FROM vector WHERE tenant = %(tenant)s AND model = %(model)s ORDER BY content_hash;

-- name: delete_vectors
-- Forgets the embeddings of a model.
DELETE FROM vector WHERE tenant = %(tenant)s AND model = %(model)s;

-- name: put_mock_state
-- Keeps the state of a mock service.
INSERT INTO mock_state (tenant, principal, service, state) VALUES (%(tenant)s, %(principal)s, %(service)s, %(state)s)
ON CONFLICT (tenant, service) DO UPDATE SET principal = excluded.principal, state = excluded.state;

-- name: get_mock_state
-- Gives (state) of a mock service.
SELECT state FROM mock_state WHERE tenant = %(tenant)s AND service = %(service)s;

-- name: list_mock_states
-- Gives (service, state) of all mock services.
SELECT service, state FROM mock_state WHERE tenant = %(tenant)s ORDER BY service;

-- name: delete_mock_state
-- Lets a mock service begin anew.
DELETE FROM mock_state WHERE tenant = %(tenant)s AND service = %(service)s;

-- name: delete_mock_states
-- Lets all mock services begin anew.
DELETE FROM mock_state WHERE tenant = %(tenant)s;

-- name: check_integrity
-- Gives (finding), one row `ok` where the database is sound.
SELECT 'ok';
