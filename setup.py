"""Compile the kernels: each `src/germane/kernels/_NAME.py` becomes an extension module of the same dotted name.

Everything else about the package is in pyproject.toml. An install never fails for want of a compiler or of Cython: the
plain reference implementations beside the kernels take over. `GERMANE_KERNELS=required` makes such a failure an error,
for wheels that are to be published.
"""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

REQUIRED = os.environ.get("GERMANE_KERNELS") == "required"
SANITIZED = os.environ.get("GERMANE_KERNELS") == "sanitized"
"""A build for `make sanitize`: it ends with a report at the first access out of bounds or undefined behaviour."""

# -ffp-contract=off and /fp:precise: a fused multiply-add rounds once instead of twice, and numbers would differ
# between machines. No -march=native: a wheel must run on every machine of its platform.
GCC_LIKE_FLAGS = ["-O3", "-ffp-contract=off"]
MSVC_FLAGS = ["/O2", "/fp:precise"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g"]

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": SANITIZED,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}


def kernel_extensions() -> list[Extension]:
    """One extension per kernel source."""
    sources = sorted(Path("src/germane/kernels").glob("_[!_]*.py"))
    optional = not (REQUIRED or SANITIZED)
    return [Extension(f"germane.kernels.{path.stem}", [path.as_posix()], optional=optional) for path in sources]


def translate_to_c(name: str, source: str, folder: str) -> list[str]:
    """Translate one kernel from Python to C below `folder`; a CompileError says why that was not possible."""
    try:
        from Cython.Build import cythonize
        from Cython.Compiler.Options import get_directive_defaults
    except ImportError as problem:
        raise CompileError(f"Cython is not installed ({problem})") from problem
    directives = dict(DIRECTIVES)
    if "freethreading_compatible" in get_directive_defaults():
        directives["freethreading_compatible"] = True
    try:
        # force: Cython compares times only, and would keep C code that an older Cython wrote.
        [translated] = cythonize(
            [Extension(name, [source])], build_dir=folder, compiler_directives=directives, force=True, quiet=True
        )
    except Exception as problem:  # whatever goes wrong inside Cython, the references are there
        raise CompileError(f"Cython could not translate {source} ({problem})") from problem
    return list(translated.sources)


class BuildKernels(build_ext):
    """`build_ext` for sources in Cython's pure Python mode, which says once and clearly what could not be built."""

    def build_extension(self, ext: Extension) -> None:
        """Translate and compile; where the extension is optional, setuptools turns a CompileError into a warning."""
        msvc = self.compiler.compiler_type == "msvc"
        ext.extra_compile_args = MSVC_FLAGS if msvc else GCC_LIKE_FLAGS
        if SANITIZED:
            ext.extra_compile_args = [*GCC_LIKE_FLAGS, "-O1", *SANITIZERS]
            ext.extra_link_args = SANITIZERS
        ext.sources = translate_to_c(ext.name, ext.sources[0], self.build_temp)
        super().build_extension(ext)

    def run(self) -> None:
        """Build all kernels, then report the missing ones."""
        super().run()
        missing = [ext.name for ext in self.extensions if not Path(self.get_ext_fullpath(ext.name)).exists()]
        if missing:
            print(
                f"WARNING: germane is installed without compiled kernels ({', '.join(missing)}): there was no working "
                "C compiler or no Cython, see above. Results are the same, computed more slowly by the plain reference "
                "implementations.",
                file=sys.stderr,
            )


setup(ext_modules=kernel_extensions(), cmdclass={"build_ext": BuildKernels})
