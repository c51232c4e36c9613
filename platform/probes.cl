// probes.cl: small kernels that prove what a device can do.
//
// Each kernel reads words from io and writes words to io; the host knows the
// right answer. A kernel that the compiler does not offer is guarded away rather
// than refused, because some drivers print every compile error to the terminal;
// its absence is the answer.
//
// macros  FORCE_DOUBLE, TRY_PTX  set by the host where the extension string is known
//                                to keep silent. Half has none: NVIDIA's drivers take the
//                                type undeclared, but 580 refuses these kernels and prints it
//         TRY_LANES                          the smallest sub-groups, from 8 on, that a kernel may ask for
//         TRY_VEX, TRY_VNNI  set where the CPU that the host runs on has the instructions
//         T                                  the float vector that the device prefers: float, float4, ...
//         TOGETHER           set where one kernel is to run all sections that it can
// launch  one group of 64 items, except for the rates
// note    a line "//:name" begins the section of a kernel. All sections are one
//         program; when that does not build, each is tried alone. No kernel may
//         have the name of a built-in function: PoCL renames those.

// APART begins a function that does not ask which item it is for, nor waits for others: drivers that compile several
// copies of a kernel need not copy it.
#ifdef BODIES_APART
#define APART static __attribute__((noinline))
#else
#define APART static inline
#endif

// PROBE(name) { ... } is a kernel that can also be called from another one, as run_name(io, mine), and PROBE_AS(APART, name) one
// that is such a function.
#define PROBE(name) PROBE_AS(static inline, name)
#define PROBE_AS(kind, name)                                                   \
    kind void run_##name(global uint *io, local uint *mine);                   \
    kernel void name(global uint *io, local uint *mine) { run_##name(io, mine); } \
    kind void run_##name(global uint *io, local uint *mine)

// RATE(name, F) is a kernel that does rounds * 8 multiply-adds of T an item, in 8 independent chains, and run_name(io, rounds, id)
// what item id does.
#define RATE(name, F)                                                          \
    APART void run_##name(global T *io, int rounds, uint id) {                 \
        T s = (T)(id * 1e-6f);                                                 \
        T m = io[0] + s, c = io[1] - s;                                        \
        T a0 = c, a1 = c + 1, a2 = c + 2, a3 = c + 3;                          \
        T a4 = c + 4, a5 = c + 5, a6 = c + 6, a7 = c + 7;                      \
        for (int i = 0; i < rounds; i++) {                                     \
            a0 = F(a0, m, c); a1 = F(a1, m, c);                                \
            a2 = F(a2, m, c); a3 = F(a3, m, c);                                \
            a4 = F(a4, m, c); a5 = F(a5, m, c);                                \
            a6 = F(a6, m, c); a7 = F(a7, m, c);                                \
        }                                                                      \
        io[2 + id] = ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7));        \
    }                                                                          \
    kernel void name(global T *io, int rounds) { run_##name(io, rounds, get_global_id(0)); }

// Two products by matrix units: io holds A, 16 x 16, and Bt, 8 x 16, of a half type. Each lane
// keeps its four elements of A·B + 1024·At·B, made wrong where rounding to that type is. Only the
// first half of the last row of Bt is copied, and 0 stands in for the rest.
#define MMA_BEGIN                                                              \
    __local uint4 tile[48];                                                    \
    UNITS_LOCAL                                                                \
    const int id = get_local_id(0), lane = id % 32;                            \
    float result[2][4];                                                        \
    for (int v = 0; v < 4; v++)                                                \
        result[0][v] = result[1][v] = 0;
#define MMA_PRODUCTS(to) {                                                     \
    for (int i = id; i < 48; i += get_local_size(0))                           \
        COPY(&tile[i], (global const uint4 *)io + i, i == 47 ? 8 : 16);        \
    COPIES_END                                                                 \
    COPIES_WAIT(0)                                                             \
    barrier(CLK_LOCAL_MEM_FENCE);                                              \
    uint a[4], t[4], b[4], p;                                                  \
    float c[4] = {0, 0, 0, 0}, d[4] = {0, 0, 0, 0};                            \
    LOAD_ROWS(a, &tile[lane % 16 * 2 + lane / 16])                             \
    LOAD_COLUMNS(t, &tile[(lane % 8 + lane / 16 * 8) * 2 + lane / 8 % 2])      \
    LOAD_ROWS(b, &tile[32 + lane % 8 * 2 + lane / 8 % 2])                      \
    MULTIPLY(c, a, b)                                                          \
    MULTIPLY(d, t, b)                                                          \
    PACK_INTO(p, 1 / 3.0f, -2.0f);                                             \
    for (int v = 0; v < 4; v++)                                                \
        (to)[v] = c[v] + 1024 * d[v] + (p == (BF16 ? 0xc0003eabu : 0xc0003555u) ? 0 : 1); \
    barrier(CLK_LOCAL_MEM_FENCE);                                              \
}
#define MMA_END                                                                \
    barrier(CLK_GLOBAL_MEM_FENCE);                                             \
    for (int i = 0; i < 8; i++)                                                \
        if (id < 32)                                                           \
            ((global float *)io)[i * 32 + lane] = result[i / 4][i % 4];

