"""Assignment: which mention goes into which slot, so that the sum of the scores is the greatest (Hungarian method)."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

Row = TypeVar("Row")
Column = TypeVar("Column")

_INFINITE = float("inf")


def assign(scores: Mapping[Row, Mapping[Column, float]]) -> dict[Row, Column]:
    """Gives the one-to-one assignment of rows to columns with the greatest sum; what has no score stays alone.

    The work grows with rows² × columns, both being few here.

    >>> assign({"a": {"x": 0.9, "y": 0.8}, "b": {"x": 0.85}})
    {'a': 'y', 'b': 'x'}
    """
    rows = list(scores)
    columns = list(dict.fromkeys(column for options in scores.values() for column in options))
    if not rows or not columns:
        return {}
    # A column of its own for each row, worth nothing, lets any row stay alone.
    cost = [
        [-scores[row].get(column, 0.0) for column in columns] + [0.0] * len(rows) for row in rows
    ]  # fmt: skip
    chosen = _hungarian(cost)
    return {
        row: columns[at]
        for row, at in zip(rows, chosen, strict=True)
        if at < len(columns) and columns[at] in scores[row]
    }


def _hungarian(cost: Sequence[Sequence[float]]) -> list[int]:
    """Gives the column of each row for the least total cost; there are at least as many columns as rows."""
    work = _Work(cost)
    for row in range(1, len(cost) + 1):
        work.place(row)
    return [at for _, at in sorted((owner, at - 1) for at, owner in enumerate(work.owner) if at and owner)]


class _Work:
    """The state of the method: prices of rows and columns, and which row owns a column (1-based, 0 is none)."""

    def __init__(self, cost: Sequence[Sequence[float]]) -> None:
        self.cost = cost
        self.columns = len(cost[0])
        self.row_price = [0.0] * (len(cost) + 1)
        self.column_price = [0.0] * (self.columns + 1)
        self.owner = [0] * (self.columns + 1)

    def place(self, row: int) -> None:
        """Gives a row a column, moving others along the cheapest way to a free one."""
        self.owner[0] = row
        column, way = 0, [0] * (self.columns + 1)
        least, used = [_INFINITE] * (self.columns + 1), [False] * (self.columns + 1)
        while True:
            used[column] = True
            column = self._nearest(column, least, used, way)
            if self.owner[column] == 0:
                break
        while column:
            self.owner[column] = self.owner[way[column]]
            column = way[column]

    def _nearest(self, column: int, least: list[float], used: list[bool], way: list[int]) -> int:
        """Gives the nearest column that was not looked at, with the prices moved so that it costs nothing."""
        row, following = self.owner[column], 0
        for at in range(1, self.columns + 1):
            if not used[at]:
                reduced = self.cost[row - 1][at - 1] - self.row_price[row] - self.column_price[at]
                if reduced < least[at]:
                    least[at], way[at] = reduced, column
                if not following or least[at] < least[following]:
                    following = at
        delta = least[following]
        for at in range(self.columns + 1):
            if used[at]:
                self.row_price[self.owner[at]] += delta
                self.column_price[at] -= delta
            else:
                least[at] -= delta
        return following
