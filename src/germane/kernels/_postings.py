"""The best documents of a query, from the postings of an inverted index. Compiled by Cython (pure mode).

Documents are taken in blocks whose sums a cache holds. Once k documents are known, a document must beat the k-th of
them. Terms come in the order given, and what the last ones can add at most is known from their largest frequency and
shortest document. As soon as that is less than the k-th score, documents without an earlier term cannot be ranked, and
the last terms are only looked up for documents that the earlier ones brought near enough. So a query whose strongest
terms come first is the fastest. Each score is the same sum in the same order whichever way it was reached.
"""

import cython
import numpy as np
from cython.cimports.germane.kernels.memory import resize
from cython.cimports.libc.math import INFINITY, NAN, fabs, isnan, log, log2, nextafter, signbit, sqrt
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint16_t, uint64_t
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memcpy, memset

from germane.kernels.reference_postings import TWIN_TERMS, PostingsError, Rankings, require_fitting, require_twin

COMPILED = cython.compiled

BLOCK = cython.declare(int64_t, 2048)
WIDE_BLOCK = cython.declare(int64_t, 16384)
SAMPLE = cython.declare(int64_t, 8192)
MEMO = cython.declare(int64_t, 16384)
CHUNK = cython.declare(int64_t, 256)
RATIONAL = cython.declare(cython.int, 0)
LOGARITHM = cython.declare(cython.int, 1)
POISSON = cython.declare(cython.int, 2)
GIVEN = cython.declare(cython.int, 3)
# Beyond the four that have a name: tf / (tf + (a + b * length)), which is most of what is asked.
SATURATION = cython.declare(cython.int, 4)
LOG2_E = cython.declare(cython.double, 1.4426950408889634)
TWO_PI = cython.declare(cython.double, 6.283185307179586)
LONGEST = cython.declare(cython.double, 2147483647.0)

SIGN = cython.declare(uint64_t, 1 << 63)  # and the bits of the negative zero
# Times a power of two, its first six bits are different for each: so a lone bit tells its place.
DE_BRUIJN = cython.declare(uint64_t, 0x03F79D71B4CB0A89)
LOWEST_BIT = cython.declare(cython.uchar[64])
for _bit in range(64):
    LOWEST_BIT[(0x03F79D71B4CB0A89 << _bit & (1 << 64) - 1) >> 58] = _bit

TF_KINDS = {"|u1": 0, "<u2": 1, "<i4": 2}

