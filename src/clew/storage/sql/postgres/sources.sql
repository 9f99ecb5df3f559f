-- Ingested documents and what was wrong with them.

-- name: put_source
-- Enters a document, or replaces what was known of it.
INSERT INTO source (tenant, principal, document, content_hash, kind, owners, report, ingested_at)
VALUES (%(tenant)s, %(principal)s, %(document)s, %(content_hash)s, %(kind)s, %(owners)s, %(report)s, %(ingested_at)s)
ON CONFLICT (tenant, document) DO UPDATE SET
    principal = excluded.principal,
    content_hash = excluded.content_hash,
    kind = excluded.kind,
    owners = excluded.owners,
    report = excluded.report,
    ingested_at = excluded.ingested_at;

-- name: delete_source
-- Forgets a document; what it asserts is deleted by the queries beside it.
DELETE FROM source WHERE tenant = %(tenant)s AND document = %(document)s;

-- name: source_by_document
-- Gives (content_hash, kind, owners, report, ingested_at) of one document.
SELECT content_hash, kind, owners, report, ingested_at FROM source
WHERE tenant = %(tenant)s AND document = %(document)s;

-- name: list_sources
-- Gives (document, content_hash, kind, owners, report, ingested_at) of all documents in the order of their keys.
SELECT document, content_hash, kind, owners, report, ingested_at FROM source
WHERE tenant = %(tenant)s ORDER BY document;

-- name: source_hashes
-- Gives (document, content_hash) of all documents in the order of their keys: what a snapshot's version is made of.
SELECT document, content_hash FROM source WHERE tenant = %(tenant)s ORDER BY document;

-- name: source_owners
-- Gives (document, kind, owners) of the documents that speak about other documents' elements.
SELECT document, kind, owners FROM source
WHERE tenant = %(tenant)s AND document IN (SELECT document FROM overlay WHERE overlay.tenant = %(tenant)s)
ORDER BY document;

-- name: put_issue
-- Keeps an issue of a document; `position` is its place in the document's list.
INSERT INTO issue (tenant, principal, document, position, code, severity, payload)
VALUES (%(tenant)s, %(principal)s, %(document)s, %(position)s, %(code)s, %(severity)s, %(payload)s);

-- name: delete_issues
-- Forgets the issues of a document.
DELETE FROM issue WHERE tenant = %(tenant)s AND document = %(document)s;

-- name: list_issues
-- Gives (payload) of all issues, by document and in the order in which they were found.
SELECT payload FROM issue WHERE tenant = %(tenant)s ORDER BY document, position;

-- name: issues_of_document
-- Gives (payload) of the issues of one document in the order in which they were found.
SELECT payload FROM issue WHERE tenant = %(tenant)s AND document = %(document)s ORDER BY position;
