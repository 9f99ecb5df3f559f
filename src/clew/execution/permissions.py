"""`WritePermissions`: writes are off until somebody enables them, by service and operation."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from clew.domain.decisions import Decision, Effect, Reason
from clew.domain.ids import local_part, owner_of
from clew.domain.records import Record
from clew.domain.requests import CheckedRequest


class Permission(Record, frozen=True, kw_only=True):
    """Enables writes: `target` is a set's or an operation's simple name, `method` an HTTP method; `*` means any.

    Shell patterns are allowed in all three (`A_*`).
    """

    service: str
    target: str = "*"
    method: str = "*"

    def covers(self, request: CheckedRequest) -> bool:
        """Whether it enables the request."""
        return (
            fnmatchcase(owner_of(request.target), self.service)
            and fnmatchcase(simple_name(request.target), self.target)
            and fnmatchcase(request.request.method.upper(), self.method.upper())
        )


class WritePermissions:
    """A gate that permits reads, and those writes that are enabled; without any permission no write passes."""

    name = "permissions"

    def __init__(self, permissions: Iterable[Permission] = ()) -> None:
        """Keeps what is enabled."""
        self.permissions = tuple(permissions)

    def decide(self, request: CheckedRequest, *, principal: str, case: str = "") -> Decision:
        """Permits the request where it reads or is enabled, else denies it and says what would enable it."""
        del principal, case  # settings enable a write for everybody who may use the workspace
        if not request.writes:
            return Decision(effect=Effect.PERMIT, source=self.name)
        if any(permission.covers(request) for permission in self.permissions):
            return Decision(effect=Effect.PERMIT, source=self.name)
        service, name, method = owner_of(request.target), simple_name(request.target), request.request.method
        reason = Reason(
            code="WRITES_OFF",
            message=f"Writing is not enabled for {method} {name} of {service}",
            subject=request.target,
            remedy=f"Enable it in the settings: service {service}, target {name}, method {method}",
        )
        return Decision(effect=Effect.DENY, source=self.name, reasons=(reason,))


def simple_name(target: str) -> str:
    """Gives the simple name of an entity set or operation from its node id.

    >>> simple_name("odata:SRV#Ns.Close(Ns.Order)"), simple_name("odata:SRV/Orders")
    ('Close', 'Orders')
    """
    return local_part(target).partition("(")[0].rpartition(".")[2]
