"""`clew tools`."""

from clew.interfaces.cli.door import Door, door_command
from clew.tools import SURFACE


@door_command("tools", summary="List the tools that agents get, with what their declaration costs in tokens.")
def tools_command(door: Door) -> int:
    """Lists the tools."""
    rows = [
        {
            "name": tool.name,
            "summary": tool.summary,
            "read_only": tool.read_only,
            "tokens": tool.tokens(),
            "input": tool.input_schema(),
        }
        for tool in SURFACE
    ]

    def text() -> None:
        door.table(
            ("tool", ">tokens", "", "does"),
            (
                (tool.name, str(tool.tokens()), "reads" if tool.read_only else "writes", tool.summary)
                for tool in SURFACE
            ),
        )
        door.say(f"{sum(tool.tokens() for tool in SURFACE)} tokens in all")

    door.show(rows, text)
    return 0