Segment = cython.struct(
    doc=cython.pointer[cython.const[int32_t]],
    tf=cython.pointer[cython.const[uint8_t]],
    tf_kind=cython.int,
    length=cython.pointer[cython.const[int32_t]],
    deleted=cython.pointer[cython.const[uint8_t]],
    num_docs=int64_t,
)
Term = cython.struct(
    at=int64_t,
    end=int64_t,
    begin=int64_t,
    number=int64_t,
    curve=cython.int,
    weight=cython.double,
    parameters=cython.pointer[cython.const[cython.double]],
    given=cython.pointer[cython.const[cython.double]],
    added_from=int64_t,
    added_to=int64_t,
    density=cython.double,
    rest=cython.double,
)
Final = cython.struct(
    scale=cython.pointer[cython.const[cython.double]],
    offset=cython.pointer[cython.const[cython.double]],
    times=cython.double,
)
Hit = cython.struct(score=cython.double, doc=int32_t)
Room = cython.struct(
    total=cython.pointer[cython.double],
    values=cython.pointer[cython.double],
    frequencies=cython.pointer[cython.double],
    lengths=cython.pointer[int32_t],
    candidates=cython.pointer[int32_t],
    bits=cython.pointer[uint64_t],
    hits=cython.pointer[Hit],
    memo_keys=cython.pointer[uint64_t],
    memo_values=cython.pointer[cython.double],
)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def frequency(segment: cython.pointer[Segment], i: int64_t) -> cython.double:
    if segment.tf_kind == 0:
        return segment.tf[i]
    if segment.tf_kind == 1:
        return cython.cast(cython.pointer[cython.const[uint16_t]], segment.tf)[i]
    return cython.cast(cython.pointer[cython.const[int32_t]], segment.tf)[i]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def curve_at(
    curve: cython.int, p: cython.pointer[cython.const[cython.double]], tf: cython.double, length: cython.double
) -> cython.double:
    tfn: cython.double
    stirling: cython.double
    if curve == SATURATION:
        return tf / (tf + (p[5] + p[6] * length))
    if curve == RATIONAL:
        return p[0] + (p[1] * tf + (p[2] + p[3] * length)) / (p[4] * tf + (p[5] + p[6] * length))
    if curve == LOGARITHM:
        return p[0] + log(p[1] + p[2] * tf / (length if p[3] != 0.0 else 1.0))
    tfn = tf * log2(1.0 + p[1] / length)
    stirling = (p[0] + 1.0 / (12.0 * tfn) - tfn) * LOG2_E + 0.5 * log2(TWO_PI * tfn)
    return 1.0 / (tfn + 1.0) * (tfn * log2(tfn / p[0]) + stirling)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def contribution(segment: cython.pointer[Segment], term: cython.pointer[Term], i: int64_t) -> cython.double:
    """What posting i adds. Adding 0 makes one zero of the two: the other one marks documents that hold no term."""
    value: cython.double
    if term.curve == GIVEN:
        value = term.given[i - term.begin]
    else:
        value = curve_at(term.curve, term.parameters, frequency(segment, i), segment.length[segment.doc[i]])
    return term.weight * value + 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def remembered(
    term: cython.pointer[Term], tf: cython.double, length: int32_t, room: cython.pointer[Room]
) -> cython.double:
    """A curve of logarithms, which take long: most documents share frequency and length with one that was met."""
    key: uint64_t
    place: uint64_t
    if tf >= 65536.0 or term.number >= 65536:
        return curve_at(term.curve, term.parameters, tf, length)
    if term.curve == LOGARITHM and term.parameters[3] == 0.0:
        length = 1
    key = cython.cast(uint64_t, term.number) << 48
    key += (cython.cast(uint64_t, tf) << 32) + cython.cast(uint64_t, length)
    place = (key * DE_BRUIJN >> 40) & cython.cast(uint64_t, MEMO - 1)
    if room.memo_keys[place] != key:
        room.memo_keys[place] = key
        room.memo_values[place] = curve_at(term.curve, term.parameters, tf, length)
    return room.memo_values[place]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def at_or_after(
    doc: cython.pointer[cython.const[int32_t]], begin: int64_t, end: int64_t, target: int64_t, density: cython.double
) -> int64_t:
    """The first posting from `begin` on whose document is not before `target`, looked for where it should be."""
    low: int64_t
    high: int64_t
    middle: int64_t
    step: int64_t = 4
    if begin >= end or doc[begin] >= target:
        return begin
    # doc[low] < target <= doc[high] from here on, where the end counts as the last of all documents.
    low = begin
    high = begin + cython.cast(int64_t, (target - doc[begin]) * density)
    if high >= end:
        high = end - 1
    if doc[high] < target:
        low = high
        high = low + step
        while high < end and doc[high] < target:
            low = high
            step *= 2
            high = low + step
        high = high if high < end else end
    else:
        while high - step > low and doc[high - step] >= target:
            high -= step
            step *= 2
        low = high - step if high - step > low else low
    while high - low > 1:
        middle = (low + high) >> 1
        if doc[middle] < target:
            low = middle
        else:
            high = middle
    return high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_postings(
    segment: cython.pointer[Segment],
    term: cython.pointer[Term],
    begin: int64_t,
    end: int64_t,
    base: int64_t,
    room: cython.pointer[Room],
) -> cython.void:
    """Add the contributions of postings to the sums of their documents, a chunk at a time."""
    doc: cython.pointer[cython.const[int32_t]]
    small: cython.pointer[cython.const[uint8_t]]
    medium: cython.pointer[cython.const[uint16_t]]
    large: cython.pointer[cython.const[int32_t]]
    values: cython.pointer[cython.double] = room.values
    tf: cython.pointer[cython.double] = room.frequencies
    lengths: cython.pointer[int32_t] = room.lengths
    total: cython.pointer[cython.double] = room.total - base
    length_of: cython.pointer[cython.const[int32_t]] = segment.length
    weight: cython.double = term.weight
    a: cython.double = term.parameters[5]
    b: cython.double = term.parameters[6]
    i: int64_t
    n: int64_t
    while begin < end:
        n = end - begin if end - begin < CHUNK else CHUNK
        doc = segment.doc + begin
        if term.curve == GIVEN:
            for i in range(n):
                values[i] = weight * term.given[begin - term.begin + i] + 0.0
        else:
            if segment.tf_kind == 0:
                small = segment.tf + begin
                for i in range(n):
                    tf[i] = small[i]
            elif segment.tf_kind == 1:
                medium = cython.cast(cython.pointer[cython.const[uint16_t]], segment.tf) + begin
                for i in range(n):
                    tf[i] = medium[i]
            else:
                large = cython.cast(cython.pointer[cython.const[int32_t]], segment.tf) + begin
                for i in range(n):
                    tf[i] = large[i]
            for i in range(n):
                lengths[i] = length_of[doc[i]]
            if term.curve == SATURATION:
                for i in range(n):
                    values[i] = weight * (tf[i] / (tf[i] + (a + b * lengths[i]))) + 0.0
            elif term.curve == RATIONAL:
                for i in range(n):
                    values[i] = weight * curve_at(RATIONAL, term.parameters, tf[i], lengths[i]) + 0.0
            else:
                for i in range(n):
                    values[i] = weight * remembered(term, tf[i], lengths[i], room) + 0.0
        for i in range(n):
            total[doc[i]] += values[i]
        begin += n


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def goes_before(a: Hit, b: Hit) -> cython.bint:
    return a.score > b.score or (a.score == b.score and a.doc < b.doc)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def part(hits: cython.pointer[Hit], low: int64_t, high: int64_t) -> int64_t:
    """Put hits from low to high around one of them, which stands at the place returned; best first."""
    middle: int64_t = (low + high) >> 1
    pivot: Hit
    other: Hit
    i: int64_t = low
    j: int64_t = high
    # The median of three comes last but one.
    if goes_before(hits[middle], hits[low]):
        other = hits[middle]
        hits[middle] = hits[low]
        hits[low] = other
    if goes_before(hits[high], hits[low]):
        other = hits[high]
        hits[high] = hits[low]
        hits[low] = other
    if goes_before(hits[high], hits[middle]):
        other = hits[high]
        hits[high] = hits[middle]
        hits[middle] = other
    if high - low < 3:
        return middle
    pivot = hits[middle]
    hits[middle] = hits[high - 1]
    hits[high - 1] = pivot
    j = high - 1
    while True:
        i += 1
        while goes_before(hits[i], pivot):
            i += 1
        j -= 1
        while goes_before(pivot, hits[j]):
            j -= 1
        if i >= j:
            break
        other = hits[i]
        hits[i] = hits[j]
        hits[j] = other
    hits[high - 1] = hits[i]
    hits[i] = pivot
    return i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def select_best(hits: cython.pointer[Hit], n: int64_t, k: int64_t) -> cython.void:
    """Put the k best of n hits first, the k-th of them at its place (0 < k <= n)."""
    low: int64_t = 0
    high: int64_t = n - 1
    middle: int64_t
    while low < high:
        middle = part(hits, low, high)
        if middle == k - 1:
            return
        if middle < k - 1:
            low = middle + 1
        else:
            high = middle - 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_hits(hits: cython.pointer[Hit], low: int64_t, high: int64_t) -> cython.void:
    middle: int64_t
    i: int64_t
    j: int64_t
    hit: Hit
    while high - low > 12:
        middle = part(hits, low, high)
        # The smaller side first, so that the depth stays logarithmic.
        if middle - low < high - middle:
            sort_hits(hits, low, middle - 1)
            low = middle + 1
        else:
            sort_hits(hits, middle + 1, high)
            high = middle - 1
    for i in range(low + 1, high + 1):
        hit = hits[i]
        j = i
        while j > low and goes_before(hit, hits[j - 1]):
            hits[j] = hits[j - 1]
            j -= 1
        hits[j] = hit


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bound_terms(
    terms: cython.pointer[Term],
    n: int64_t,
    max_tf: cython.pointer[cython.const[int32_t]],
    min_length: cython.pointer[cython.const[int32_t]],
    rows: cython.pointer[cython.const[int64_t]],
) -> cython.void:
    """Set for each term what it and those after it can add at most: `rest`; infinity where that is not known.

    A quotient of linear functions whose denominator is positive, and a logarithm of tf and 1/length, are highest and
    lowest at a corner of the region of (tf, length). The margin covers the rounding of every value and sum.
    """
    i: int64_t
    corner: cython.int
    p: cython.pointer[cython.const[cython.double]]
    tf: cython.double
    length: cython.double
    value: cython.double
    highest: cython.double
    size: cython.double
    largest: cython.double = 0.0
    rest: cython.double = 0.0
    for i in range(n - 1, -1, -1):
        p = terms[i].parameters
        highest = 0.0
        if terms[i].curve == LOGARITHM:
            highest = 0.0 if p[1] >= 0.0 and p[2] >= 0.0 else INFINITY
        elif terms[i].curve == POISSON or terms[i].curve == GIVEN:
            highest = INFINITY
        else:
            highest = 0.0 if p[4] >= 0.0 and p[5] >= 0.0 and p[6] >= 0.0 else INFINITY
        for corner in range(4):
            if highest == INFINITY:
                break
            tf = max_tf[rows[i]] if corner & 1 else 1
            length = min_length[rows[i]] if corner & 2 else LONGEST
            value = terms[i].weight * curve_at(terms[i].curve, p, tf, length)
            if terms[i].curve == LOGARITHM:
                size = fabs(terms[i].weight) * (1.0 + 2.0 * fabs(p[0])) + fabs(value)
            else:
                size = (fabs(p[1]) * tf + fabs(p[2]) + fabs(p[3]) * length) / (p[4] * tf + (p[5] + p[6] * length))
                size = fabs(terms[i].weight) * (fabs(p[0]) + size)
            if not fabs(value) + size < INFINITY:
                highest = INFINITY
            else:
                highest = value if value > highest else highest
                largest = size if size > largest else largest
        rest += highest
        terms[i].rest = rest
    for i in range(n):
        terms[i].rest += largest * n * (n + 8) * 1e-15


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def finished(total: cython.double, d: int64_t, final: cython.pointer[Final]) -> cython.double:
    if final.scale != cython.NULL:
        total = final.scale[d] * total
    if final.offset != cython.NULL:
        total = total + final.times * final.offset[d]
    return total + 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_block(
    segment: cython.pointer[Segment],
    term: cython.pointer[Term],
    base: int64_t,
    top: int64_t,
    room: cython.pointer[Room],
) -> cython.void:
    """Add what a term gives to the documents from base to before top."""
    term.added_from = at_or_after(segment.doc, term.at, term.end, base, term.density)
    term.added_to = at_or_after(segment.doc, term.added_from, term.end, top, term.density)
    term.at = term.added_to
    add_postings(segment, term, term.added_from, term.added_to, base, room)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def finish_all(
    room: cython.pointer[Room], base: int64_t, num_docs: int64_t, final: cython.pointer[Final]
) -> cython.void:
    """Make scores of all sums of a block, and the lowest of all scores of those without any term."""
    total: cython.pointer[cython.double] = room.total
    absent = cython.declare(cython.double[2])
    bits: uint64_t = 0
    i: int64_t
    # What is added is picked by a bit, not by a branch: which documents hold a term is anybody's guess.
    absent[0] = 0.0
    absent[1] = -INFINITY
    for i in range(num_docs):
        memcpy(cython.address(bits), total + i, 8)
        total[i] = finished(total[i], base + i, final) + absent[bits == SIGN]
    for i in range(num_docs, (num_docs + 15) & ~15):
        total[i] = -INFINITY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def candidates_of_all(room: cython.pointer[Room], num_docs: int64_t, bar: cython.double) -> int64_t:
    """List the documents of a block whose sum is above the bar; if that is NaN, all that hold a term."""
    total: cython.pointer[cython.double] = room.total
    candidates: cython.pointer[int32_t] = room.candidates
    n: int64_t = 0
    g: int64_t
    i: int64_t
    m0: cython.double
    m1: cython.double
    if isnan(bar):
        for i in range(num_docs):
            candidates[n] = cython.cast(int32_t, i)
            n += total[i] != 0.0 or not signbit(total[i])
        return n
    for g in range(0, num_docs, 16):
        m0 = total[g]
        m1 = total[g + 1]
        for i in range(g + 2, g + 16, 2):
            m0 = total[i] if total[i] > m0 else m0
            m1 = total[i + 1] if total[i + 1] > m1 else m1
        if m0 > bar or m1 > bar:
            for i in range(g, g + 16):
                candidates[n] = cython.cast(int32_t, i)
                n += total[i] > bar
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def candidates_of_terms(
    segment: cython.pointer[Segment],
    terms: cython.pointer[Term],
    n: int64_t,
    base: int64_t,
    num_docs: int64_t,
    bar: cython.double,
    room: cython.pointer[Room],
) -> int64_t:
    """The same, where few documents of the block hold one of the n terms that were added."""
    total: cython.pointer[cython.double] = room.total
    bits: cython.pointer[uint64_t] = room.bits
    candidates: cython.pointer[int32_t] = room.candidates
    doc: cython.pointer[cython.const[int32_t]] = segment.doc
    word: uint64_t
    found: int64_t = 0
    d: int64_t
    i: int64_t
    j: int64_t
    for j in range(n):
        for i in range(terms[j].added_from, terms[j].added_to):
            d = doc[i] - base
            bits[d >> 6] |= cython.cast(uint64_t, not total[d] <= bar) << (d & 63)
    for i in range((num_docs + 63) >> 6):
        word = bits[i]
        bits[i] = 0
        while word != 0:
            candidates[found] = cython.cast(int32_t, (i << 6) + LOWEST_BIT[((word & (0 - word)) * DE_BRUIJN) >> 58])
            found += 1
            word &= word - 1
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def clear(
    segment: cython.pointer[Segment], terms: cython.pointer[Term], n: int64_t, base: int64_t, room: cython.pointer[Room]
) -> cython.void:
    """Forget the sums that n terms were added to."""
    total: cython.pointer[cython.double] = room.total - base
    doc: cython.pointer[cython.const[int32_t]] = segment.doc
    i: int64_t
    j: int64_t
    for j in range(n):
        for i in range(terms[j].added_from, terms[j].added_to):
            total[doc[i]] = -0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def look_up(
    segment: cython.pointer[Segment],
    term: cython.pointer[Term],
    base: int64_t,
    num_candidates: int64_t,
    room: cython.pointer[Room],
) -> cython.void:
    """Add what a term gives to the candidates alone."""
    d: int64_t
    i: int64_t
    for i in range(num_candidates):
        d = base + room.candidates[i]
        term.at = at_or_after(segment.doc, term.at, term.end, d, term.density)
        if term.at == term.end:
            break
        if segment.doc[term.at] == d:
            room.total[d - base] += contribution(segment, term, term.at)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scan_documents(
    segment: cython.pointer[Segment],
    terms: cython.pointer[Term],
    n: int64_t,
    k: int64_t,
    threshold: cython.double,
    stride: int64_t,
    final: cython.pointer[Final],
    room: cython.pointer[Room],
) -> int64_t:
    """Leave the k best documents whose score is above the threshold in `room.hits`; returns how many there are.

    No score is below NaN. `stride` is 1, or takes one block of many as a sample.
    """
    total: cython.pointer[cython.double] = room.total
    candidates: cython.pointer[int32_t] = room.candidates
    hits: cython.pointer[Hit] = room.hits
    capacity: int64_t = k + k // 2 + 16
    num_hits: int64_t = 0
    num_candidates: int64_t
    kept: int64_t
    base: int64_t = 0
    top: int64_t
    essential: int64_t = n
    i: int64_t
    j: int64_t
    d: int64_t
    bar: cython.double
    score: cython.double
    density: cython.double
    is_sparse: cython.bint
    is_finished: cython.bint
    final_is_sum: cython.bint = final.scale == cython.NULL and final.offset == cython.NULL
    for j in range(n):
        terms[j].at = terms[j].begin
    while base < segment.num_docs:
        while essential > 0 and terms[essential - 1].rest <= threshold:
            essential -= 1
        if essential == 0:
            break
        density = 0.0
        for j in range(essential):
            density += terms[j].density
        is_sparse = density < 0.125
        top = base + (WIDE_BLOCK if is_sparse and stride == 1 else BLOCK)
        top = top if top < segment.num_docs else segment.num_docs
        for j in range(essential):
            add_block(segment, cython.address(terms[j]), base, top, room)
        # The bar is below zero only where no term is left to be looked up; then zero is not what absence looks like.
        is_finished = not is_sparse and (not final_is_sum or threshold < 0.0) and not isnan(threshold)
        bar = threshold if final_is_sum or is_finished else NAN
        if essential < n:
            bar -= terms[essential].rest
        if is_finished:
            finish_all(room, base, top - base, final)
        if is_sparse:
            num_candidates = candidates_of_terms(segment, terms, essential, base, top - base, bar, room)
        else:
            num_candidates = candidates_of_all(room, top - base, bar)
        for j in range(essential, n):
            if num_candidates == 0:
                break
            if num_candidates * 24 > terms[j].density * (top - base):
                add_block(segment, cython.address(terms[j]), base, top, room)
            else:
                look_up(segment, cython.address(terms[j]), base, num_candidates, room)
            bar = threshold - terms[j + 1].rest if j + 1 < n else threshold
            kept = 0
            for i in range(num_candidates):
                candidates[kept] = candidates[i]
                kept += not total[candidates[i]] <= bar
            num_candidates = kept
        for i in range(num_candidates):
            d = base + candidates[i]
            if segment.deleted != cython.NULL and segment.deleted[d]:
                continue
            score = total[d - base] if is_finished else finished(total[d - base], d, final)
            if score <= threshold:
                continue
            hits[num_hits].score = score
            hits[num_hits].doc = cython.cast(int32_t, d)
            num_hits += 1
            if num_hits == capacity:
                select_best(hits, num_hits, k)
                num_hits = k
                threshold = hits[k - 1].score
        if is_sparse:
            clear(segment, terms, n, base, room)
        else:
            for i in range(BLOCK):
                total[i] = -0.0
        for j in range(n):
            terms[j].added_to = terms[j].added_from
        base += (top - base) * stride
    if num_hits > k:
        select_best(hits, num_hits, k)
        num_hits = k
    return num_hits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def search(
    segment: cython.pointer[Segment],
    terms: cython.pointer[Term],
    n: int64_t,
    k: int64_t,
    final: cython.pointer[Final],
    room: cython.pointer[Room],
) -> int64_t:
    """Leave the k best documents in `room.hits`, best first; returns how many there are.

    The scores of a sample tell where the k-th score will be, or lower. If fewer than k documents turn out to reach it,
    the guess was wrong, and all is done again without.
    """
    threshold: cython.double = NAN
    expected: cython.double
    stride: int64_t = segment.num_docs // SAMPLE
    rank: int64_t
    found: int64_t
    if stride > 1 and terms[0].rest < INFINITY:
        expected = k / cython.cast(cython.double, stride)
        rank = cython.cast(int64_t, expected + 3.0 * sqrt(expected) + 1.5)
        if rank < k and rank < SAMPLE // 4:
            found = scan_documents(segment, terms, n, rank, NAN, stride, final, room)
            if found == rank:
                select_best(room.hits, found, rank)
                threshold = nextafter(room.hits[rank - 1].score, -INFINITY)
    found = scan_documents(segment, terms, n, k, threshold, 1, final, room)
    if found < k and not isnan(threshold):
        found = scan_documents(segment, terms, n, k, NAN, 1, final, room)
    sort_hits(room.hits, 0, found - 1)
    return found


