// lines block 4x4, 3 x 32 columns, 7 lines of 112 split k 16: a CPU driver: terms that are lines of pixels, laid out in the cache of one core
// launch contract_lines global [1 1 16] local [1 1 1]
// options -cl-single-precision-constant
// arguments M=27 N=32 K=25088 BATCHES=1 LENGTH=112 BAND=7 REACH=1 V=3 APART=1 PHASES=2 COLUMNS=32 GROUP=4 CHUNK=1568 n0=-954437176 n1=4 n2=51076 n3=1431655766 n4=2 n5=3 n6=226 n7=1314785907 n8=14 n9=153228 n10=613566757 n11=7 n12=112 n13=452 n14=2 n15=12544 n16=401408
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define ROWS 4
#define COLS 4
#define SPACE_A 49152
#define SPACE_B 49152
#define SPACE_SUM 16384
#define TAPS 64
#define RESTS 0
#define LEVELS 0
#define MEND 1
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define VL 16
#define VT float16
#define STEP 2
#define LINE_TYPE float
#define LINE_LOAD(p) (*(__global const VT_ANYWHERE *)(p))
#define LINE_ONE(p, i) LOAD_float32(p, i)
#define B_PLAIN 1
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define B_LOAD(p) vload16(0, p)
#define B_ONE(p, i) LOAD_float32(p, i)
#define SPLIT 1
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
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
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
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
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX q1 = (int)FASTDIV(m, n3, n4);
    const IDX x2 = q1 - q0 * n5;
    const IDX x3 = m - q1 * n5;
    const int i4 = n2 * q0 + n6 * x2 + x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_ROW(b, m) a_row_hook(b, m FN_ARGS)

static inline long a_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n7, n8);
    const IDX q1 = (int)FASTDIV(k, n10, n11);
    const IDX x2 = q1 - q0 * n12;
    const IDX x3 = k - q1 * n12;
    const int i4 = n9 * q0 + n13 * x2 + n14 * x3;
    const long v5 = (long)(i4);
    return v5;
}
#define A_COL(k) a_col_hook(k FN_ARGS)

static inline long b_column_hook(const IDX b, const IDX n FN_PARAMS) {
    const int i0 = n15 * n;
    const long v1 = (long)(i0);
    return v1;
}
#define B_COLUMN(b, n) b_column_hook(b, n FN_ARGS)

static inline long b_col_hook(const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n7, n8);
    const IDX x1 = k - q0 * n15;
    const int i2 = n16 * q0 + x1;
    const long v3 = (long)(i2);
    return v3;
}
#define B_COL(k) b_col_hook(k FN_ARGS)

static inline float load_a_hook(const IDX b, const IDX m, const IDX k FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(m, n0, n1);
    const IDX q1 = (int)FASTDIV(m, n3, n4);
    const IDX x2 = q1 - q0 * n5;
    const IDX x3 = m - q1 * n5;
    const IDX q4 = (int)FASTDIV(k, n7, n8);
    const IDX q5 = (int)FASTDIV(k, n10, n11);
    const IDX x6 = q5 - q4 * n12;
    const IDX x7 = k - q5 * n12;
    const int i8 = n2 * q0 + n6 * x2 + x3 + n9 * q4 + n13 * x6 + n14 * x7;
    const float v9 = LOAD_float32(p0, i8);
    return v9;
}
#define LOAD_A(b, m, k) load_a_hook(b, m, k FN_ARGS)

static inline float load_b_hook(const IDX b, const IDX k, const IDX n FN_PARAMS) {
    const IDX q0 = (int)FASTDIV(k, n7, n8);
    const IDX x1 = k - q0 * n15;
    const int i2 = n15 * n + n16 * q0 + x1;
    const float v3 = LOAD_float32(p1, i2);
    return v3;
}
#define LOAD_B(b, k, n) load_b_hook(b, k, n FN_ARGS)

#include "contract/cpu_line.cl"
#include "lib/block_sums.cl"
#include "contract/cpu_lines.cl"
// launch contract_sum global [27] local [1]
// options -cl-single-precision-constant
// arguments M=27 N=32 BATCHES=1 SPLITS=16 n0=32
#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define SPAN 64
#define LEVELS 0
#define OUT(b, m, n, v) STORE(OUT_AT(b, m, n), EPILOGUE(b, m, n, (float)(v)))
#define PARAMS __global const float *restrict p0_, \
    const ulong o_p0, \
    __global const float *restrict p1_, \
    const ulong o_p1, \
    __global float *restrict y0_, \
    const ulong o_y0, \
    __global float *restrict PART, \
    const IDX M, \
    const IDX N, \
    const IDX BATCHES, \
    const IDX SPLITS, \
    const IDX n0
#define ARGS p0_, o_p0, p1_, o_p1, y0_, o_y0, PART, M, N, BATCHES, SPLITS, n0
#define FN_PARAMS , __global const float *p0, \
    __global const float *p1, \
    const IDX n0
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, n0

static inline float epilogue_hook(const IDX b, const IDX m, const IDX n, const float acc FN_PARAMS) {
    return acc;
}
#define EPILOGUE(b, m, n, acc) epilogue_hook(b, m, n, acc FN_ARGS)

static inline long out_at_hook(const IDX b, const IDX m, const IDX n FN_PARAMS) {
    const int i0 = n0 * m + n;
    const long v1 = (long)(i0);
    return v1;
}
#define OUT_AT(b, m, n) out_at_hook(b, m, n FN_ARGS)

#define STORE(i, v) STORE_float32(y0_ + o_y0, i, (v))

#include "lib/block_sums.cl"
#include "contract/any_sum.cl"
