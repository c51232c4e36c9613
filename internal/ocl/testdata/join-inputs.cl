// inputs inputs=16 span=1: a few inputs a launch, each copied to its place
// launch join_inputs global [1024 10] local [256 1]
// options -cl-single-precision-constant
// arguments ROWS=10 ALL=159 WIDTH0=100 FROM0=3 WIDTH1=7 FROM1=103 WIDTH2=7 FROM2=110 WIDTH3=7 FROM3=117 WIDTH4=7 FROM4=124 WIDTH5=7 FROM5=131 WIDTH6=7 FROM6=138 WIDTH7=7 FROM7=145 WIDTH8=7 FROM8=152 WIDTH9=3 FROM9=0 WIDTH10=0 FROM10=0 WIDTH11=0 FROM11=0 WIDTH12=0 FROM12=0 WIDTH13=0 FROM13=0 WIDTH14=0 FROM14=0 WIDTH15=0 FROM15=0
#define ELEM ushort
#define SPAN 1
#define RESULT ((__global ushort *)(y0_) + o_y0)
#define PICK(k, x, width, from) switch (k) { case 0: x = ((__global const ushort *)(p0_) + o_p0); width = WIDTH0; from = FROM0; break; case 1: x = ((__global const ushort *)(p1_) + o_p1); width = WIDTH1; from = FROM1; break; case 2: x = ((__global const ushort *)(p2_) + o_p2); width = WIDTH2; from = FROM2; break; case 3: x = ((__global const ushort *)(p3_) + o_p3); width = WIDTH3; from = FROM3; break; case 4: x = ((__global const ushort *)(p4_) + o_p4); width = WIDTH4; from = FROM4; break; case 5: x = ((__global const ushort *)(p5_) + o_p5); width = WIDTH5; from = FROM5; break; case 6: x = ((__global const ushort *)(p6_) + o_p6); width = WIDTH6; from = FROM6; break; case 7: x = ((__global const ushort *)(p7_) + o_p7); width = WIDTH7; from = FROM7; break; case 8: x = ((__global const ushort *)(p8_) + o_p8); width = WIDTH8; from = FROM8; break; case 9: x = ((__global const ushort *)(p9_) + o_p9); width = WIDTH9; from = FROM9; break; case 10: x = ((__global const ushort *)(p10_) + o_p10); width = WIDTH10; from = FROM10; break; case 11: x = ((__global const ushort *)(p11_) + o_p11); width = WIDTH11; from = FROM11; break; case 12: x = ((__global const ushort *)(p12_) + o_p12); width = WIDTH12; from = FROM12; break; case 13: x = ((__global const ushort *)(p13_) + o_p13); width = WIDTH13; from = FROM13; break; case 14: x = ((__global const ushort *)(p14_) + o_p14); width = WIDTH14; from = FROM14; break; default: x = ((__global const ushort *)(p15_) + o_p15); width = WIDTH15; from = FROM15; break; }
#define PARAMS __global const ushort *restrict p0_, \
    const ulong o_p0, \
    __global const ushort *restrict p1_, \
    const ulong o_p1, \
    __global const ushort *restrict p2_, \
    const ulong o_p2, \
    __global const ushort *restrict p3_, \
    const ulong o_p3, \
    __global const ushort *restrict p4_, \
    const ulong o_p4, \
    __global const ushort *restrict p5_, \
    const ulong o_p5, \
    __global const ushort *restrict p6_, \
    const ulong o_p6, \
    __global const ushort *restrict p7_, \
    const ulong o_p7, \
    __global const ushort *restrict p8_, \
    const ulong o_p8, \
    __global const ushort *restrict p9_, \
    const ulong o_p9, \
    __global const ushort *restrict p10_, \
    const ulong o_p10, \
    __global const ushort *restrict p11_, \
    const ulong o_p11, \
    __global const ushort *restrict p12_, \
    const ulong o_p12, \
    __global const ushort *restrict p13_, \
    const ulong o_p13, \
    __global const ushort *restrict p14_, \
    const ulong o_p14, \
    __global const ushort *restrict p15_, \
    const ulong o_p15, \
    __global ushort *restrict y0_, \
    const ulong o_y0, \
    const IDX ROWS, \
    const IDX ALL, \
    const IDX WIDTH0, \
    const IDX FROM0, \
    const IDX WIDTH1, \
    const IDX FROM1, \
    const IDX WIDTH2, \
    const IDX FROM2, \
    const IDX WIDTH3, \
    const IDX FROM3, \
    const IDX WIDTH4, \
    const IDX FROM4, \
    const IDX WIDTH5, \
    const IDX FROM5, \
    const IDX WIDTH6, \
    const IDX FROM6, \
    const IDX WIDTH7, \
    const IDX FROM7, \
    const IDX WIDTH8, \
    const IDX FROM8, \
    const IDX WIDTH9, \
    const IDX FROM9, \
    const IDX WIDTH10, \
    const IDX FROM10, \
    const IDX WIDTH11, \
    const IDX FROM11, \
    const IDX WIDTH12, \
    const IDX FROM12, \
    const IDX WIDTH13, \
    const IDX FROM13, \
    const IDX WIDTH14, \
    const IDX FROM14, \
    const IDX WIDTH15, \
    const IDX FROM15
#define FN_PARAMS , __global const ushort *p0, \
    __global const ushort *p1, \
    __global const ushort *p2, \
    __global const ushort *p3, \
    __global const ushort *p4, \
    __global const ushort *p5, \
    __global const ushort *p6, \
    __global const ushort *p7, \
    __global const ushort *p8, \
    __global const ushort *p9, \
    __global const ushort *p10, \
    __global const ushort *p11, \
    __global const ushort *p12, \
    __global const ushort *p13, \
    __global const ushort *p14, \
    __global const ushort *p15
#define FN_ARGS , p0_ + o_p0, p1_ + o_p1, p2_ + o_p2, p3_ + o_p3, p4_ + o_p4, p5_ + o_p5, p6_ + o_p6, p7_ + o_p7, p8_ + o_p8, p9_ + o_p9, p10_ + o_p10, p11_ + o_p11, p12_ + o_p12, p13_ + o_p13, p14_ + o_p14, p15_ + o_p15

#include "join/any_inputs.cl"