//:atomics32
#define HAS_atomics32
PROBE(atomics32)
{
    uint i = get_global_id(0);
    if (get_local_id(0) == 0) {
        mine[0] = 0;
        mine[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add((volatile local uint *)&mine[0], 3u);
    atomic_max((volatile local uint *)&mine[1], i);
    atomic_add((volatile global uint *)&io[0], 5u);
    atomic_min((volatile global uint *)&io[1], i + 7u);
    uint seen, old = 0; // io[2] begins with it: a plain load would race
    do { // every item increments: a lost update shows
        seen = old;
        old = atomic_cmpxchg((volatile global uint *)&io[2], seen, seen + 1u);
    } while (old != seen);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        io[3] = mine[0];
        io[4] = mine[1];
    }
}

//:atomics64
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define HAS_atomics64
PROBE_AS(APART, atomics64)
{
    // One addition carries from the low word to the high one now and then.
    atom_add((volatile global ulong *)io, (ulong)0x1F0000001UL);
}
#endif

//:fp64
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64) || defined(FORCE_DOUBLE)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define HAS_fp64
PROBE_AS(APART, fp64)
{
    double a = (double)io[0], b = (double)io[1];
    ulong third = as_ulong(a / b), root = as_ulong(sqrt(a + a)), tiny = as_ulong(a + ldexp(a, -50));
    io[2] = (uint)third;
    io[3] = (uint)(third >> 32);
    io[4] = (uint)root;
    io[5] = (uint)(root >> 32);
    io[6] = (uint)tiny;
    io[7] = (uint)(tiny >> 32);
}
#endif

//:half
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define HAS_half
PROBE_AS(APART, half_arithmetic)
{
    half a = as_half((ushort)io[0]), b = as_half((ushort)io[1]);
    io[2] = as_ushort((half)(a + b)); // 2048 + 1 is 2048 in half, 2049 in float
    io[3] = as_ushort((half)(b / (b + b + b)));
    half4 v = (half4)(b, b + b, b, a);
    io[4] = as_ushort((half)(v.x * v.y + v.z));
}
#endif

//:ptx
#ifdef TRY_PTX
kernel void ptx(global uint *io, local uint *unused)
{
    uint x;
    asm volatile("add.u32 %0, %1, %2;" : "=r"(x) : "r"(io[0]), "r"(io[1]));
    io[2] = x;
}
#endif

//:dot_ptx
#ifdef TRY_PTX
#include "contract/gpu_dot4_ptx.cl"
kernel void dot_ptx(global uint *io, local uint *unused)
{
    io[3] = DOT_SS(io[0], io[1], io[2]);
    io[4] = DOT_SU(io[0], io[1], io[2]);
    io[5] = DOT_US(io[0], io[1], io[2]);
    io[6] = DOT_UU(io[0], io[1], io[2]);
}
#endif

//:dot_amd
#if defined(__AMDGCN__) && (defined(__GFX11__) || defined(__GFX12__) || defined(__gfx906__) || defined(__gfx908__) \
    || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) \
    || defined(__gfx1011__) || defined(__gfx1012__) || defined(__gfx1030__) || defined(__gfx1031__) || defined(__gfx1032__) \
    || defined(__gfx1033__) || defined(__gfx1034__) || defined(__gfx1035__) || defined(__gfx1036__))
#include "contract/gpu_dot4_amd.cl"
kernel void dot_amd(global uint *io, local uint *unused)
{
    io[3] = DOT_SS(io[0], io[1], io[2]);
    io[4] = DOT_SU(io[0], io[1], io[2]);
    io[5] = DOT_US(io[0], io[1], io[2]);
    io[6] = DOT_UU(io[0], io[1], io[2]);
}
#endif

