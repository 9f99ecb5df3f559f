"""What every embedder promises, held by the default model, the double, and the one that remembers."""

from collections.abc import Iterator

import numpy as np
import pytest

from clew.domain.ports import Embedder
from clew.llm import HashEmbedder, StoredEmbedder, UseEmbedder
from clew.storage import SqliteDatabase

TEXTS = ["purchase order", "Bestellung anlegen", "請求書", "a" * 3000, " ", "…"]


@pytest.fixture(scope="module", params=["use", "hash", "stored"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "use":
        yield UseEmbedder()
    elif request.param == "hash":
        yield HashEmbedder()
    else:
        database = SqliteDatabase(":memory:")
        yield StoredEmbedder(HashEmbedder(), database)
        database.close()


def test_gives_one_vector_of_length_1_a_text(embedder: Embedder) -> None:
    vectors = np.asarray(embedder.embed(TEXTS))
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)


def test_gives_nothing_for_nothing(embedder: Embedder) -> None:
    assert np.asarray(embedder.embed([])).shape == (0, embedder.dimensions)


def test_the_same_text_has_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    among = np.asarray(embedder.embed(TEXTS))[1]
    alone = np.asarray(embedder.embed([TEXTS[1]]))[0]
    assert float(among @ alone) > 0.999


def test_texts_that_say_the_same_are_nearer_than_texts_that_do_not(embedder: Embedder) -> None:
    asked, near, far = np.asarray(
        embedder.embed(["purchase order item", "item of a purchase order", "night shift calendar"])
    )
    assert float(asked @ near) > float(asked @ far)


def test_its_name_says_model_and_version(embedder: Embedder) -> None:
    assert "/" in embedder.name


def test_what_is_stored_is_not_embedded_again() -> None:
    class Counting(HashEmbedder):
        asked = 0

        def embed(self, texts):  # type: ignore[no-untyped-def]
            Counting.asked += len(texts)
            return super().embed(texts)

    database = SqliteDatabase(":memory:")
    inner = Counting()
    StoredEmbedder(inner, database).embed(["one", "two"])
    StoredEmbedder(inner, database).embed(["two", "three", "two"])
    database.close()
    assert Counting.asked == 3
