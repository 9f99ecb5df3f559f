"""What a request wants: one thing, a goal, the parts of a thing, allowed values. Told by vectors, in any language."""

from collections.abc import Mapping, Sequence
from importlib.resources import files

import numpy as np

from clew.domain.ports import Embedder
from clew.domain.records import Record
from clew.index.arrays import Floats

_ROUNDS = 400
_STRIDE = 2.0
_SHRINK = 0.3
_GOALS = ("goal", "steps")


class Intent(Record, frozen=True, kw_only=True):
    """How likely (0-1) a request wants something brought to an end (`goal`), parts of a thing, or allowed values."""

    goal: float = 0.0
    parts: float = 0.0
    codes: float = 0.0


class IntentReader:
    """Tells what requests want by examples: multinomial logistic regression on their vectors.

    The examples are few and come from other fields of life; what carries them over is that the embedder puts requests
    of one kind near each other whatever they are about. With an embedder that cannot do that the answer is vague, and
    retrieval falls back to what it finds.
    """

    def __init__(self, embedder: Embedder) -> None:
        """Learns from the examples of the package."""
        examples = read_examples(files("clew.retrieval").joinpath("intents.txt").read_text(encoding="utf-8"))
        self._names = tuple(examples)
        texts = [text for listed in examples.values() for text in listed]
        vectors = np.asarray(embedder.embed(texts), dtype=np.float32)
        of_class = np.repeat(np.arange(len(examples)), [len(listed) for listed in examples.values()])
        self._weights, self._bias = _learn(vectors, of_class, len(examples))

    def read(self, vector: Floats) -> Intent:
        """Gives what the request with this vector wants."""
        scores = self._weights @ vector + self._bias
        share = np.exp(scores - scores.max())
        share /= share.sum()
        chance = dict(zip(self._names, share.tolist(), strict=True))
        goal = sum(chance[name] for name in _GOALS)
        # The regression is cautious, since it has few examples: shares are stretched around where classes part.
        return Intent(
            goal=_stretch(goal, middle=0.5, steepness=14.0),
            parts=_stretch(chance["parts"], middle=0.28, steepness=20.0),
            codes=_stretch(chance["codes"], middle=0.3, steepness=20.0),
        )


def read_examples(text: str) -> Mapping[str, Sequence[str]]:
    """Reads examples: a class in brackets on a line of its own, then its examples, one a line; `#` begins a remark."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            found.setdefault(name, []).append(line)
    return found


def _learn(vectors: Floats, of_class: np.ndarray, classes: int) -> tuple[Floats, Floats]:
    """Gives weights `(classes, dimensions)` and biases `(classes,)`; each class counts the same."""
    wanted = np.eye(classes, dtype=np.float32)[of_class]
    balance = (len(of_class) / (classes * np.bincount(of_class)))[of_class][:, None].astype(np.float32)
    weights = np.zeros((classes, vectors.shape[1]), dtype=np.float32)
    bias = np.zeros(classes, dtype=np.float32)
    for _ in range(_ROUNDS):
        scores = np.einsum("ij,kj->ik", vectors, weights) + bias
        share = np.exp(scores - scores.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        error = (share - wanted) * balance / len(of_class)
        weights -= _STRIDE * (np.einsum("ik,ij->kj", error, vectors) + _SHRINK * weights / len(of_class))
        bias -= _STRIDE * error.sum(axis=0)
    return weights, bias


def _stretch(share: float, *, middle: float, steepness: float) -> float:
    return float(1 / (1 + np.exp(-steepness * (share - middle))))
