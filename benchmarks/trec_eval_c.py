"""trec_eval itself, run from the C code that pytrec_eval embeds.

Run it with `python -m benchmarks.trec_eval_c [-q] -m MEASURE … QRELS RUN`. No package registry has trec_eval, but
pytrec_eval's extension has all of its functions except for the main one, which `trec_eval_main.c` supplies. It prints
what trec_eval 9.0 prints, so that outputs can be compared byte by byte.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

SOURCE = Path(__file__).with_name("trec_eval_main.c")


def available() -> bool:
    """Return whether pytrec_eval and a C compiler are installed."""
    return find_spec("pytrec_eval_ext") is not None and shutil.which("cc") is not None


def compile_main(folder: Path) -> Path:
    """Compile the main function as a shared library, optimised as pytrec_eval is."""
    library = folder / "trec_eval_main.so"
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-o", str(library), str(SOURCE)], check=True)
    return library


def main() -> None:
    """Parse the options of trec_eval that the benchmark uses, and run it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-q", action="store_true")
    parser.add_argument("-m", action="append", default=[])
    parser.add_argument("--library", type=Path, help="the compiled main function  [compiled now]")
    parser.add_argument("qrels")
    parser.add_argument("run")
    options = parser.parse_args()
    sys.setdlopenflags(os.RTLD_GLOBAL | os.RTLD_LAZY)
    __import__("pytrec_eval_ext")
    with tempfile.TemporaryDirectory() as folder:
        library = ctypes.CDLL(str(options.library or compile_main(Path(folder))))
    names = [ctypes.create_string_buffer(name.encode()) for name in options.m]
    pointers = (ctypes.c_char_p * len(names))(*(ctypes.cast(name, ctypes.c_char_p) for name in names))
    paths = (options.qrels.encode(), options.run.encode())
    sys.exit(library.trec_eval_main(int(options.q), len(names), pointers, *paths))


if __name__ == "__main__":
    main()
