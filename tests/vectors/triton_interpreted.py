"""Compares the Triton kernels, interpreted on the processor, with NumPy's ranks; prints how many cases agree."""

import numpy as np
import torch

from germane.vectors.counting import rank_pairs
from germane.vectors.gpu import on_torch
from germane.vectors.gpu import torch_counting as plain
from germane.vectors.gpu import triton_counting as kernels
from germane.vectors.gpu import triton_levels as levels
from germane.vectors.gpu import triton_tiles as tiles
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.similarity import similarity_called

SEEDS = range(8)
LISTED = [1, 1, 5, 40]
DIMENSIONS = [32, 24, 30]
"""Whole steps of the kernels, a step that is not whole, and rows that must be padded."""


def main() -> None:
    """Small tiles, little room, and the kernels in place of torch's operations."""
    kernels.COLUMNS, kernels.DEPTH = 32, 16
    levels.ROWS, levels.COLUMNS, levels.DEPTH = 16, 32, 16
    levels.SOME_DOCS, tiles.PRODUCTS, tiles.WORDS = 32, 64 * 32, 8
    kernels.SEARCHED, kernels.SEARCHES, kernels.DOCS, kernels.GROUP = 64, 2, 64, 2
    plain.__dict__["best"] = lambda function, where: kernels.pair_sums if function is plain.pair_sums else function
    plain.__dict__["multiply"] = lambda queries, docs: queries.float() @ docs.float().T  # out_dtype is a GPU's
    on_torch.__dict__["_counter"] = lambda block, most, multiplied: kernels.count
    on_torch.__dict__["_precision"] = lambda queries, docs, similarity, most, device: (torch.float16, 2.0**-24, False)
    same = [agree(seed, similarity) for seed in SEEDS for similarity in ("dot", "cosine", "euclidean")]
    print(f"{len(same)} cases, {sum(same)} the same")  # noqa: T201


def agree(seed: int, similarity: str) -> bool:
    """Whether both find the same in vectors of which many are equal."""
    random = np.random.default_rng(seed)
    listed, num_docs = LISTED[seed % 4], int(random.integers(50, 300))
    num_docs = (num_docs // 32 + 1) * 32 if seed % 2 else num_docs  # whole tiles, or some documents more
    kernels.CROWDED = -1.0 if seed % 4 == 2 else 0.25
    levels.MOST_LEVELS = 4 if seed == 3 else 64
    tiles.ROOM = 8 if seed % 4 == 3 else 1 << 16
    kernels.TILES = ((16, 0), (16, 16)) if seed % 2 else ((32, 0),)

    def vectors(num: int) -> Vectors:
        coarse = np.round(random.standard_normal((num, DIMENSIONS[seed % 3])) * 2) / 2
        coarse[:, 0] += 0.5 if (coarse[:, 0] != -0.5).all() else 0.125
        return Vectors.of(coarse.astype(np.float16))

    queries, docs = vectors(20), vectors(num_docs)
    doc = np.concatenate([random.permutation(num_docs)[:listed] for _ in range(20)])
    pairs = Pairs.of(np.repeat(np.arange(20), listed), doc)
    how = similarity_called(similarity)
    expected, found = (rank_pairs(queries, docs, pairs, how, device=device) for device in ("cpu", "torch"))
    return all(
        np.array_equal(getattr(expected, name), getattr(found, name))
        for name in ("score", "rank", "first", "last", "order")
    )


if __name__ == "__main__":
    main()
