"""What `clew.yaml` may hold, as tables; `landscape.schema.json` says the same to editors, and a test compares them."""

from clew.sources.yaml_fields import Form, Shape

LANDSCAPE = Shape(
    what="a landscape",
    fields={
        "$schema": Form.TEXT,
        "set": Form.TEXT,
        "name": Form.TEXT,
        "about": Form.TEXT,
        "files": Form.TEXT,
        "systems": Form.NODE,
        "services": Form.NODE,
        "processes": Form.NODE,
        "bindings": Form.NODE,
        "codelists": Form.NODE,
        "annotations": Form.TEXTS,
        "documents": Form.TEXTS,
        "policies": Form.TEXTS,
        "seeds": Form.TEXTS,
        "settings": Form.NODE,
    },
)
SYSTEM = Shape(
    what="a system",
    fields={
        "id": Form.TEXT,
        "name": Form.TEXT,
        "role": Form.TEXT,
        "base_url": Form.TEXT,
        "about": Form.TEXT,
        "auth": Form.NODE,
    },
    required=("id",),
    words={"role": ("dev", "qa", "prod")},
)
SERVICE = Shape(
    what="a service",
    fields={
        "id": Form.TEXT,
        "file": Form.TEXT,
        "url": Form.TEXT,
        "system": Form.TEXT,
        "odata": Form.TEXT,
        "base_url": Form.TEXT,
        "about": Form.TEXT,
        "auth": Form.NODE,
        "annotations": Form.TEXTS,
    },
    required=("id",),
    words={"odata": ("V1", "V2", "V3", "V4")},
)
PROCESS = Shape(
    what="a process",
    fields={"id": Form.TEXT, "file": Form.TEXT, "name": Form.TEXT},
    required=("id", "file"),
)
BINDING = Shape(
    what="a binding",
    fields={
        "process": Form.TEXT,
        "activity": Form.TEXT,
        "activity_name": Form.TEXT,
        "service": Form.TEXT,
        "entity_set": Form.TEXT,
        "operation": Form.TEXT,
        "method": Form.TEXT,
        "via": Form.TEXT,
        "bound_to": Form.TEXT,
        "unbound": Form.FLAG,
        "values": Form.PAIRS,
        "note": Form.TEXT,
    },
    required=("process", "activity"),
    words={"method": ("GET", "POST", "PUT", "PATCH", "MERGE", "DELETE")},
)
CODELIST = Shape(
    what="a code list",
    fields={"name": Form.TEXT, "file": Form.TEXT, "columns": Form.NODE, "applies_to": Form.NODE},
    required=("name", "file"),
)
COLUMNS = Shape(
    what="the columns of a code list",
    fields={
        "code": Form.TEXT,
        "text": Form.TEXT,
        "valid_from": Form.TEXT,
        "valid_to": Form.TEXT,
        "inputs": Form.PAIRS,
    },
)
CODELIST_USE = Shape(
    what="what a code list applies to",
    fields={"service": Form.TEXT, "type": Form.TEXT, "property": Form.TEXT},
    required=("property",),
)
SETTINGS = Shape(
    what="the settings",
    fields={"retrieval": Form.TEXT, "order": Form.TEXT, "writes": Form.NODE},
    words={"order": ("off", "advise", "enforce")},
)
AUTH = Shape(
    what="an auth",
    fields={
        "type": Form.TEXT,
        "token": Form.TEXT,
        "user": Form.TEXT,
        "password": Form.TEXT,
        "client_id": Form.TEXT,
        "client_secret": Form.TEXT,
        "header": Form.TEXT,
        "token_url": Form.TEXT,
    },
    required=("type",),
    words={"type": ("bearer", "basic", "api_key", "oauth2")},
)
AUTH_KEYS: dict[str, tuple[str, ...]] = {
    "bearer": ("token",),
    "basic": ("user", "password"),
    "api_key": ("token", "header"),
    "oauth2": ("client_id", "client_secret", "token_url"),
}
"""What each type of auth needs, and all that it may hold."""
SHAPES = (LANDSCAPE, SYSTEM, SERVICE, PROCESS, BINDING, CODELIST, COLUMNS, CODELIST_USE, SETTINGS, AUTH)
