// lines block 6x2, 3 x 4 columns, 28 lines of 28 split k 2: a CPU driver: terms that are lines of pixels, laid out in the cache of one core
// launch contract_lines global [1 1 16] local [1 1 1]
// options -cl-single-precision-constant
// arguments M=36 N=4 K=1568 BATCHES=8 LENGTH=28 BAND=28 REACH=2 V=3 APART=1 PHASES=1 COLUMNS=4 GROUP=6 CHUNK=784 n0=3600 n1=-954437176 n2=4 n3=900 n4=1431655766 n5=2 n6=3 n7=30 n8=1314785907 n9=10 n10=28800 n11=613566757 n12=5 n13=28 n14=3136 n15=784 n16=25088
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define ROWS 6
#define COLS 2
#define SPACE_A 49152
#define SPACE_B 49152
#define SPACE_SUM 16384
#define TAPS 64
#define RESTS 0
#define LEVELS 0
#define MEND 1
#define A_TYPE half
#define A_PTR (p0_ + o_p0)
#define VL 8
#define VT float8
#define STEP 1
#define LINE_TYPE half
#define LINE_LOAD(p) vload_half8(0, p)
#define LINE_ONE(p, i) LOAD_float16(p, i)
#define B_PLAIN 1
#define B_TYPE half
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload_half8(0, p)
#define B_ONE(p, i) LOAD_float16(p, i)
#define SPLIT 1
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global half *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PART, \
    const IDX M, \
    const IDX N, \
    const IDX K, \
    const IDX BATCHES, \
    const IDX LENGTH, \
    const IDX BAND, \
    const IDX REACH, \
    const IDX V, \
    const IDX APART, \
    const IDX PHASES, \
    const IDX COLUMNS, \
    const IDX GROUP, \
    const IDX CHUNK, \
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
    const IDX n10, \
    const IDX n11, \
    const IDX n12, \
    const IDX n13, \
    const IDX n14, \
    const IDX n15, \
    const IDX n16
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
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
    const IDX n10, \
    const IDX n11, \
    const IDX n12, \
    const IDX n13, \
    const IDX n14, \
    const IDX n15, \
    const IDX n16
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15, n16

static inline long a_row_hook(const IDX b, const IDX m FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n1, n2);
    const IDX q1 = (int)FASTDIV(m, n4, n5);
    const IDX x2 = q1 - q0 * n6;
    const IDX x3 = m - q1 * n6;
    const int i4 = n0 * b + n3 * q0 + n7 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n8, n9);
    const IDX q1 = (int)FASTDIV(k, n11, n12);
    const IDX x2 = q1 - q0 * n13;
    const IDX x3 = k - q1 * n13;
    const int i4 = n10 * q0 + n7 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

static inline long b_column_hook(const IDX b, const IDX n FN_PARAMS) {
    const int i0 = n14 * b + n15 * n;
    const long v1 = (long)(i0);
    return v1;
}
#define B_COLUMN(b, n) b_column_hook(b, n FN_ARGS)

static inline long b_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n8, n9);
    const IDX x1 = k - q0 * n15;
    const int i2 = n16 * q0 + x1;
    const long v3 = (long)(i2);
    return v3;
}
#define B_COL(k) b_col_hook(k FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n1, n2);
    const IDX q1 = (int)FASTDIV(m, n4, n5);
    const IDX x2 = q1 - q0 * n6;
    const IDX x3 = m - q1 * n6;
    const IDX q4 = (int)FASTDIV(k, n8, n9);
    const IDX q5 = (int)FASTDIV(k, n11, n12);
    const IDX x6 = q5 - q4 * n13;
    const IDX x7 = k - q5 * n13;
    const int i8 = n0 * b + n3 * q0 + n7 * x2 + x3 + n10 * q4 + n7 * x6 + x7;
    const float v9 = LOAD_float16(p0, i8);
    return v9;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n8, n9);
    const IDX x1 = k - q0 * n15;
    const int i2 = n14 * b + n15 * n + n16 * q0 + x1;
    const float v3 = LOAD_float16(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

#include "contract/cpu_line.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_lines.cl"
// launch contract_sum global [288] local [1]
// options -cl-single-precision-constant
// arguments M=36 N=4 BATCHES=8 SPLITS=2 n0=144 n1=4
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define SPAN 64
#define LEVELS 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const half *restrict p0_, \
    const ulong o_p0, \
    __global const half *restrict p1_, \
    const ulong o_p1, \
    __global half *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PART, \
    const IDX M, \
    const IDX N, \
    const IDX BATCHES, \
    const IDX SPLITS, \
    const IDX n0, \
    const IDX n1
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, PART, M, N, BATCHES, SPLITS, n0, n1
#define FN_PARAMS , __global const half *p0, \
    __global const half *p1, \
    const IDX n0, \
    const IDX n1
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0, n1

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    const float v0 = (float)(round_float16(acc));
    return v0;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * b + n1 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float16(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/any_sum.cl"
