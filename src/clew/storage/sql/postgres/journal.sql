-- The append-only record. There is no query that changes or deletes, and a trigger refuses it.

-- name: append_event
-- Stores an event; gives its (sequence).
INSERT INTO journal (tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body)
VALUES (%(tenant)s, %(principal)s, %(kind)s, %(run_id)s, %(case_id)s, %(conversation_id)s, %(plan_hash)s, %(at)s, %(body)s)
RETURNING sequence;

-- name: list_events
-- Gives (sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body) of at most `limit`
-- events after the sequence `after`, in order.
SELECT sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body FROM journal
WHERE tenant = %(tenant)s AND sequence > %(after)s ORDER BY sequence LIMIT %(limit)s;

-- name: events_by_run
-- The same of one run.
SELECT sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body FROM journal
WHERE tenant = %(tenant)s AND run_id = %(run_id)s AND sequence > %(after)s ORDER BY sequence LIMIT %(limit)s;

-- name: events_by_case
-- The same of one case; the condition on the empty text is that of the index.
SELECT sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body FROM journal
WHERE tenant = %(tenant)s AND case_id = %(case_id)s AND case_id <> '' AND sequence > %(after)s
ORDER BY sequence LIMIT %(limit)s;

-- name: list_traces
-- Gives (run_id, principal of the first event, events, first at, last at) of at most `limit` runs, the newest first.
SELECT run_id, MIN(principal), COUNT(*), MIN(at), MAX(at) FROM journal
WHERE tenant = %(tenant)s AND run_id <> '' GROUP BY run_id ORDER BY MAX(sequence) DESC LIMIT %(limit)s;
