"""A landscape: what `clew.yaml` says of systems, services, processes, bindings, code lists, documents and settings.

Files are named as written, relative to the landscape's folder (or to the folder that its `files` key names). Lines are
1-based; 0 where they are unknown.
"""

from typing import Literal, TypeAlias

from clew.domain.issues import Issue
from clew.domain.records import Record

SystemRole: TypeAlias = Literal["", "dev", "qa", "prod"]
OrderMode: TypeAlias = Literal["off", "advise", "enforce"]
AuthKind: TypeAlias = Literal["bearer", "basic", "api_key", "oauth2"]


class Secret(Record, frozen=True, kw_only=True):
    """Where a secret is kept, never the secret itself: `env:NAME`, `keyring:SERVICE/USER` or `file:PATH`."""

    scheme: Literal["env", "keyring", "file"]
    name: str

    def __str__(self) -> str:
        """Gives the reference as written."""
        return f"{self.scheme}:{self.name}"


class Auth(Record, frozen=True, kw_only=True):
    """How to authenticate; fields that its `kind` does not use are empty.

    `bearer` uses `token`; `basic` uses `user` and `password`; `api_key` sends `token` in the header `header`; `oauth2`
    (client credentials) uses `user` as client id, `password` as client secret and `token_url`.
    """

    kind: AuthKind = "bearer"
    token: Secret | None = None
    user: Secret | None = None
    password: Secret | None = None
    header: str = ""
    token_url: str = ""
    line: int = 0


class System(Record, frozen=True, kw_only=True):
    """A system that services run on; `base_url` is the root that relative service URLs go on from."""

    id: str
    name: str = ""
    role: SystemRole = ""
    base_url: str = ""
    about: str = ""
    auth: Auth | None = None
    line: int = 0


class ServiceEntry(Record, frozen=True, kw_only=True):
    """A service: where its metadata is (`file` or `url`), and where it answers (`base_url`)."""

    id: str
    file: str = ""
    url: str = ""
    system: str = ""
    """Id of a system, or its name in words where the landscape lists no systems."""
    odata: str = ""
    """OData version as the landscape says it (`V2`, `V3`, `V4`); empty: as the metadata says."""
    base_url: str = ""
    about: str = ""
    auth: Auth | None = None
    annotations: tuple[str, ...] = ()
    """Files with annotation documents of this service."""
    line: int = 0


class ProcessEntry(Record, frozen=True, kw_only=True):
    """A process model."""

    id: str
    file: str
    name: str = ""
    line: int = 0


class BindingRow(Record, frozen=True, kw_only=True):
    """Which call performs an activity, or that it is done outside the systems (`unbound`).

    A bound row has a service, a method, and either `entity_set` or `operation`; `bound_to` names the entity set on
    whose instance an operation is called.
    """

    process: str
    activity: str
    """Id of the BPMN element."""
    activity_name: str = ""
    service: str = ""
    entity_set: str = ""
    operation: str = ""
    method: str = ""
    via: str = ""
    bound_to: str = ""
    unbound: bool = False
    values: tuple[tuple[str, str], ...] = ()
    """(property path, value) pairs that the activity fixes: the same endpoint books a receipt and an issue."""
    note: str = ""
    line: int = 0

    @property
    def target(self) -> str:
        """The entity set or operation as a person names it, empty for an unbound row."""
        return self.entity_set or self.operation


class Bindings(Record, frozen=True, kw_only=True):
    """The rows of one document in its order, with warnings and notes about it."""

    document: str
    rows: tuple[BindingRow, ...] = ()
    issues: tuple[Issue, ...] = ()


class CodeListColumns(Record, frozen=True, kw_only=True):
    """Which columns of a table (members of an object) hold what; empty: found by their usual names.

    `inputs` are (input name, column) pairs: a plant is allowed under its company code only.
    """

    code: str = ""
    text: str = ""
    valid_from: str = ""
    valid_to: str = ""
    inputs: tuple[tuple[str, str], ...] = ()


class CodeListUse(Record, frozen=True, kw_only=True):
    """Properties and parameters that a code list applies to.

    `property` is a name; without `service` it is meant in every service, without `type` (qualified, simple, or an
    entity set's name; an operation's for parameters) in every type.
    """

    property: str
    service: str = ""
    type: str = ""
    line: int = 0


class CodeListEntry(Record, frozen=True, kw_only=True):
    """A code-list file and what it applies to."""

    name: str
    file: str
    columns: CodeListColumns = CodeListColumns()
    applies_to: tuple[CodeListUse, ...] = ()
    line: int = 0


class WritePermission(Record, frozen=True, kw_only=True):
    """Writes that are switched on for one service: names of entity sets and operations, or `*` for all of them."""

    service: str
    operations: tuple[str, ...]
    line: int = 0


class LandscapeSettings(Record, frozen=True, kw_only=True):
    """How to search and what may happen; writes are off where `writes` does not enable them."""

    retrieval: str = ""
    """Name of a retrieval recipe; empty for the default one."""
    order: OrderMode = "enforce"
    writes: tuple[WritePermission, ...] = ()


class Landscape(Record, frozen=True, kw_only=True):
    """A whole landscape. `issues` are warnings and notes; an error would have refused it."""

    document: str
    name: str = ""
    about: str = ""
    files: str = ""
    """Folder that files are looked up in when they are not beside the landscape; below the landscape's own folder."""
    systems: tuple[System, ...] = ()
    services: tuple[ServiceEntry, ...] = ()
    processes: tuple[ProcessEntry, ...] = ()
    bindings: tuple[BindingRow, ...] = ()
    """Rows that stand in the landscape itself."""
    binding_files: tuple[str, ...] = ()
    codelists: tuple[CodeListEntry, ...] = ()
    annotations: tuple[str, ...] = ()
    """Files with annotation documents of services of the landscape."""
    documents: tuple[str, ...] = ()
    """Folders with documents."""
    policies: tuple[str, ...] = ()
    """Files with policies."""
    seeds: tuple[str, ...] = ()
    """Files with the entities that mock services begin with."""
    settings: LandscapeSettings = LandscapeSettings()
    issues: tuple[Issue, ...] = ()
