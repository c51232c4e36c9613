// lib/cpu_vector.cl: vectors of 16 neighbouring elements, widened to their register type
//
//     LOADS_<dtype>(p, i)   elements i .. i + 15 from p on

#define LOADS_bool(p, i) vload16(0, (p) + (i))
#define LOADS_int8(p, i) vload16(0, (p) + (i))
#define LOADS_uint8(p, i) vload16(0, (p) + (i))
#define LOADS_int16(p, i) vload16(0, (p) + (i))
#define LOADS_uint16(p, i) vload16(0, (p) + (i))
#define LOADS_int32(p, i) vload16(0, (p) + (i))
#define LOADS_uint32(p, i) vload16(0, (p) + (i))
#define LOADS_int64(p, i) vload16(0, (p) + (i))
#define LOADS_uint64(p, i) vload16(0, (p) + (i))
#define LOADS_float16(p, i) vload_half16(0, (p) + (i))
#define LOADS_bfloat16(p, i) as_float16(convert_uint16(vload16(0, (p) + (i))) << 16)
#define LOADS_float32(p, i) vload16(0, (p) + (i))
#define LOADS_float64(p, i) vload16(0, (p) + (i))

// PUT16 stores a vector of 16 elements of four bytes anywhere: vstore16 is up to four stores for some compilers.
typedef float16 __attribute__((aligned(4))) FLOAT16_ANYWHERE;
#define PUT16(v, p) (*(__global FLOAT16_ANYWHERE *)(p) = as_float16(v))
