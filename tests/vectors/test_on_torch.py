"""Counting with torch: the same ranks as a full sort of all scores, on every device that is there."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from germane.errors import GermaneError, InputError
from germane.vectors.counting import rank_pairs
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.similarity import Similarity, similarity_called
from tests.vectors.made_vectors import COMBINATIONS, by_full_sort, differences, make_case, single

torch = pytest.importorskip("torch", reason="counting with torch needs torch: pip install torch")

DEVICES = ["torch", *(["cuda"] if torch.cuda.is_available() else [])]
on_every_device = pytest.mark.parametrize("device", DEVICES)
every_kind = pytest.mark.parametrize(
    ("kind", "similarity"), COMBINATIONS, ids=[f"{kind} {how.name}" for kind, how in COMBINATIONS]
)


@on_every_device
@every_kind
def test_counting_is_a_full_sort(device: str, kind: str, similarity: Similarity) -> None:
    for seed in range(12):
        case = make_case(np.random.default_rng(seed), kind, similarity, ties="docno" if seed % 2 else "order")
        found = rank_pairs(*case[:3], similarity, excluded=case.excluded, ties=case.ties, device=device)
        assert differences(found, by_full_sort(case)) == [], seed


@on_every_device
def test_blocks_and_parts_of_blocks(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("germane.vectors.gpu.on_torch.MOST_DOCS", 7)
    monkeypatch.setattr("germane.vectors.gpu.on_torch.PAIRS_AT_ONCE", 3)
    monkeypatch.setattr("germane.vectors.gpu.torch_counting.PRODUCTS_AT_ONCE", 11)
    monkeypatch.setattr("germane.vectors.gpu.torch_counting.PAIRS_AT_ONCE", 5)
    done: list[tuple[int, int]] = []
    for seed in range(12):
        case = make_case(np.random.default_rng(seed), "float32", similarity_called("cosine"), ties="docno")
        found = rank_pairs(
            *case[:3],
            case.similarity,
            excluded=case.excluded,
            device=device,
            progress=lambda *so_far: done.append(so_far),
        )
        assert differences(found, by_full_sort(case)) == [], seed
    assert done[-1][0] == done[-1][1]


@on_every_device
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int8"])
def test_tensors_stay_where_they_are(device: str, dtype: str) -> None:
    random = torch.Generator().manual_seed(0)
    values = (torch.randn(60, 16, generator=random) * 3).to(getattr(torch, dtype))
    queries, docs = Vectors.of(values[:10]), Vectors.of(values[10:].to("cuda" if device == "cuda" else "cpu"))
    pairs = Pairs.of(np.arange(10), np.arange(10) * 3)
    for name in ("dot", "euclidean"):
        found = rank_pairs(queries, docs, pairs, similarity_called(name), device=device)
        on_host = rank_pairs(queries, docs, pairs, similarity_called(name))
        assert differences(found, on_host) == []


@on_every_device
@pytest.mark.parametrize("listed", [1, 3, 40])
@pytest.mark.parametrize("similarity", ["dot", "cosine", "euclidean"])
def test_documents_that_fill_tiles(device: str, similarity: str, listed: int) -> None:
    """Several tiles of a GPU's kernels and a part of one; many scores are equal, and most documents near a threshold
    only by rounding."""
    random = np.random.default_rng(listed)
    for fineness in (2, 1024):
        coarse = [np.round(random.standard_normal((num, 64)) * fineness) / fineness for num in (150, 700)]
        queries, docs = (Vectors.of((each + 2.0**-9).astype(np.float16)) for each in coarse)
        doc = np.concatenate([random.permutation(700)[:listed] for _ in range(150)])
        pairs = Pairs.of(np.repeat(np.arange(150), listed), doc)
        how = similarity_called(similarity)
        found, expected = (rank_pairs(queries, docs, pairs, how, device=each) for each in (device, "cpu"))
        assert differences(found, expected) == [], fineness


@on_every_device
def test_what_is_not_finite_is_refused(device: str) -> None:
    pair = Pairs.of([0], [0])
    for bad in (np.nan, np.inf):
        queries, docs = Vectors.of(single([[1, 2]])), Vectors.of(single([[1, 2], [bad, 0]]))
        with pytest.raises(InputError, match="in vector '1'"):
            rank_pairs(queries, docs, pair, similarity_called("dot"), device=device)
        with pytest.raises(InputError, match="in vector '1'"):
            rank_pairs(docs, queries, pair, similarity_called("cosine"), device=device)
    zeros = Vectors.of(single([[1, 2], [0, 0]]))
    with pytest.raises(InputError, match="only zeros in vector '1'"):
        rank_pairs(Vectors.of(single([[1, 2]])), zeros, pair, similarity_called("cosine"), device=device)


def test_a_device_that_is_not_there() -> None:
    one, pair = Vectors.of(single([[1.0]])), Pairs.of([0], [0])
    with pytest.raises(GermaneError, match="expected a device"):
        rank_pairs(one, one, pair, similarity_called("dot"), device="toaster")
    if not torch.cuda.is_available():
        with pytest.raises(GermaneError, match="torch found no GPU"):
            rank_pairs(one, one, pair, similarity_called("dot"), device="cuda")


@pytest.mark.slow
def test_the_kernels_of_a_gpu_count_as_torch_does() -> None:
    """Triton decides at its import whether it compiles or interprets: hence a process of its own."""
    pytest.importorskip("triton", reason="the kernels of a GPU need Triton: pip install triton")
    script = Path(__file__).with_name("triton_interpreted.py")
    environment = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "24 cases, 24 the same\n", done.stderr