@cython.cfunc
def fill_segment(segment: cython.pointer[Segment], postings: object) -> cython.void:
    doc: cython.const[int32_t][::1] = postings.doc
    tf: cython.const[uint8_t][::1] = postings.tf.view(np.uint8)
    length: cython.const[int32_t][::1] = postings.length
    deleted: cython.const[uint8_t][::1]
    segment.doc = cython.address(doc[0]) if len(doc) else cython.NULL
    segment.tf = cython.address(tf[0]) if len(tf) else cython.NULL
    segment.tf_kind = TF_KINDS[postings.tf.dtype.str]
    segment.length = cython.address(length[0]) if len(length) else cython.NULL
    segment.num_docs = len(length)
    segment.deleted = cython.NULL
    if postings.deleted is not None and len(length):
        deleted = postings.deleted
        segment.deleted = cython.address(deleted[0])


@cython.cfunc
def numbers_or_null(values: object) -> cython.pointer[cython.const[cython.double]]:
    view: cython.const[cython.double][::1]
    if values is None or len(values) == 0:
        return cython.NULL
    view = values
    return cython.address(view[0])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def fill_term(
    term: cython.pointer[Term],
    number: int64_t,
    begin: int64_t,
    end: int64_t,
    weight: cython.double,
    curve: cython.int,
    p: cython.pointer[cython.const[cython.double]],
    given: cython.pointer[cython.const[cython.double]],
    num_docs: int64_t,
) -> cython.void:
    term.number = number
    term.begin = begin
    term.at = begin
    term.added_from = begin
    term.added_to = begin
    term.end = end
    term.weight = weight
    term.curve = curve
    if curve == RATIONAL and p[0] == 0.0 and p[1] == 1.0 and p[2] == 0.0 and p[3] == 0.0 and p[4] == 1.0:
        term.curve = SATURATION
    term.parameters = p
    term.given = given + cython.cast(int64_t, p[0]) if curve == GIVEN else cython.NULL
    term.density = (end - begin) / cython.cast(cython.double, num_docs)
    term.rest = INFINITY


