// tile padded view=24x22x24 outer=1: a CPU driver: tiles turned in registers, since rows lie closer than columns
// launch map_pad global [2 24] local [1 1]
// options -cl-single-precision-constant
// arguments OUTER=24 ROWS=22 COLS=24 OSPAN=1 FROM=1 TO=21 STEP=200 LEN=9600 n0=1431655766 n1=4 n2=4800 n3=12 n4=20 n5=200 n6=-21 n7=10 n8=6336 n9=528 n10=24
#define OUT float
#define VL 16
#define VT float16
#define HAVE(x) x
#define LOAD16_AT(p) vload16(0, p)
#define LOAD16(i) LOAD16_AT((p0_ + o_p0 + (i)))
#define DIRECT 1
#define ELEMENT(i) (y0_ + o_y0)[i]
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    const IDX OUTER, \
    const IDX ROWS, \
    const IDX COLS, \
    const IDX OSPAN, \
    const IDX FROM, \
    const IDX TO, \
    const IDX STEP, \
    const IDX LEN, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9, \
    const IDX n10
#define FN_PARAMS , __global const float *p0, \
    const IDX n0, \
    const IDX n1, \
    const IDX n2, \
    const IDX n3, \
    const IDX n4, \
    const IDX n5, \
    const IDX n6, \
    const IDX n7, \
    const IDX n8, \
    const IDX n9, \
    const IDX n10
#define FN_ARGS , p0_ + o_p0, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10

static inline long at_hook(const IDX o, const IDX c FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(o, n0, n1);
    const IDX x1 = o - q0 * n3;
    const int i2 = n2 * q0 + n4 * x1 + n5 * c + n6;
    const long v3 = (long)(i2);
    return v3;
}
#define AT(o, c) at_hook(o, c FN_ARGS)

static inline uchar inside_hook(const IDX o FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(o, n0, n1);
    const IDX x1 = o - q0 * n3;
    const int i2 = x1 - 1;
    const int g3 = i2 >= 0 && i2 < n7;
    const uchar v4 = g3;
    return v4;
}
#define INSIDE(o) inside_hook(o FN_ARGS)

static inline float value_hook(const IDX o, const IDX r, const IDX c FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(o, n0, n1);
    const IDX x1 = o - q0 * n3;
    const int i2 = x1 - 1;
    const int i3 = r - 1;
    const int g4 = i2 >= 0 && i2 < n7 && i3 >= 0 && i3 < n4;
    const int i5 = n2 * q0 + n4 * x1 + r + n5 * c + n6;
    const float v6 = g4 ? LOAD_float32(p0, i5) : (float)0;
    return v6;
}
#define VALUE(o, r, c) value_hook(o, r, c FN_ARGS)

static inline long place_hook(const IDX o, const IDX r FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(o, n0, n1);
    const IDX x1 = o - q0 * n3;
    const int i2 = n8 * q0 + n9 * x1 + n10 * r;
    const long v3 = (long)(i2);
    return v3;
}
#define PLACE(o, r) place_hook(o, r FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

// ---- transpose.cl ----
// transpose.cl: squares of vectors turned in registers
//
// macros  VL  lanes, a power of two    VT  a vector of them
// note    riffles are named as such where the compiler offers it: written by elements, LLVM 15 takes
//         them apart and puts other ones together, with halves of vectors (PoCL 3.1 with AVX-512,
//         8 images of 64 x 3136 in a cache: half the speed)

// The lower halves of a and b, and the upper ones, with elements that take turns.
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#if VL == 4
#define RIFFLE_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define RIFFLE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#elif VL == 8
#define RIFFLE_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define RIFFLE_HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif VL == 16
#define RIFFLE_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define RIFFLE_HIGH(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#endif
#endif
#endif

#ifndef RIFFLE_LOW
static inline VT riffle(const VT a, const VT b, const int high) {
    VT t;
    t.even = high ? a.hi : a.lo;
    t.odd = high ? b.hi : b.lo;
    return t;
}
#define RIFFLE_LOW(a, b) riffle(a, b, 0)
#define RIFFLE_HIGH(a, b) riffle(a, b, 1)
#endif

