-- Cases and their evidence. A case's handle is worth nothing to anybody but its principal: every query asks for both.

-- name: put_case
-- Opens a case; changes nothing where the handle is taken.
INSERT INTO process_case (tenant, principal, handle, process, state, mode, opened_at, payload)
VALUES (%(tenant)s, %(principal)s, %(handle)s, %(process)s, %(state)s, %(mode)s, %(opened_at)s, %(payload)s)
ON CONFLICT (tenant, handle) DO NOTHING;

-- name: case_by_handle
-- Gives (handle, process, principal, tenant, state, mode, opened_at, payload) of a case of this principal.
SELECT handle, process, principal, tenant, state, mode, opened_at, payload FROM process_case
WHERE tenant = %(tenant)s AND principal = %(principal)s AND handle = %(handle)s;

-- name: list_cases
-- Gives the same of all cases of this principal, the oldest first.
SELECT handle, process, principal, tenant, state, mode, opened_at, payload FROM process_case
WHERE tenant = %(tenant)s AND principal = %(principal)s ORDER BY opened_at, handle;

-- name: set_case_state
-- Opens or closes a case of this principal.
UPDATE process_case SET state = %(state)s
WHERE tenant = %(tenant)s AND principal = %(principal)s AND handle = %(handle)s;

-- name: set_case_mode
-- Changes how order is kept in a case of this principal.
UPDATE process_case SET mode = %(mode)s
WHERE tenant = %(tenant)s AND principal = %(principal)s AND handle = %(handle)s;

-- name: put_evidence
-- Adds evidence to a case.
INSERT INTO evidence (tenant, principal, handle, activity, object_key, at, payload)
VALUES (%(tenant)s, %(principal)s, %(handle)s, %(activity)s, %(object_key)s, %(at)s, %(payload)s);

-- name: evidence_of_case
-- Gives (payload) of all evidence of a case of this principal, in the order in which it came.
SELECT payload FROM evidence
WHERE tenant = %(tenant)s AND principal = %(principal)s AND handle = %(handle)s ORDER BY sequence;
