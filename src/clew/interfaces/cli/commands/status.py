"""`clew status`."""

from clew.interfaces.cli.door import Door, door_command


@door_command("status", summary="Show what the workspace holds: the table of counts, the index, the model.")
def status_command(door: Door) -> int:
    """Prints the table of counts."""
    status = door.workspace().status()

    def text() -> None:
        door.say(f"workspace {status.folder}")
        door.say(f"graph     {status.version or 'empty'} from {status.documents} documents, {status.issues} issues")
        door.say(f"index     {status.index}" + (f", {status.model}" if status.model else ""))
        door.table(("what", ">count"), ((name, f"{count:,}") for name, count in status.counts))

    door.show(status, text)
    return 0