def check_postings(postings, terms):
    """Compare the postings of terms with their bounds, if that was not done; an error names the first that is beyond.

    Documents ascend, none twice, and each is one of the segment's: so a sum and a length can be looked up by them.
    """
    start: cython.const[int64_t][::1] = postings.start
    doc: cython.const[int32_t][::1] = postings.doc
    wanted: cython.const[int64_t][::1] = terms
    checked: uint8_t[::1] = postings.checked
    num_docs: int64_t = len(postings.length)
    num_terms: int64_t = len(postings.start) - 1
    num_postings: int64_t = len(postings.doc)
    term: int64_t = 0
    last: int64_t
    row: int64_t
    i: int64_t
    # A sum of comparisons instead of a branch for each posting: the loop is then one of whole vectors.
    falls: int64_t
    fits: cython.bint = True
    with cython.nogil:
        for row in range(wanted.shape[0]):
            term = wanted[row]
            if term < 0 or term >= num_terms:
                fits = False
                break
            if checked is not None and checked[term]:
                continue
            if start[term] < 0 or start[term] > start[term + 1] or start[term + 1] > num_postings:
                fits = False
                break
            last = start[term + 1] - 1
            falls = 0
            for i in range(start[term], last):
                falls += doc[i] >= doc[i + 1]
            if last >= start[term] and (doc[start[term]] < 0 or doc[last] >= num_docs or falls > 0):
                fits = False
                break
            if checked is not None:
                checked[term] = 1
    if not fits:
        raise PostingsError(term, num_docs)


