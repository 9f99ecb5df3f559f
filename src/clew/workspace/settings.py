"""`LandscapeBook`: what the ingested landscapes say of seeds, order and writes, kept beside the graph."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from clew.domain.errors import MalformedText
from clew.domain.landscape import Landscape, OrderMode
from clew.domain.ports import Database, Transaction
from clew.domain.records import JsonObject
from clew.execution.permissions import Permission
from clew.sources.file_places import locate
from clew.sources.landscape import file_folders
from clew.workspace.mocks import merge_seeds

_LANDSCAPE = "landscape:"
_SEED = "seed:"


class LandscapeBook:
    """The landscapes of a workspace, by their documents."""

    def __init__(self, database: Database) -> None:
        """Reads nothing yet."""
        self._database = database

    def landscapes(self) -> list[Landscape]:
        """Gives the landscapes in the order of their documents."""
        return [msgspec.json.decode(text, type=Landscape) for text in self._values(_LANDSCAPE)]

    def seeds(self) -> dict[str, dict[str, list[JsonObject]]]:
        """Gives the entities that mock services begin with.

        Raises:
            MalformedText: a seed file is not JSON; it was kept by an older version.
        """
        return merge_seeds(self._values(_SEED))

    def permissions(self) -> tuple[Permission, ...]:
        """Gives the writes that the landscapes enable."""
        return tuple(
            Permission(service=permission.service, target=operation)
            for landscape in self.landscapes()
            for permission in landscape.settings.writes
            for operation in permission.operations
        )

    def order(self) -> OrderMode:
        """Gives how order is kept in new cases: the strictest that a landscape says, `enforce` without one."""
        modes = {landscape.settings.order for landscape in self.landscapes()}
        if not modes or "enforce" in modes:
            return "enforce"
        return "advise" if "advise" in modes else "off"

    def put(self, landscapes: Iterable[tuple[str, Landscape, tuple[str, ...]]]) -> None:
        """Keeps landscapes with the texts of their seed files, in place of what was kept of the same documents."""
        with self._database.write() as transaction:
            for document, landscape, seeds in landscapes:
                self._forget(transaction, document)
                text = msgspec.json.encode(landscape).decode()
                transaction.execute("put_setting", {"key": _LANDSCAPE + document, "value": text})
                for number, seed in enumerate(seeds):
                    transaction.execute("put_setting", {"key": f"{_SEED}{document}:{number}", "value": seed})

    def _forget(self, transaction: Transaction, document: str) -> None:
        for key, _ in transaction.all("list_settings"):
            if key == _LANDSCAPE + document or str(key).startswith(f"{_SEED}{document}:"):
                transaction.execute("delete_setting", {"key": key})

    def _values(self, prefix: str) -> list[str]:
        with self._database.read() as transaction:
            rows = transaction.all("list_settings")
        return [str(value) for key, value in rows if str(key).startswith(prefix)]


def seed_files(landscape: Landscape, *, folder: Path, root: Path | None) -> tuple[str, ...]:
    """Reads the seed files of a landscape and checks that they are seeds.

    Raises:
        MalformedText: one of them cannot be read, or is not JSON in UTF-8.
    """
    folders = file_folders(landscape, folder=folder, root=root)
    places = [place for name in landscape.seeds if (place := locate(name, folders)) is not None]
    texts = tuple(_read_seed(place) for place in places)
    merge_seeds(texts)
    return texts


def _read_seed(place: Path) -> str:
    try:
        return place.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise MalformedText("SEED_FILE", f"{place.name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise MalformedText("SEED_FILE", f"{place.name} is not UTF-8 from byte {error.start} on") from error