//:dot_vex
#if defined(TRY_VEX) && defined(__AVX2__)
#include "contract/cpu_dot4_vex.cl"
#define HAS_dot_vex
PROBE_AS(APART, dot_vex_probe)
{
    const uint8 a = io[0], b = io[1], c = io[2];
    io[3] = DOT_US(a, b, c).s5;
    io[4] = DOT_SU(a, b, c).s7;
}
#endif

//:dot_avx2
#if defined(__AVX2__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_pmaddwd256)
#include "contract/cpu_dot4_avx2.cl"
#define HAS_dot_avx2
PROBE_AS(APART, dot_avx2_probe)
{
    const uint8 a = io[0], b = io[1], c = io[2];
    io[3] = DOT_SS(a, b, c).s1;
    io[4] = DOT_SU(a, b, c).s3;
    io[5] = DOT_US(a, b, c).s5;
    io[6] = DOT_UU(a, b, c).s7;
}
#endif
#endif

//:dot_x86
#if defined(TRY_VNNI) && defined(__AVX512F__) && defined(__AVX512VL__)
#include "contract/cpu_dot4_x86.cl"
#define HAS_dot_x86
PROBE_AS(APART, dot_x86_probe)
{
    const uint16 a = io[0], b = io[1], c = io[2];
    io[3] = DOT_US(a, b, c).sb;
    io[4] = DOT_SU(a, b, c).sf;
    io[5] = DOT_US(a.lo, b.lo, c.lo).s5;
    io[6] = DOT_SU(a.hi, b.hi, c.hi).s7;
}
#endif

//:mma75
#ifdef TRY_PTX
#undef MMA_SM
#undef BF16
#define MMA_SM 75
#define BF16 0
#include "contract/gpu_mma_ptx.cl"
kernel void mma75(global uint *io, local uint *unused)
{
    MMA_BEGIN
    MMA_PRODUCTS(result[0])
    MMA_END
}
#endif

//:mma80
#ifdef TRY_PTX
#undef MMA_SM
#undef BF16
#define MMA_SM 80
#define BF16 0
#include "contract/gpu_mma_ptx.cl"
kernel void mma80(global uint *io, local uint *unused)
{
    MMA_BEGIN
    MMA_PRODUCTS(result[0])
#undef BF16
#define BF16 1
#include "contract/gpu_mma_ptx.cl"
    MMA_PRODUCTS(result[1])
    MMA_END
}
#endif

//:dot_khr
#if defined(cl_khr_integer_dot_product) || defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
#include "contract/gpu_dot4_khr.cl"
kernel void dot_khr(global uint *io, local uint *unused)
{
    io[3] = DOT_SS(io[0], io[1], io[2]);
    io[4] = DOT_SU(io[0], io[1], io[2]);
    io[5] = DOT_US(io[0], io[1], io[2]);
    io[6] = DOT_UU(io[0], io[1], io[2]);
}
#endif

//:subgroups
#if defined(cl_khr_subgroups) || defined(cl_intel_subgroups) || defined(__opencl_c_subgroups)
#if defined(cl_khr_subgroups) && __OPENCL_C_VERSION__ == 200 // others need none and some warn
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
kernel void subgroups(global uint *io, local uint *unused)
{
    uint i = get_global_id(0);
    io[4 * i] = get_max_sub_group_size();
    io[4 * i + 1] = get_sub_group_size();
    io[4 * i + 2] = sub_group_reduce_add(1u);
    io[4 * i + 3] = sub_group_broadcast(i, 0) + get_sub_group_local_id();
}
#endif

//:shuffle
#if defined(cl_khr_subgroup_shuffle) || defined(cl_intel_subgroups)
#ifdef cl_khr_subgroup_shuffle
#define SHUFFLE_XOR(v, m) sub_group_shuffle_xor(v, m)
#else
#define SHUFFLE_XOR(v, m) intel_sub_group_shuffle_xor(v, m)
#endif
kernel void shuffle_xor(global uint *io, local uint *unused)
{
    uint i = get_global_id(0);
    io[i] = SHUFFLE_XOR(i, 1u);
}
#endif

