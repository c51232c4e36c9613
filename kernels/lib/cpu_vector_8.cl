// lib/cpu_vector_8.cl: vectors of 8 neighbouring elements, widened to their register type
//
//     LOADS8_<dtype>(p, i)   elements i .. i + 7 from p on

#define LOADS8_bool(p, i) vload8(0, (p) + (i))
#define LOADS8_int8(p, i) vload8(0, (p) + (i))
#define LOADS8_uint8(p, i) vload8(0, (p) + (i))
#define LOADS8_int16(p, i) vload8(0, (p) + (i))
#define LOADS8_uint16(p, i) vload8(0, (p) + (i))
#define LOADS8_int32(p, i) vload8(0, (p) + (i))
#define LOADS8_uint32(p, i) vload8(0, (p) + (i))
#define LOADS8_int64(p, i) vload8(0, (p) + (i))
#define LOADS8_uint64(p, i) vload8(0, (p) + (i))
#define LOADS8_float16(p, i) vload_half8(0, (p) + (i))
#define LOADS8_bfloat16(p, i) as_float8(convert_uint8(vload8(0, (p) + (i))) << 16)
#define LOADS8_float32(p, i) vload8(0, (p) + (i))
#define LOADS8_float64(p, i) vload8(0, (p) + (i))
