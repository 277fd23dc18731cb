# Memory for the kernels. It is there, or a MemoryError is raised: no kernel asks the C library itself, and
# tests/kernels/test_allocation.py holds them to it. Inline, so each kernel has its own copy and none imports another.

from libc.stdint cimport PTRDIFF_MAX, int64_t
from libc.stdlib cimport calloc, realloc
from libc.string cimport memcpy


cdef inline int out_of_memory() except -1 nogil:
    with gil:
        raise MemoryError


cdef inline bint fits(int64_t count, size_t width) noexcept nogil:
    """Whether so many items are fewer bytes than a pointer can count."""
    return 0 <= count <= <int64_t>(PTRDIFF_MAX // width)


cdef inline int resize(void *place, int64_t count, size_t width) except -1 nogil:
    """Make room for `count` items where the pointer at `place` points to; those that are there stay.

    Where there is no memory, the pointer and what it points to are as before.
    """
    cdef void *block
    memcpy(&block, place, sizeof(block))  # the pointer at `place` has a type of its own: a cast would break aliasing
    if not fits(count, width):
        return out_of_memory()
    block = realloc(block, (count if count > 0 else 1) * width)
    if block == NULL:
        return out_of_memory()
    memcpy(place, &block, sizeof(block))
    return 0


cdef inline void *zeroed(int64_t count, size_t width) except NULL nogil:
    """A new block of `count` items, all zero."""
    cdef void *block = NULL
    if fits(count, width):
        block = calloc(count if count > 0 else 1, width)
    if block == NULL:
        out_of_memory()
    return block
