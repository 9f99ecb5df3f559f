"""`clew doctor`."""

from clew.interfaces.cli.door import Door, door_command
from clew.workspace import examine


@door_command("doctor", summary="Say what is missing or damaged, and the command that mends it.")
def doctor_command(door: Door) -> int:
    """Prints the checks."""
    checks = examine(door.folder, principal=door.settings.principal)

    def text() -> None:
        door.table(("", "what", "found", "mend"), (("ok" if c.ok else "!!", c.name, c.found, c.remedy) for c in checks))

    door.show(checks, text)
    return 0 if all(check.ok for check in checks) else 1
