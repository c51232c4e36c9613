// lib/prelude.cl: types, loads, stores, arithmetic and hints for loops that every kernel file may use
//
// macros  FMA(a, b, c)  the fast one of fma, mad, a * b + c: the host defines it per device
//         IDX           int, or long where an address needs it    IDX_MAX  its largest value
//         HAS_DOUBLE    1 where the program computes in double
//         SOFT_HALF     1 where half is not stored by vstore_half, a call on CPU drivers, but by what they make vectors of:
//                       instructions of the processor, where the compiler says that there are such, else integer arithmetic
// note    contraction of a * b + c stays on: it is more exact, and each value of a fused
//         expression is a statement of its own, so nothing contracts across operations

#ifdef __clang__
#pragma clang diagnostic ignored "-Wtautological-compare" // x == x, which graphs may have
#pragma clang diagnostic ignored "-Wconstant-logical-operand" // and x || 2
#endif
#ifndef FMA
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

// WIDE before a loop (WIDE_BY of so many elements, PARTLY where the last vector is a part of one, by a
// mask, WIDE_SHORT where compilers would rather write so few vectors out one element after the other),
// WIDE_VECTORS in the kernel: Clang makes vectors of half the width that a CPU has where it
// fears for the clock, unless a loop asks for more and the kernel has a call with such a vector.
// FETCH_LINE asks for the line of memory at p, FETCH_FAR only into an outer cache, FETCH_RUN for n
// elements from p + at on, one in every step, FETCH_ROW for 64. WIDE_VECTORS also reads a constant: a
// page of constants that only loads under a mask read takes an assist of the processor each time (a
// select from constants, PoCL 3.1 on Zen 5).
#if WIDE_LOOPS
#pragma clang diagnostic ignored "-Wpass-failed" // a loop that cannot is as well off without
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define WIDE_BY(lanes) PRAGMA(clang loop vectorize_width(lanes))
#define WIDE WIDE_BY(16)
#define PARTLY PRAGMA(clang loop vectorize_width(16) vectorize_predicate(enable))
static inline float16 wide_vectors(const float16 x) { return x; }
__constant float constants = 0;
#define WIDE_VECTORS { volatile __constant float *const touched = &constants; (void)*touched; } (void)wide_vectors((float16)(0));
#define WIDE_SHORT PRAGMA(clang loop vectorize_width(16) unroll(disable))
#define FETCH_LINE(p) __builtin_prefetch((const void *)(size_t)(p), 0, 3)
#define FETCH_FAR(p) __builtin_prefetch((const void *)(size_t)(p), 0, 2)
#define FETCH_RUN(p, at, step, n) for (int k = 0; k < (n); k += (step)) FETCH_FAR(p + (at) + k);
#else
#define WIDE_BY(lanes)
#define WIDE
#define PARTLY
#define WIDE_SHORT
#define WIDE_VECTORS
#define FETCH_LINE(p)
#define FETCH_FAR(p)
#define FETCH_RUN(p, at, step, n)
#endif
#define FETCH_ROW(p, at, step) FETCH_RUN(p, at, step, 64)

// INLINE begins a function that is made part of every loop that calls it: one call that is left
// keeps the loop from becoming vectors, and compilers leave calls of what is long and used twice,
// as two random numbers in one value.
#ifdef __has_attribute
#if __has_attribute(always_inline)
#define INLINE static inline __attribute__((always_inline))
#endif
#endif
#ifndef INLINE
#define INLINE static inline
#endif

// BODY begins a function that has what a kernel of groups of one item does, and takes its item and PARAMS: the kernel calls it with
// ARGS. It is part of the kernel, but where BODIES_APART is 1 compiled alone: some drivers write a kernel out several times. It must
// not be given local memory: in PoCL 3.1 its values are lost then, as that is a variable of a function that the call may end.
#if BODIES_APART
#define BODY static __attribute__((noinline))
#else
#define BODY INLINE
#endif

// SUM_RUN is how many floats kernels add up one after the other where sums may be long. COMPENSATE adds
// v, such a sum, to total of that type and keeps the rounding error in rest (Kahan, Further Remarks on
// Reducing Truncation Errors, 1965), which is 0 to begin with: total + rest is off by 2 u times the sum of
// magnitudes, however many are added, u half a unit in the last place. An infinite total has no error.
// IN_ORDER keeps the order that is written under -cl-fast-relaxed-math, by Clang of CPU drivers; other
// compilers may take the compensation out then, and the sum is merely blocked.
#define SUM_RUN 32
#if SOFT_HALF && defined(__clang__) && __clang_major__ >= 11 // which brought this pragma
#define IN_ORDER _Pragma("clang fp reassociate(off)")
#else
#define IN_ORDER
#endif
#define COMPENSATE(type, total, rest, v) { \
    IN_ORDER \
    const type add_ = (v) + (rest), sum_ = (total) + add_, got_ = sum_ - (total); \
    rest = got_ - got_ == 0 ? add_ - got_ : (type)(0); \
    total = sum_; \
}

