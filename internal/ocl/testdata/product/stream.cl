#define ACC float
#define MAC(a, b, c) FMA(a, b, c)
#define SPLIT 0
#define BATCHES 1
#define A_TYPE float
#define A_PTR (p0_ + o_p0)
#define LOAD_A(b, m, k) (A_PTR[AT(m, k, A_LD)])
#define B_TYPE float
#define B_PTR (p1_ + o_p1)
#define LOAD_B(b, k, n) (B_PTR[AT(k, n, B_LD)])
#define AT(i, j, ld) ((long)(i) * (ld) + (j))
#define C_PTR (y0_ + o_y0)
#define VL 16
#define VT float16
#define STEPS 4
#define SPACE 4096
#define B_ROW(b, k) AT(k, 0, B_LD)
#define B_LOAD(p) vload16(0, p)
#define HALF 0

