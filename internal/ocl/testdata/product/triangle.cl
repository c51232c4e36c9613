#define ACC double
#define MAC(a, b, c) FMA(a, b, c)
#define A_TYPE double
#define A_PTR (p0_ + o_p0)
#define B_PTR (y0_ + o_y0)
#define SOLVE 1
#define TURNED 1
#define MR 8
#define NV 2
#define NR 16
#define VL 8
#define VT double8
#define SPACE 49152

