// contract/gpu_subgroup_emulated.cl: the sub-group functions of contract/gpu_subgroup_intel.cl by local memory, on any device
//
// A work-group is one sub-group, whose lanes show one another registers in local memory.
//
// macros  LANES  work-items of a sub-group    SHOWS  registers that are shown at once, of type ACC
// source  Khronos, cl_intel_subgroups

#define UNROLL
#define SUBGROUPS(x, y) __attribute__((reqd_work_group_size(LANES, 1, 1)))
#define SUBGROUP_LOCAL __local ACC shown[SHOWS][LANES];
#define SUBGROUP 0
#define LANE get_local_id(0)
#define SHOW(r, n) { \
    barrier(CLK_LOCAL_MEM_FENCE); \
    for (int i_ = 0; i_ < (n); i_++) \
        shown[i_][LANE] = (r)[i_]; \
    barrier(CLK_LOCAL_MEM_FENCE); \
}
#define SHOWN(r, i, lane) shown[i][lane]
#define READ_OF(LOAD, to, p, n) { \
    for (int i_ = 0; i_ < (n); i_++) \
        (to)[i_] = LOAD(p, i_ * LANES + (int)LANE); \
}
#define READ_float32(to, p, n) READ_OF(LOAD_float32, to, p, n)
#define READ_float16(to, p, n) READ_OF(LOAD_float16, to, p, n)
#define READ_bfloat16(to, p, n) READ_OF(LOAD_bfloat16, to, p, n)
#define FOUR_float32(p) vload4(0, p)
#define FOUR_float16(p) vload_half4(0, p)
#define FOUR_bfloat16(p) as_float4(convert_uint4(vload4(0, p)) << 16)
