// galaxy.cl: one step of bodies that attract each other, with every pair computed.
//
//     a[i] = sum over j of m[j] (x[j] - x[i]) / (|x[j] - x[i]|^2 + eps^2)^(3/2)      G = 1; eps softens what is near
//     v[i] <- v[i] + kick a[i]
//     x[i] <- x[i] + drift v[i]
//
// kick = drift = dt is a step of the leap-frog, whose velocities are half a step behind; kick = dt/2 takes them there, and back.
//
// operands  p  float[4][n]  x, y, z, mass     results  q  float[4][n]  the same after the step
//           v  float[4][n]  velocities                 w  float[4][n]  the same; in row 3, with POTENTIAL defined, the
//                                                         potential - sum over j of m[j] / sqrt(|x[j] - x[i]|^2 + eps^2)
// macros    V  bodies of a work-item: 4, 8 or 16 as a CPU's vectors hold, 1 for a GPU       GROUP  work-items of a group
//           n is a multiple of V GROUP
// launch    global {n / V}  local {GROUP}
// source    Nyland, Harris and Prins, Fast N-Body Simulation with CUDA, GPU Gems 3 (2007), chapter 31

#if V == 1
typedef float F;
#define LOAD(p) *(p)
#define STORE(p, v) *(p) = v
#else
typedef float F __attribute__((ext_vector_type(V)));
typedef float stored __attribute__((ext_vector_type(V), aligned(4))); // as they lie in memory
#define LOAD(p) *(global const stored *)(p)
#define STORE(p, v) *(global stored *)(p) = v
#endif

#if V == 16 && defined(__AVX512F__) // 14 bits of 1/sqrt, which a Newton step doubles: no square root, no division
static inline F rough(F x) { return __builtin_ia32_rsqrt14ps512_mask(x, x, 0xffff); }
#elif V == 8 && defined(__AVX__) // 12 bits
static inline F rough(F x) { return __builtin_ia32_rsqrtps256(x); }
#else
static inline F rough(F x) { return native_rsqrt(x); }
#endif

// PULL adds two thirds of what a body with mass mj at (xj, yj, zj) does. With y the rough 1/d, t = (d y)^2 is nearly 1, and but
// for terms of (1 - t)^2, m / d^3 is m y^3 (1 + 3/2 (1 - t)) = 3/2 m y^3 (5/3 - t), and m / d is 1/2 m y (3 - t).
#define PULL(xj, yj, zj, mj) { \
	const F dx = xj - x, dy = yj - y, dz = zj - z; \
	const F d2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, (F)eps2))); \
	const F inv = rough(d2), inv2 = inv * inv, m = mj * inv; \
	const F s = m * inv2 * fma(-d2, inv2, (F)(5.0f / 3)); \
	ax = fma(dx, s, ax); \
	ay = fma(dy, s, ay); \
	az = fma(dz, s, az); \
	ADD_POTENTIAL }

#ifdef POTENTIAL
#define ADD_POTENTIAL sum = fma(-0.5f * m, fma(-d2, inv2, (F)3), sum);
#else
#define ADD_POTENTIAL
#endif

kernel void leap(global const float *restrict p, global const float *restrict v, global float *restrict q, global float *restrict w,
                 int n, float eps2, float kick, float drift) {
	const int i = get_global_id(0) * V;
	const F x = LOAD(p + i), y = LOAD(p + n + i), z = LOAD(p + 2 * n + i);
	F ax = 0, ay = 0, az = 0, sum = 0;
#if V == 1 // a group reads bodies together, and each of its work-items all of them from local memory
	local float4 near[GROUP];
	const int me = get_local_id(0);
	for (int first = 0; first < n; first += GROUP) {
		const int j = first + me;
		near[me] = (float4)(p[j], p[n + j], p[2 * n + j], p[3 * n + j]);
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
		for (int k = 0; k < GROUP; k++) {
			const float4 b = near[k];
			PULL(b.x, b.y, b.z, b.w)
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#else
	for (int j = 0; j < n; j++) {
		PULL(p[j], p[n + j], p[2 * n + j], p[3 * n + j])
	}
#endif
	kick *= 1.5f; // for the thirds that PULL leaves out
	const F vx = LOAD(v + i) + kick * ax, vy = LOAD(v + n + i) + kick * ay, vz = LOAD(v + 2 * n + i) + kick * az;
	STORE(w + i, vx);
	STORE(w + n + i, vy);
	STORE(w + 2 * n + i, vz);
	STORE(w + 3 * n + i, sum);
	STORE(q + i, x + drift * vx);
	STORE(q + n + i, y + drift * vy);
	STORE(q + 2 * n + i, z + drift * vz);
	STORE(q + 3 * n + i, LOAD(p + 3 * n + i));
}

// peak multiplies and adds, and nothing else: 16 V count operations in a work-item, what the device could do at best.
kernel void peak(global float *out, float a, float b, int count) {
	F c[8];
	for (int k = 0; k < 8; k++) {
		c[k] = (F)(float)(k + get_global_id(0));
	}
	for (int i = 0; i < count; i++) {
#pragma unroll
		for (int k = 0; k < 8; k++) {
			c[k] = fma(c[k], (F)a, (F)b);
		}
	}
	for (int k = 1; k < 8; k++) {
		c[0] += c[k];
	}
	STORE(out + get_global_id(0) * V, c[0]);
}