// Riffling the two halves of VL rows log2(VL) times exchanges rows and columns.
static inline void transpose(VT *r) {
    #pragma unroll
    for (int stage = 1; stage < VL; stage *= 2) {
        VT t[VL];
        #pragma unroll
        for (int i = 0; i < VL / 2; i++) {
            t[2 * i] = RIFFLE_LOW(r[i], r[i + VL / 2]);
            t[2 * i + 1] = RIFFLE_HIGH(r[i], r[i + VL / 2]);
        }
        #pragma unroll
        for (int i = 0; i < VL; i++)
            r[i] = t[i];
    }
}
// ---- map_pad.cl ----
// map_pad.cl: a transposed copy with zeros around it, for CPU drivers: images with their channels last
//
//     y[PLACE(o, r) + c] = element AT(o, c) + r of the input where FROM <= r < TO and INSIDE(o), else 0
//
// hooks   AT(o, c)  INSIDE(o)    PLACE(o, r)  where column 0 belongs    STORE(i, v)
//         VALUE(o, r, c)  the same value by itself
//         ELEMENT(i)      element i of y, where DIRECT
// macros  LOAD16(i)  16 elements of the input from the i-th on    DIRECT  1: y holds values of type OUT
//         OUT  type of VALUE    VL 16    VT  16 of them    HAVE(x)  the truth values x for select of VT
// sizes   OUTER, ROWS, COLS  the last two at least 16    OSPAN  outer points an item    FROM TO
//         STEP  from column to column of the input    LEN  its elements
// launch  map_pad  global {ceil(COLS / 16), ceil(OUTER / OSPAN)}  local {1, 1}
// note    tiles of 16 x 16 are read along the rows, turned in registers and stored along the columns.
//         What lies around an image is read too and replaced, but never beyond the buffer; the
//         last tiles of a row and of a column move to the left, over what is stored already

// PoCL's vstore16 stores elements or quarters.
typedef VT __attribute__((aligned(sizeof(OUT)))) unaligned;

#if DIRECT
#define STORE16(i, v) (*(__global unaligned *)&ELEMENT(i) = (v))
#else
#define STORE16(i, v) do { \
    const IDX at_ = i; \
    OUT lanes_[VL]; \
    vstore16(v, 0, lanes_); \
    for (int k_ = 0; k_ < VL; k_++) STORE(at_ + k_, lanes_[k_]); \
} while (0)
#endif

kernel void map_pad(PARAMS) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const IDX c = min((IDX)get_global_id(0) * VL, (IDX)COLS - VL);
    const IDX o0 = (IDX)get_global_id(1) * OSPAN, o1 = min(o0 + OSPAN, (IDX)OUTER);
    for (IDX o = o0; o < o1; o++) {
        const int inside = INSIDE(o);
        const long begin = AT(o, c);
        for (IDX tile = 0; tile < ROWS; tile += VL) {
            const IDX r = min(tile, (IDX)ROWS - VL);
            const int from = (int)clamp((IDX)FROM - r, (IDX)0, (IDX)VL), to = (int)clamp((IDX)TO - r, (IDX)0, (IDX)VL);
            VT a[VL];
            if (!inside || from >= to) {
                #pragma unroll
                for (int j = 0; j < VL; j++)
                    a[j] = (VT)(0);
            } else {
                const long first = begin + r;
                if (first >= 0 && first + (VL - 1) * (long)STEP + VL <= LEN) {
                    const int16 have = (lane >= (int16)(from)) & (lane < (int16)(to));
                    #pragma unroll
                    for (int j = 0; j < VL; j++)
                        a[j] = select((VT)(0), LOAD16(first + j * (long)STEP), HAVE(have));
                } else {
                    OUT t[VL][VL];
                    for (int j = 0; j < VL; j++)
                        for (int k = 0; k < VL; k++)
                            t[j][k] = VALUE(o, r + k, c + j);
                    #pragma unroll
                    for (int j = 0; j < VL; j++)
                        a[j] = vload16(0, t[j]);
                }
                transpose(a);
            }
            #pragma unroll
            for (int k = 0; k < VL; k++)
                STORE16(PLACE(o, r + k) + c, a[k]);
        }
    }
}
