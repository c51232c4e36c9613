// contract/gpu_subgroup_intel.cl: sub-groups of Intel GPUs: block reads, and registers that other lanes read
//
// LANES work-items run in step and read one another's registers. A register that all lanes want
// from one of them is an operand of the multiply-add itself; a block read moves neighbours in
// memory to neighbouring lanes, one address for all.
//
// SUBGROUPS(x, y)           before a kernel: x · y sub-groups a work-group
// SUBGROUP_LOCAL            what a kernel declares
// SUBGROUP, LANE            of a work-item
// SHOW(r, n)                lets other lanes see r[0] to r[n - 1]
// SHOWN(r, i, lane)         r[i] of a lane
// READ_float32(to, p, n)    to[i] = p[i * LANES + LANE] for i < n; n is 1, 2, 3, 4 or 8
// READ_float16, READ_bfloat16   the same of 16 bits, widened; p is aligned to 4 bytes
// FOUR_float32(p), ...      four neighbours as floats; those of 16 bits are aligned to 8 bytes
// UNROLL                    before loops whose steps name registers
//
// SHOW and READ are whole statements, which all lanes take part in.
//
// macros  LANES  8 or 16
// source  Khronos, cl_intel_subgroups, cl_intel_subgroups_short, cl_intel_required_subgroup_size

#define UNROLL _Pragma("unroll")
#define SUBGROUPS(x, y) \
    __attribute__((reqd_work_group_size(LANES * (x) * (y), 1, 1))) __attribute__((intel_reqd_sub_group_size(LANES)))
#define SUBGROUP_LOCAL
#define SUBGROUP intel_sub_group_shuffle(get_sub_group_id(), 0)
#define LANE get_sub_group_local_id()
#define SHOW(r, n)
#define SHOWN(r, i, lane) intel_sub_group_shuffle((r)[i], lane)

#define FLOATS_float32(n, v) as_float##n(v)
#define FLOATS_bfloat16(n, v) as_float##n(convert_uint##n(v) << 16)
#define READ_1(T, to, p, READ) { (to)[0] = FLOATS_##T(, READ(p)); }
#define READ_2(T, to, p, READ) { const float2 v_ = FLOATS_##T(2, READ##2(p)); (to)[0] = v_.x; (to)[1] = v_.y; }
#define READ_3(T, to, p, READ) { READ_2(T, to, p, READ) READ_1(T, (to) + 2, (p) + 2 * LANES, READ) }
#define READ_4(T, to, p, READ) { \
    const float4 v_ = FLOATS_##T(4, READ##4(p)); \
    (to)[0] = v_.x; (to)[1] = v_.y; (to)[2] = v_.z; (to)[3] = v_.w; \
}
#define READ_8(T, to, p, READ) { \
    const float8 v_ = FLOATS_##T(8, READ##8(p)); \
    (to)[0] = v_.s0; (to)[1] = v_.s1; (to)[2] = v_.s2; (to)[3] = v_.s3; \
    (to)[4] = v_.s4; (to)[5] = v_.s5; (to)[6] = v_.s6; (to)[7] = v_.s7; \
}
#define READ_OF(T, to, p, n, READ) READ_##n(T, to, p, READ)
#define READ_float32(to, p, n) READ_OF(float32, to, (__global const uint *)(p), n, intel_sub_group_block_read)
#define READ_bfloat16(to, p, n) READ_OF(bfloat16, to, (__global const ushort *)(p), n, intel_sub_group_block_read_us)

#define FOUR_float32(p) vload4(0, p)
#define FOUR_bfloat16(p) FLOATS_bfloat16(4, *(__global const ushort4 *)(p))
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define FLOATS_float16(n, v) convert_float##n(as_half##n(v))
#define READ_float16(to, p, n) READ_OF(float16, to, (__global const ushort *)(p), n, intel_sub_group_block_read_us)
#define FOUR_float16(p) FLOATS_float16(4, *(__global const ushort4 *)(p))
#else
#define READ_float16(to, p, n) { \
    for (int i_ = 0; i_ < (n); i_++) \
        (to)[i_] = vload_half(i_ * LANES + (int)LANE, p); \
}
#define FOUR_float16(p) vload_half4(0, p)
#endif
