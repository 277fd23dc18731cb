"""A tensor of torch as the matrix of `Vectors`: it stays on its device, and rows come to the host when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch


def is_tensor(values: object) -> bool:
    """Whether this is a tensor; torch is not imported to find out."""
    return type(values).__module__.partition(".")[0] == "torch"


class DeviceArray:
    """What `Vectors` needs of an array: its shape, its kind of number, and some rows of it as NumPy's."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor.detach()
        self.shape = tuple(tensor.shape)
        self.ndim = tensor.ndim

    def __len__(self) -> int:
        return int(self.shape[0])

    @property
    def kind(self) -> str:
        """The kind of number, as torch calls it."""
        return str(self.tensor.dtype).removeprefix("torch.")

    def __getitem__(self, which: slice | npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        import torch

        part = self.tensor[which if isinstance(which, slice) else torch.as_tensor(which, device=self.tensor.device)]
        host = part.cpu().contiguous()
        # NumPy has no bfloat16: the same bits, as whole numbers.
        if part.dtype == torch.bfloat16:
            return np.asarray(host.view(torch.int16).numpy().view(np.uint16))
        return np.asarray(host.numpy())