def top_k_many(postings, queries, k, first=0, last=None):
    """The k best documents of each query from `first` to before `last`, among those that hold one of its terms.

    The higher score goes first, then the lower document number; that decides too who is the last to be ranked.
    """
    query_start: cython.const[int64_t][::1] = queries.start
    term: cython.const[int64_t][::1] = queries.term
    weight: cython.const[cython.double][::1] = queries.weight
    curve: cython.const[int32_t][::1] = queries.curve
    parameters: cython.const[cython.double][:, ::1] = queries.parameters
    start: cython.const[int64_t][::1] = postings.start
    max_tf: cython.const[int32_t][::1] = postings.max_tf
    min_length: cython.const[int32_t][::1] = postings.min_length
    given: cython.pointer[cython.const[cython.double]] = numbers_or_null(queries.given)
    times: cython.pointer[cython.const[cython.double]] = numbers_or_null(queries.offset_times)
    final = cython.declare(Final)
    segment = cython.declare(Segment)
    room = cython.declare(Room)
    terms: cython.pointer[Term] = cython.NULL
    from_query: int64_t = first
    num_queries: int64_t = max(0, (len(query_start) - 1 if last is None else last) - first)
    wanted: int64_t = max(0, min(k, len(postings.length)))
    most_terms: int64_t = 0
    most_hits: int64_t = 0
    possible: int64_t
    q: int64_t
    i: int64_t
    n: int64_t
    row: int64_t
    require_fitting(postings, queries)
    check_postings(postings, queries.term[query_start[from_query] : query_start[from_query + num_queries]])
    fill_segment(cython.address(segment), postings)
    final.scale = numbers_or_null(queries.scale)
    final.offset = numbers_or_null(queries.offset)
    starts = np.zeros(num_queries + 1, dtype=np.int64)
    limits: int64_t[::1] = starts
    for q in range(num_queries):
        n = query_start[from_query + q + 1] - query_start[from_query + q]
        most_terms = n if n > most_terms else most_terms
        possible = 0
        for row in range(query_start[from_query + q], query_start[from_query + q + 1]):
            possible += start[term[row] + 1] - start[term[row]]
        possible = possible if possible < wanted else wanted
        most_hits = possible if possible > most_hits else most_hits
        limits[q + 1] = limits[q] + possible
    docs = np.empty(starts[num_queries], dtype=np.int32)
    scores = np.empty(starts[num_queries], dtype=np.float64)
    if len(docs) == 0:
        return Rankings(starts, docs, scores)
    doc_out: int32_t[::1] = docs
    score_out: cython.double[::1] = scores
    filled: int64_t = 0
    found: int64_t
    needs_memo: cython.bint = False
    memset(cython.address(room), 0, cython.sizeof(Room))
    try:
        resize(cython.address(room.total), WIDE_BLOCK, 8)
        resize(cython.address(room.bits), WIDE_BLOCK // 64, 8)
        resize(cython.address(room.values), CHUNK, 8)
        resize(cython.address(room.frequencies), CHUNK, 8)
        resize(cython.address(room.lengths), CHUNK, 4)
        resize(cython.address(room.candidates), WIDE_BLOCK, 4)
        resize(cython.address(room.memo_keys), MEMO, 8)
        resize(cython.address(room.memo_values), MEMO, 8)
        resize(cython.address(room.hits), most_hits + most_hits // 2 + 16, cython.sizeof(Hit))
        resize(cython.address(terms), most_terms, cython.sizeof(Term))
        with cython.nogil:
            for i in range(WIDE_BLOCK):
                room.total[i] = -0.0
                room.bits[i >> 6] = 0
            for q in range(num_queries):
                row = query_start[from_query + q]
                n = query_start[from_query + q + 1] - row
                possible = limits[q + 1] - limits[q]
                limits[q] = filled
                if possible == 0:
                    continue
                for i in range(n):
                    fill_term(
                        cython.address(terms[i]),
                        i,
                        start[term[row + i]],
                        start[term[row + i] + 1],
                        weight[row + i],
                        curve[row + i],
                        cython.address(parameters[row + i, 0]),
                        given,
                        segment.num_docs,
                    )
                    needs_memo = needs_memo or terms[i].curve == LOGARITHM or terms[i].curve == POISSON
                if needs_memo:
                    memset(room.memo_keys, 0, MEMO * 8)
                    needs_memo = False
                if final.scale == cython.NULL and final.offset == cython.NULL:
                    bound_terms(
                        terms, n, cython.address(max_tf[0]), cython.address(min_length[0]), cython.address(term[row])
                    )
                final.times = times[from_query + q] if times != cython.NULL else 1.0
                found = search(cython.address(segment), terms, n, possible, cython.address(final), cython.address(room))
                for i in range(found):
                    doc_out[filled + i] = room.hits[i].doc
                    score_out[filled + i] = room.hits[i].score
                filled += found
            limits[num_queries] = filled
    finally:
        free(room.total)
        free(room.bits)
        free(room.values)
        free(room.frequencies)
        free(room.lengths)
        free(room.candidates)
        free(room.hits)
        free(room.memo_keys)
        free(room.memo_values)
        free(terms)
    return Rankings(starts, docs[:filled], scores[:filled])


def contributions(postings, queries, query, docs):
    """What each term of a query adds to the sum of each document: documents × terms, NaN where it does not occur."""
    start: cython.const[int64_t][::1] = postings.start
    term: cython.const[int64_t][::1] = queries.term
    weight: cython.const[cython.double][::1] = queries.weight
    curve: cython.const[int32_t][::1] = queries.curve
    parameters: cython.const[cython.double][:, ::1] = queries.parameters
    given: cython.pointer[cython.const[cython.double]] = numbers_or_null(queries.given)
    wanted: cython.const[int32_t][::1] = docs
    row: int64_t = queries.start[query]
    n: int64_t = queries.start[query + 1] - row
    values = np.full((len(docs), n), NAN)
    result: cython.double[:, ::1] = values
    segment = cython.declare(Segment)
    one = cython.declare(Term)
    place: int64_t
    i: int64_t
    j: int64_t
    require_fitting(postings, queries)
    check_postings(postings, queries.term[row : row + n])
    fill_segment(cython.address(segment), postings)
    with cython.nogil:
        for j in range(n):
            fill_term(
                cython.address(one),
                j,
                start[term[row + j]],
                start[term[row + j] + 1],
                weight[row + j],
                curve[row + j],
                cython.address(parameters[row + j, 0]),
                given,
                segment.num_docs,
            )
            for i in range(wanted.shape[0]):
                place = at_or_after(segment.doc, one.begin, one.end, wanted[i], one.density)
                if place < one.end and segment.doc[place] == wanted[i]:
                    result[i, j] = contribution(cython.address(segment), cython.address(one), place)
    return values


def score_documents(postings, queries, query, docs):
    """The scores that a ranking gives to these documents; NaN for one that holds none of the query's terms."""
    parts: cython.const[cython.double][:, ::1] = contributions(postings, queries, query, docs)
    final = cython.declare(Final)
    final.scale = numbers_or_null(queries.scale)
    final.offset = numbers_or_null(queries.offset)
    final.times = 1.0 if queries.offset_times is None else queries.offset_times[query]
    wanted: cython.const[int32_t][::1] = docs
    scores = np.full(len(docs), NAN)
    result: cython.double[::1] = scores
    held: cython.bint
    score: cython.double
    i: int64_t
    j: int64_t
    with cython.nogil:
        for i in range(wanted.shape[0]):
            held = False
            score = 0.0
            for j in range(parts.shape[1]):
                if not isnan(parts[i, j]):
                    held = True
                    score += parts[i, j]
            if held:
                result[i] = finished(score, wanted[i], cython.address(final))
    return scores


def root_sums_of_squares(start, term, tf, length, factor, curve, parameters):
    """By document, the square root of the sum of (factor[term] * curve(tf, length))**2 over its terms.

    The postings are those of the document-major twin: document d's are start[d] to start[d + 1].
    """
    starts: cython.const[int64_t][::1] = start
    terms: cython.const[int32_t][::1] = term
    frequencies: cython.const[uint8_t][::1] = tf.view(np.uint8)
    lengths: cython.const[int32_t][::1] = length
    factors: cython.const[cython.double][::1] = factor
    row: cython.const[cython.double][::1] = parameters
    kind: cython.int = curve
    norms = np.zeros(len(length))
    result: cython.double[::1] = norms
    segment = cython.declare(Segment)
    total: cython.double
    value: cython.double
    d: int64_t
    i: int64_t
    num_terms: int64_t = len(factor)
    beyond: int64_t = 0
    require_twin(start, len(length), len(term), len(tf))
    if len(tf) == 0:
        return norms
    for i in range(terms.shape[0]):
        beyond += terms[i] < 0 or terms[i] >= num_terms
    if beyond:
        raise ValueError(TWIN_TERMS)
    segment.tf = cython.address(frequencies[0])
    segment.tf_kind = TF_KINDS[tf.dtype.str]
    with cython.nogil:
        for d in range(lengths.shape[0]):
            total = 0.0
            for i in range(starts[d], starts[d + 1]):
                value = factors[terms[i]] * curve_at(
                    kind, cython.address(row[0]), frequency(cython.address(segment), i), lengths[d]
                )
                total += value * value
            result[d] = sqrt(total)
    return norms
