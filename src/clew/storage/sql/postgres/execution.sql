-- Plans, confirmations, runs, intents and receipts. Nothing is sent twice: a plan is confirmed once, a step has one
-- intent and one receipt; a second insert changes no row, and the caller sees that by the number of rows.

-- name: put_plan
-- Keeps a plan by its hash; the same plan again changes nothing.
INSERT INTO plan (tenant, principal, hash, created_at, payload)
VALUES (%(tenant)s, %(principal)s, %(hash)s, %(created_at)s, %(payload)s)
ON CONFLICT (tenant, hash) DO NOTHING;

-- name: plan_by_hash
-- Gives (hash, principal, created_at, payload) of a plan, whoever's it is: the caller compares the principal.
SELECT hash, principal, created_at, payload FROM plan WHERE tenant = %(tenant)s AND hash = %(hash)s;

-- name: list_plans
-- Gives (hash, principal, created_at, payload) of at most `limit` plans, the newest first.
SELECT hash, principal, created_at, payload FROM plan
WHERE tenant = %(tenant)s ORDER BY created_at DESC, hash LIMIT %(limit)s;

-- name: claim_confirmation
-- Confirms a plan for a run; changes no row where it was confirmed before.
INSERT INTO confirmation (tenant, principal, hash, run_id, at)
VALUES (%(tenant)s, %(principal)s, %(hash)s, %(run_id)s, %(at)s)
ON CONFLICT (tenant, hash) DO NOTHING;

-- name: confirmation_of_plan
-- Gives (run_id, principal, at) of the confirmation of a plan.
SELECT run_id, principal, at FROM confirmation WHERE tenant = %(tenant)s AND hash = %(hash)s;

-- name: put_run
-- Enters a run, or changes its state; who began it and when stays as it was.
INSERT INTO run (tenant, principal, run_id, plan_hash, state, failure, started_at, changed_at, payload)
VALUES (%(tenant)s, %(principal)s, %(run_id)s, %(plan_hash)s, %(state)s, %(failure)s, %(at)s, %(at)s, %(payload)s)
ON CONFLICT (tenant, run_id) DO UPDATE SET
    state = excluded.state,
    failure = excluded.failure,
    changed_at = excluded.changed_at,
    payload = excluded.payload;

-- name: set_run_state
-- Changes the state of a run.
UPDATE run SET state = %(state)s, failure = %(failure)s, changed_at = %(at)s
WHERE tenant = %(tenant)s AND run_id = %(run_id)s;

-- name: run_by_id
-- Gives (run_id, plan_hash, principal, state, failure, started_at, changed_at, payload) of a run.
SELECT run_id, plan_hash, principal, state, failure, started_at, changed_at, payload FROM run
WHERE tenant = %(tenant)s AND run_id = %(run_id)s;

-- name: list_runs
-- Gives the same of at most `limit` runs, the newest first.
SELECT run_id, plan_hash, principal, state, failure, started_at, changed_at, payload FROM run
WHERE tenant = %(tenant)s ORDER BY sequence DESC LIMIT %(limit)s;

-- name: put_intent
-- Says that a step is about to be sent; changes no row where that was said before.
INSERT INTO intent (tenant, principal, run_id, position, at, payload)
VALUES (%(tenant)s, %(principal)s, %(run_id)s, %(position)s, %(at)s, %(payload)s)
ON CONFLICT (tenant, run_id, position) DO NOTHING;

-- name: intents_of_run
-- Gives (position, at, payload) of the intents of a run, in order.
SELECT position, at, payload FROM intent
WHERE tenant = %(tenant)s AND run_id = %(run_id)s ORDER BY position;

-- name: delete_intent
-- Takes back an intent once it is known that the call never left.
DELETE FROM intent WHERE tenant = %(tenant)s AND run_id = %(run_id)s AND position = %(position)s;

-- name: put_receipt
-- Keeps what came back; changes no row where the step has a receipt.
INSERT INTO receipt (tenant, principal, run_id, position, status, at, payload)
VALUES (%(tenant)s, %(principal)s, %(run_id)s, %(position)s, %(status)s, %(at)s, %(payload)s)
ON CONFLICT (tenant, run_id, position) DO NOTHING;

-- name: receipts_of_run
-- Gives (position, status, at, payload) of the receipts of a run, in order.
SELECT position, status, at, payload FROM receipt
WHERE tenant = %(tenant)s AND run_id = %(run_id)s ORDER BY position;