// LINES behind an array begins it with a line of the cache: vectors lie in one line each.
// TO_LINE(p) is how many elements lie before the next line from p on.
#define LINE 64
#define LINES __attribute__((aligned(LINE)))
#define TO_LINE(p) ((int)(-(size_t)(p) % LINE / sizeof(*(p))))

// STREAM stores v past the caches, where the compiler offers it, STREAM_ALL all of array b, which
// is whole lines, to the line that begins at p. STREAM_VECTOR is STREAM for a vector of type T at the begin of
// a line: of 16 elements of 8 bytes, which are two, compilers would take p to be aligned to both.
// STREAM_LINE is STREAM for a vector of type T that is a line; where p does not begin one it is stored as an A,
// the same type without alignment.
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(v, p) __builtin_nontemporal_store(v, p)
#endif
#endif
#ifndef STREAM
#define STREAM(v, p) (*(p) = (v))
#endif
#define STREAM_ALL(b, p) \
    for (int k = 0; k < (int)sizeof(b) / LINE; k++) STREAM(((float16 *)(b))[k], (__global float16 *)(p) + k);
#define STREAM_VECTOR(T, v, p) do { \
    if (sizeof(T) <= LINE) \
        STREAM(v, (__global T *)(p)); \
    else { \
        T lines_[1] LINES = {v}; \
        STREAM_ALL(lines_, p) \
    } \
} while (0)
#define STREAM_LINE(T, A, v, p) do { \
    const T line_ = (v); \
    if (TO_LINE(p) == 0) \
        STREAM(line_, (__global T *)(p)); \
    else \
        *(__global A *)(p) = line_; \
} while (0)

// floor(n / d) for 0 <= n < 2^31, by the multiplier and shift that the host made of d.
// The wide product is mul_hi written out: PoCL does not inline mul_hi, and a call in an
// inner loop spills every vector register.
#define FASTDIV(n, m, s) (((uint)((ulong)(uint)(n) * (uint)(m) >> 32) + (uint)(n)) >> (uint)(s))

static inline int floordiv_int(const int n, const int d) {
    const int q = n / d;
    return q - (n < q * d);
}
static inline long floordiv_long(const long n, const long d) {
    const long q = n / d;
    return q - (n < q * d);
}

// HARD_HALF: the processor converts vectors of half, and Clang knows builtins for that. PoCL's vload_half is
// integer arithmetic, of which a loop over a window does a dozen operations at every tap.
#if SOFT_HALF && defined(__F16C__) && defined(__has_builtin)
#if __has_builtin(__builtin_load_halff) && __has_builtin(__builtin_store_halff)
#define HARD_HALF 1
#endif
#endif

// Rounding to the half types, ties to even, kept in float.
#if HARD_HALF
typedef ushort __attribute__((may_alias)) bits_of_half;
static inline ushort half_bits(const float x) {
    bits_of_half bits;
    __builtin_store_halff(x, (__private half *)&bits);
    return bits;
}
static inline float round_float16(const float x) {
    const bits_of_half bits = half_bits(x);
    return __builtin_load_halff((__private const half *)&bits);
}
#else
static inline float round_float16(const float x) {
    const uint u = as_uint(x), m = u & 0x7fffffffu;
    const uint r = (m + 0xfffu + ((m >> 13) & 1u)) & ~0x1fffu;
    // In steps of 2^-24, counted as half_bits does: rint is a call for CPU drivers.
    const int steps = (int)(as_uint(as_float(m) + 0.5f) - 0x3f000000u);
    const uint tiny = as_uint((float)steps * 0x1p-24f);
    const uint big = r > 0x477fe000u ? 0x7f800000u : r;
    const uint y = m < 0x38800000u ? tiny : big;
    return m >= 0x7f800000u ? x : as_float((u & 0x80000000u) | y);
}
static inline ushort half_bits(const float x) {
    const uint u = as_uint(x), m = u & 0x7fffffffu;
    const uint normal = (m - 0x38000000u + 0xfffu + ((m >> 13) & 1u)) >> 13; // may carry to infinity
    const uint tiny = as_uint(as_float(m) + 0.5f) - 0x3f000000u;             // in steps of 2^-24
    const uint big = m > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return (ushort)((u >> 16 & 0x8000u) | (m >= 0x47800000u ? big : m < 0x38800000u ? tiny : normal));
}
#endif
static inline uint bfloat16_bits(const float x) {
    const uint u = as_uint(x);
    const uint r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : r;
}
static inline float round_bfloat16(const float x) { return as_float(bfloat16_bits(x) << 16); }

