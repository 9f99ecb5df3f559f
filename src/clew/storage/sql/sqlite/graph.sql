-- Nodes, edges and overlays as the documents assert them. Merging is done by clew.graph, which needs the assertions of
-- one node together and the strongest first: `rank`, then the document's key, then the place in it.

-- name: put_node
-- Enters a record.
INSERT INTO node (tenant, principal, document, position, id, kind, owner, rank, name,
    property_count, navigation_count, code_count, digest, payload)
VALUES (:tenant, :principal, :document, :position, :id, :kind, :owner, :rank, :name,
    :property_count, :navigation_count, :code_count, :digest, :payload);

-- name: delete_nodes
-- Takes back what a document asserts of nodes.
DELETE FROM node WHERE tenant = :tenant AND document = :document;

-- name: node_by_id
-- Gives (document, id, kind, digest, payload) of all records of one node.
SELECT document, id, kind, digest, payload FROM node
WHERE tenant = :tenant AND id = :id ORDER BY rank, document, position;

-- name: nodes_of_owner
-- Gives (document, id, kind, digest, payload) of all records of one service, process or code list.
SELECT document, id, kind, digest, payload FROM node
WHERE tenant = :tenant AND owner = :owner ORDER BY rank, document, position;

-- name: node_roots
-- Gives (document, id, kind, digest, payload) of all services and processes; the condition is that of their index.
SELECT document, id, kind, digest, payload FROM node
WHERE tenant = :tenant AND kind IN ('Service', 'Process') ORDER BY id, rank, document, position;

-- name: node_owners
-- Gives (owner) of all nodes, each once, so that a long list is read owner by owner.
SELECT DISTINCT owner FROM node WHERE tenant = :tenant ORDER BY owner;

-- name: node_owners_of_kind
-- The same of one kind of node.
SELECT DISTINCT owner FROM node WHERE tenant = :tenant AND kind = :kind ORDER BY owner;

-- name: contested_nodes
-- Gives (id, kind, properties, navigations, codes) of the nodes that records assert which differ, counted as
-- `count_nodes` counts them.
SELECT id, MIN(kind), MAX(property_count), MAX(navigation_count), MAX(code_count) FROM node WHERE tenant = :tenant
GROUP BY id HAVING COUNT(*) > 1 AND MIN(digest) <> MAX(digest) ORDER BY id;

-- name: count_nodes
-- Gives (kind, nodes, properties, navigations, codes); records that differ are counted by their largest one.
SELECT kind, COUNT(*), SUM(properties), SUM(navigations), SUM(codes) FROM (
    SELECT id, MIN(kind) AS kind, MAX(property_count) AS properties, MAX(navigation_count) AS navigations,
        MAX(code_count) AS codes
    FROM node WHERE tenant = :tenant GROUP BY id
) AS merged GROUP BY kind ORDER BY kind;

-- name: put_edge
-- Enters a relation.
INSERT INTO edge (tenant, principal, document, position, kind, source, target, key, payload)
VALUES (:tenant, :principal, :document, :position, :kind, :source, :target, :key, :payload);

-- name: delete_edges
-- Takes back what a document asserts of relations.
DELETE FROM edge WHERE tenant = :tenant AND document = :document;

-- name: edges_from
-- Gives (document, payload) of the relations that leave a node.
SELECT document, payload FROM edge
WHERE tenant = :tenant AND source = :source ORDER BY document, position;

-- name: edges_to
-- Gives (document, payload) of the relations that reach a node.
SELECT document, payload FROM edge
WHERE tenant = :tenant AND target = :target ORDER BY document, position;

-- name: edges_within
-- Gives (document, payload) of the relations that touch a process or service: its own node `id`, or one whose id lies
-- from `low` up to and without `high`. Two branches, so that each one has its index.
SELECT document, payload FROM (
    SELECT document, position, payload FROM edge
    WHERE tenant = :tenant AND (source = :id OR (source >= :low AND source < :high))
    UNION ALL
    SELECT document, position, payload FROM edge
    WHERE tenant = :tenant AND (target = :id OR (target >= :low AND target < :high))
        AND NOT (source = :id OR (source >= :low AND source < :high))
) AS touching ORDER BY document, position;

-- name: list_edges
-- Gives (document, payload) of all relations.
SELECT document, payload FROM edge WHERE tenant = :tenant ORDER BY document, position;

-- name: edges_of_kind
-- Gives (document, payload) of all relations of one kind.
SELECT document, payload FROM edge WHERE tenant = :tenant AND kind = :kind ORDER BY document, position;

-- name: count_edges
-- Gives (kind, relations); what several documents assert counts once.
SELECT kind, COUNT(*) FROM (
    SELECT DISTINCT kind, source, target, key FROM edge WHERE tenant = :tenant
) AS merged GROUP BY kind ORDER BY kind;

-- name: contested_edges
-- Gives (kind, source, target, key) of the relations that several documents assert.
SELECT kind, source, target, key FROM edge WHERE tenant = :tenant
GROUP BY kind, source, target, key HAVING COUNT(*) > 1 ORDER BY kind, source, target, key;

-- name: dangling_bindings
-- Gives (document, source, target) of the bindings that name an activity or a target which no document asserts.
SELECT document, source, target FROM edge
WHERE tenant = :tenant AND kind = 'PERFORMED_BY' AND (
    NOT EXISTS (SELECT 1 FROM node WHERE node.tenant = edge.tenant AND node.id = edge.source)
    OR NOT EXISTS (SELECT 1 FROM node WHERE node.tenant = edge.tenant AND node.id = edge.target)
) ORDER BY document, position;

-- name: put_overlay
-- Enters what a document states about an element of another one.
INSERT INTO overlay (tenant, principal, document, position, target, namespace, service, value_helps, payload)
VALUES (:tenant, :principal, :document, :position, :target, :namespace, :service,
    :value_helps, :payload);

-- name: delete_overlays
-- Takes back what a document states about other documents' elements.
DELETE FROM overlay WHERE tenant = :tenant AND document = :document;

-- name: overlays_of_namespace
-- Gives (document, position, payload) of what is stated about the elements of one namespace.
SELECT document, position, payload FROM overlay
WHERE tenant = :tenant AND namespace = :namespace ORDER BY document, position;

-- name: overlay_places
-- Gives (document, namespace, service, overlays, value helps stated) by what the overlays of a document are about.
SELECT document, namespace, service, COUNT(*), SUM(value_helps) FROM overlay WHERE tenant = :tenant
GROUP BY document, namespace, service ORDER BY document, namespace, service;
