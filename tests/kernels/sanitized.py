"""Run a module on the kernels of `make sanitize`: `python -m tests.kernels.sanitized FOLDER pytest -q tests/kernels`.

They stand in a folder of their own, before those that are in use. An access out of bounds ends the process.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from germane import kernels

if __name__ == "__main__":
    folder, module, *arguments = sys.argv[1:]
    sanitized = (Path(folder) / "germane" / "kernels").resolve()
    kernels.__path__.insert(0, str(sanitized))
    for name in kernels._KERNELS:
        loaded = Path(kernels._load(name).__file__)
        if loaded.parent != sanitized:
            sys.exit(f"{name} comes from {loaded}: build it with `make sanitize`")
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
