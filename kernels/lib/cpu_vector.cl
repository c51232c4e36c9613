// lib/cpu_vector.cl: vectors of 16 neighbouring elements, widened to their register type

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

// These types, PUT16 of 16 elements of four bytes, and ANYWHERE_float32 and ANYWHERE_float64 are loads and stores of vectors anywhere:
// vload16 and vstore16 are several for some compilers, down to pairs of elements where two loads overlap.
typedef float16 __attribute__((aligned(4))) FLOAT16_ANYWHERE;
#define PUT16(v, p) (*(__global FLOAT16_ANYWHERE *)(p) = as_float16(v))
#define ANYWHERE_float32(p, i) (*(const __global FLOAT16_ANYWHERE *)((p) + (i)))
#ifdef cl_khr_fp64
typedef double16 __attribute__((aligned(8))) DOUBLE16_ANYWHERE;
#define ANYWHERE_float64(p, i) (*(const __global DOUBLE16_ANYWHERE *)((p) + (i)))
#endif
