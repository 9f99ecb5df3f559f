-- The append-only record. There is no query that changes or deletes, and a trigger refuses it.

-- name: append_event
-- Stores an event; gives its (sequence).
INSERT INTO journal (tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body)
VALUES (:tenant, :principal, :kind, :run_id, :case_id, :conversation_id, :plan_hash, :at, :body)
RETURNING sequence;

-- name: list_events
-- Gives (sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body) of at most `limit`
-- events after the sequence `after`, in order.
SELECT sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body FROM journal
WHERE tenant = :tenant AND sequence > :after ORDER BY sequence LIMIT :limit;

-- name: events_by_run
-- The same of one run.
SELECT sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body FROM journal
WHERE tenant = :tenant AND run_id = :run_id AND sequence > :after ORDER BY sequence LIMIT :limit;

-- name: events_by_case
-- The same of one case; the condition on the empty text is that of the index.
SELECT sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body FROM journal
WHERE tenant = :tenant AND case_id = :case_id AND case_id <> '' AND sequence > :after
ORDER BY sequence LIMIT :limit;

-- name: list_traces
-- Gives (run_id, principal of the first event, events, first at, last at) of at most `limit` runs, the newest first.
SELECT run_id, MIN(principal), COUNT(*), MIN(at), MAX(at) FROM journal
WHERE tenant = :tenant AND run_id <> '' GROUP BY run_id ORDER BY MAX(sequence) DESC LIMIT :limit;