//:lanes
#ifdef TRY_LANES
#undef LANES
#define LANES TRY_LANES
#include "contract/gpu_subgroup_intel.cl"
// Each item keeps a register of another lane and three of its own, read from words of io from the
// number of the sub-group on: one as a float, one of float16 and one of bfloat16.
kernel SUBGROUPS(64 / LANES, 1) void lanes(global uint *io, local uint *unused)
{
    SUBGROUP_LOCAL
    const int id = SUBGROUP * LANES + LANE, from = SUBGROUP;
    float r[2], h[2], g[2];
    READ_float32(r, (global const float *)io + from, 2)
    READ_float16(h, (global const half *)io + 2 * from, 2)
    READ_bfloat16(g, (global const ushort *)io + 2 * from, 2)
    SHOW(r, 2)
    const float other = SHOWN(r, 1, LANES - 3);
    barrier(CLK_GLOBAL_MEM_FENCE); // all is read
    io[id] = as_uint(other);
    io[64 + id] = as_uint(r[0]);
    io[128 + id] = as_uint(h[1]);
    io[192 + id] = as_uint(g[1]);
}
#endif

//:rate_plain
#define PLAIN(a, b, c) ((a) * (b) + (c))
#define HAS_rate_plain
RATE(rate_plain, PLAIN)

//:rate_mad
#define HAS_rate_mad
RATE(rate_mad, mad)

//:rate_fma
#define HAS_rate_fma
RATE(rate_fma, fma)

//:copy
// The device's own copy rate: one T in, one T out an item.
kernel void copy(global const T *from, global T *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

//:uneven
// Multiply-adds in a chain, rounds an item in the mean: as many for each item, or from none
// to twice as many, by a hash of its number.
kernel void uneven(global uint *to, const int rounds, const int differ)
{
    const uint id = get_global_id(0);
    uint x = id;
    if (differ) {
        const int own = rounds * (int)(id * 2654435761u >> 28) * 2 / 15;
        for (int i = 0; i < own; ++i)
            x = x * 1664525u + (x >> 16);
    } else {
        for (int i = 0; i < rounds; ++i)
            x = x * 1664525u + (x >> 16);
    }
    to[id] = x;
}

//:together
// The kernels above as one, for drivers that compile each kernel when it is first launched, and a copy of as many vectors an item
// as it is told, so that launches differ in their sizes as little as they can. In a program with all sections only.
#ifdef TOGETHER
// Does rounds multiply-adds of T, each of which waits for the one before: as a * b + c for way 1, by mad for 2, by fma for 3.
APART void run_chain(global T *io, int rounds, int way)
{
    const T m = io[0], c = io[1];
    T a = c;
    if (way == 1) {
#ifdef HAS_rate_plain
        for (int i = 0; i < rounds; i++)
            a = PLAIN(a, m, c);
#endif
    } else if (way == 2) {
#ifdef HAS_rate_mad
        for (int i = 0; i < rounds; i++)
            a = mad(a, m, c);
#endif
    } else {
#ifdef HAS_rate_fma
        for (int i = 0; i < rounds; i++)
            a = fma(a, m, c);
#endif
    }
    io[2] = a;
}

// Each probe has a slice of SLICE words of io for its own; the multiply-adds, of one item, are done where rounds is not 0.
#define SLICE 256
kernel void proofs(global uint *io, local uint *mine, int rounds, int way)
{
#ifdef HAS_atomics32
    run_atomics32(io, mine);
#endif
#ifdef HAS_atomics64
    run_atomics64(io + SLICE, mine);
#endif
#ifdef HAS_fp64
    run_fp64(io + 2 * SLICE, mine);
#endif
#ifdef HAS_half
    run_half_arithmetic(io + 3 * SLICE, mine);
#endif
#ifdef HAS_dot_vex
    run_dot_vex_probe(io + 4 * SLICE, mine);
#endif
#ifdef HAS_dot_x86
    run_dot_x86_probe(io + 5 * SLICE, mine);
#endif
#ifdef HAS_dot_avx2
    run_dot_avx2_probe(io + 6 * SLICE, mine);
#endif
    if (rounds > 0 && get_local_id(0) == 0)
        run_chain((global T *)(io + 7 * SLICE), rounds, way);
}

APART void run_copies(global const T *from, int rounds, global T *to, size_t id)
{
    for (size_t i = id * rounds; i < (id + 1) * rounds; i++)
        to[i] = from[i];
}

kernel void copies(global const T *from, int rounds, global T *to) { run_copies(from, rounds, to, get_global_id(0)); }
#endif
