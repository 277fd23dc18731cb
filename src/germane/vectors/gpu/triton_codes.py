"""Pairs of 15-bit codes, two per GPU register: one instruction handles both.

As 16-bit floating-point numbers, such codes have the same order as integers. Triton's interpreter uses integers
instead. A branch here needs its `else`: Triton also compiles what follows a return.
"""

import os

import triton
import triton.language as tl

ON_DEVICE = tl.constexpr(os.environ.get("TRITON_INTERPRET") != "1")
"""Whether codes use GPU instructions, which the interpreter does not support."""


@triton.jit
def code(value, slope, shift):
    """Return the code of a product, in the last bits of a single-precision number: above 2^23 it has no fraction."""
    if ON_DEVICE:
        return tl.inline_asm_elementwise(
            "{ .reg .f32 part; fma.rn.sat.f32 part, $1, $2, $3; fma.rn.f32 $0, part, 0f46F7FE00, 0f4B000000; }",
            "=r,r,r,r", [value, slope, shift], dtype=tl.int32, is_pure=True, pack=1,
        )  # fmt: skip
    else:  # noqa: RET505
        part = tl.minimum(tl.maximum(value * slope + shift, 0.0), 1.0)
        return (part * 31743.0 + 8388608.0).to(tl.int32, bitcast=True)


@triton.jit
def two(first, second):
    """Pack two codes into one number."""
    if ON_DEVICE:
        return tl.inline_asm_elementwise(
            "prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r", [first, second], dtype=tl.int32, is_pure=True, pack=1
        )
    else:  # noqa: RET505
        return (first & 0xFFFF) | ((second & 0xFFFF) << 16)


@triton.jit
def larger(one, other):
    """Return the element-wise maximum of two pairs of codes."""
    if ON_DEVICE:
        return tl.inline_asm_elementwise(
            "max.u16x2 $0, $1, $2;", "=r,r,r", [one, other], dtype=tl.int32, is_pure=True, pack=1
        )
    else:  # noqa: RET505
        return two(tl.maximum(one & 0xFFFF, other & 0xFFFF), tl.maximum((one >> 16) & 0xFFFF, (other >> 16) & 0xFFFF))


@triton.jit
def closer(so_far, codes, minus_limit):
    """Return the distance of each code above a limit, if less than so far; codes below it wrap to large distances."""
    if ON_DEVICE:
        return tl.inline_asm_elementwise(
            "{ .reg .b32 far; add.u16x2 far, $2, $3; min.u16x2 $0, $1, far; }",
            "=r,r,r,r", [so_far, codes, minus_limit], dtype=tl.int32, is_pure=True, pack=1,
        )  # fmt: skip
    else:  # noqa: RET505
        first = tl.minimum(so_far & 0xFFFF, (codes + minus_limit) & 0xFFFF)
        second = tl.minimum((so_far >> 16) & 0xFFFF, ((codes >> 16) + (minus_limit >> 16)) & 0xFFFF)
        return two(first, second)


@triton.jit
def passed(codes, limit):
    """Return all bits set for each code of a pair that is above the limit."""
    if ON_DEVICE:
        return tl.inline_asm_elementwise(
            "set.gt.u32.f16x2 $0, $1, $2;", "=r,r,r", [codes, limit], dtype=tl.int32, is_pure=True, pack=1
        )
    else:  # noqa: RET505
        first = tl.where((codes & 0xFFFF) > (limit & 0xFFFF), 0xFFFF, 0)
        second = tl.where(((codes >> 16) & 0xFFFF) > ((limit >> 16) & 0xFFFF), 0xFFFF, 0)
        return two(first, second)


@triton.jit
def within(codes, limit):
    """Return all bits set for each code of a pair that is not above the limit."""
    if ON_DEVICE:
        return tl.inline_asm_elementwise(
            "set.le.u32.f16x2 $0, $1, $2;", "=r,r,r", [codes, limit], dtype=tl.int32, is_pure=True, pack=1
        )
    else:  # noqa: RET505
        return ~passed(codes, limit)


@triton.jit
def largest(codes, ROWS: tl.constexpr, PAIRS: tl.constexpr):
    """Return the largest code of each row."""
    width: tl.constexpr = PAIRS // 2
    if PAIRS > 4:
        first, second = tl.split(tl.permute(tl.reshape(codes, (ROWS, 2, width)), (0, 2, 1)))
        return largest(larger(first, second), ROWS, width)
    else:  # noqa: RET505
        return tl.maximum(tl.max(codes & 0xFFFF, 1), tl.max((codes >> 16) & 0xFFFF, 1))


@triton.jit
def four(codes):
    """Return the codes of four levels, each duplicated into a pair."""
    first, second = codes.to(tl.int32), (codes >> 32).to(tl.int32)
    return two(first, first), two(first >> 16, first >> 16), two(second, second), two(second >> 16, second >> 16)


@triton.jit
def folded(sums, ROWS: tl.constexpr, PAIRS: tl.constexpr):
    """Return the column sums held by one thread, four threads per row."""
    width: tl.constexpr = PAIRS // 2
    if PAIRS > 4:
        first, second = tl.split(tl.permute(tl.reshape(sums, (ROWS, 2, width)), (0, 2, 1)))
        return folded(first + second, ROWS, width)
    else:  # noqa: RET505
        return sums


@triton.jit
def num_passed(codes, limit, ROWS: tl.constexpr, PAIRS: tl.constexpr):
    """Return how many codes are above their row's limit, for each of the four threads of a row."""
    both = -folded(passed(codes, limit), ROWS, PAIRS)
    # The upper half holds second codes minus first ones; the lower half holds first ones.
    return (both >> 16) + 2 * (both & 0xFFFF)