// To float by rounding to odd: a second rounding to a half type is then exact. Signed integers
// go by magnitude, and those of 32 bits not through long: Mesa 22 gets both wrong. The sign is
// set, not turned: NVIDIA's compiler converts the magnitude of the least as if it were negative.
static inline float odd_from_uint(const uint x) {
    const float f = convert_float_rtz(x);
    return as_float(as_uint(f) | ((uint)f != x));
}
static inline float odd_from_int(const int x) {
    const float f = odd_from_uint(x < 0 ? 0u - (uint)x : (uint)x);
    return as_float(as_uint(f) | ((uint)x & 0x80000000u));
}
static inline float odd_from_ulong(const ulong x) {
    const float f = convert_float_rtz(x);
    return f < 0x1p63f && (ulong)f != x ? as_float(as_uint(f) | 1u) : f;
}
static inline float odd_from_long(const long x) {
    const float f = odd_from_ulong(x < 0 ? 0UL - (ulong)x : (ulong)x);
    return as_float(as_uint(f) | ((uint)(x >> 32) & 0x80000000u));
}
#ifdef HAS_DOUBLE
// By bits: Mesa 25 does not round towards zero. Subnormal floats count steps of 2^-149.
static inline float odd_from_double(const double x) {
    const ulong u = as_ulong(x), m = u & 0x7fffffffffffffffUL;
    const ulong odd = (m & ~0x1fffffffUL) | ((m & 0x1fffffffUL) != 0 ? 0x20000000UL : 0UL);
    const double steps = fmin(fabs(x), 0x1p-126) * 0x1p149;
    const uint whole = (uint)steps, tiny = whole | ((double)whole != steps);
    const float f = m < 0x3810000000000000UL ? as_float(tiny) : (float)as_double(odd);
    return as_float(as_uint(f) | ((uint)(u >> 32) & 0x80000000u));
}
#endif

// Loads widen, stores round.
#define LOAD_bool(p, i) ((p)[i])
#define LOAD_int8(p, i) ((p)[i])
#define LOAD_uint8(p, i) ((p)[i])
#define LOAD_int16(p, i) ((p)[i])
#define LOAD_uint16(p, i) ((p)[i])
#define LOAD_int32(p, i) ((p)[i])
#define LOAD_uint32(p, i) ((p)[i])
#define LOAD_int64(p, i) ((p)[i])
#define LOAD_uint64(p, i) ((p)[i])
#if HARD_HALF
#define LOAD_float16(p, i) __builtin_load_halff((p) + (i))
#else
#define LOAD_float16(p, i) vload_half(i, p)
#endif
#define LOAD_bfloat16(p, i) as_float((uint)(p)[i] << 16)
#define LOAD_float32(p, i) ((p)[i])
#define LOAD_float64(p, i) ((p)[i])

#define STORE_bool(p, i, v) ((p)[i] = (v))
#define STORE_int8(p, i, v) ((p)[i] = (v))
#define STORE_uint8(p, i, v) ((p)[i] = (v))
#define STORE_int16(p, i, v) ((p)[i] = (v))
#define STORE_uint16(p, i, v) ((p)[i] = (v))
#define STORE_int32(p, i, v) ((p)[i] = (v))
#define STORE_uint32(p, i, v) ((p)[i] = (v))
#define STORE_int64(p, i, v) ((p)[i] = (v))
#define STORE_uint64(p, i, v) ((p)[i] = (v))
#if SOFT_HALF
#define STORE_float16(p, i, v) (((__global ushort *)(p))[i] = half_bits(v))
#else
#define STORE_float16(p, i, v) vstore_half_rte(v, i, p)
#endif
#define STORE_bfloat16(p, i, v) ((p)[i] = (ushort)bfloat16_bits(v))
#define STORE_float32(p, i, v) ((p)[i] = (v))
#define STORE_float64(p, i, v) ((p)[i] = (v))
