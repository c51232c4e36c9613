// render.cl: a path tracer. Each work-item follows paths of light from the eye through a pixel, backwards.
//
//     L(x, w) = emitted(x, w) + integral over w' of f(x, w', w) L(x, w') |cos|      Kajiya, The rendering equation (1986)
//
// The scene is a floor at y = 0 and spheres: matt, metal, glass (Snell's law, Schlick's reflectance), and a light. Matt points
// also sample a point of the light, so that soft shadows need few paths. The same picture comes out of every device, bit
// by bit: products and sums are rounded alike everywhere where none are contracted; division, roots and sines are not, so
// there is one root, by Newton's method, and directions come from points in a ball.
//
// scene   float[8][count]: x, y, z, radius squared, kind, red, green, blue of count spheres, a multiple of WIDTH;
//         those that fill it up have the radius squared -1 and are never hit
// macros  WIDTH  spheres that a ray is tested with at once: a vector on CPUs, 1 on GPUs
// launch  {width, height}
// source  Shirley, Ray Tracing in One Weekend (2020); O'Neill, PCG (2014)
#pragma OPENCL FP_CONTRACT OFF

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if WIDTH == 1
typedef float floats;
typedef int ints;
#define LOAD(p) (*(p))
#define AS_INTS as_int
#define AS_FLOATS as_float
#define LANES 0
#else
typedef JOIN(float, WIDTH) floats;
typedef JOIN(int, WIDTH) ints;
#define LOAD(p) JOIN(vload, WIDTH)(0, p)
#define AS_INTS JOIN(as_int, WIDTH)
#define AS_FLOATS JOIN(as_float, WIDTH)
constant int lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#define LANES JOIN(vload, WIDTH)(0, lanes)
#endif
// LEAST element of a vector of Ts, half of which are compared with the other half.
#if WIDTH == 1
#define LEAST(T, v) (v)
#elif WIDTH == 4
#define LEAST(T, v) least_##T(v)
#elif WIDTH == 8
#define LEAST(T, v) least_##T(min(v.lo, v.hi))
#else
#define LEAST(T, v) least_##T(min(min(v.lo.lo, v.hi.lo), min(v.lo.hi, v.hi.hi)))
#endif
static inline float least_float(float4 v) { return min(min(v.x, v.z), min(v.y, v.w)); }
static inline int least_int(int4 v) { return min(min(v.x, v.z), min(v.y, v.w)); }

#define FAR 1e30f
#define NEAR 1e-3f
enum { MATT, METAL, GLASS, LIGHT };

// 1/sqrt(x) for x > 0: three steps of Newton's method, for a number and for a vector.
#define RSQRT(T, name, to_ints, to_floats, I)                     \
	static inline T name(T x) {                                   \
		T y = to_floats((I)(0x5f375a86) - (to_ints(x) >> 1));     \
		y = y * (1.5f - 0.5f * x * y * y);                        \
		y = y * (1.5f - 0.5f * x * y * y);                        \
		return y * (1.5f - 0.5f * x * y * y);                     \
	}
RSQRT(float, rsqrt1, as_int, as_float, int)
#if WIDTH == 1
#define rsqrtn rsqrt1
#else
RSQRT(floats, rsqrtn, AS_INTS, AS_FLOATS, ints)
#endif
static inline float inverse(float x) { float r = rsqrt1(fabs(x)); return x < 0 ? -(r * r) : r * r; }
static inline float dot3(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline float3 unit(float3 a) { return a * rsqrt1(dot3(a, a)); }

// random is uniform in [0, 1), in steps of 2^-24.
static inline float random(uint *state) {
	uint old = *state;
	*state = old * 747796405u + 2891336453u;
	uint word = ((old >> ((old >> 28) + 4)) ^ old) * 277803737u;
	return (float)(((word >> 22) ^ word) >> 8) * 0x1p-24f;
}

// direction is uniform on the unit sphere: a point of the ball within the cube, scaled.
static inline float3 direction(uint *state) {
	for (;;) {
		float a = 2 * random(state) - 1, b = 2 * random(state) - 1, c = 2 * random(state) - 1;
		float3 v = (float3)(a, b, c);
		float square = dot3(v, v);
		if (square <= 1 && square > 1e-3f) return v * rsqrt1(square);
	}
}

// nearest is the first thing that a ray from o in direction d meets: a sphere, count for the floor, or -1.
static inline int nearest(global const float *scene, int count, float3 o, float3 d, float *distance) {
	floats best = FAR;
	ints which = -1;
	for (int i = 0; i < count; i += WIDTH) {
		floats x = LOAD(scene + i) - o.x, y = LOAD(scene + count + i) - o.y, z = LOAD(scene + 2 * count + i) - o.z;
		floats along = x * d.x + y * d.y + z * d.z;
		x -= along * d.x; y -= along * d.y; z -= along * d.z;
		floats chord = LOAD(scene + 3 * count + i) - (x * x + y * y + z * z); // the square of half of it
		floats root = chord * rsqrtn(fmax(chord, (floats)1e-12f)), t = along - root;
		t = t > NEAR ? t : along + root;
		ints hit = (chord > 0) & (t > NEAR) & (t < best);
		best = hit ? t : best;
		which = hit ? i + (ints)(LANES) : which;
	}
	float t = LEAST(float, best);
	ints first = best == t ? which : (ints)INT_MAX; // of the nearest
	int found = t < FAR ? LEAST(int, first) : -1;
	if (d.y < 0) {
		float down = -o.y * inverse(d.y);
		if (down > NEAR && down < t) { t = down; found = count; }
	}
	*distance = t;
	return found;
}

// trace is the light that comes to o from direction d.
static inline float3 trace(global const float *scene, int count, int light, float emitted, float white, float3 o, float3 d, uint *state) {
	float3 sum = 0, weight = 1;
	bool mirror = true; // the light is seen directly, or in a mirror: nothing has sampled it
	for (int depth = 0; depth < 64; depth++) {
		float t;
		int hit = nearest(scene, count, o, d, &t);
		if (hit < 0) { // the sky
			float up = 0.5f * (d.y + 1);
			float3 sky = white > 0 ? (float3)(white) : (float3)(0.30f - 0.22f * up, 0.32f - 0.18f * up, 0.36f - 0.06f * up);
			return sum + weight * sky;
		}
		if (hit == light) return mirror ? sum + weight * emitted : sum;
		float3 p = o + t * d, n = (float3)(0, 1, 0), colour = 0.55f;
		int kind = MATT;
		if (hit < count) {
			n = p - (float3)(scene[hit], scene[count + hit], scene[2 * count + hit]);
			n = unit(n);
			kind = (int)scene[4 * count + hit];
			colour = (float3)(scene[5 * count + hit], scene[6 * count + hit], scene[7 * count + hit]);
		} else if (((int)floor(p.x) + (int)floor(p.z)) & 1) {
			colour = 0.25f;
		}
		if (white > 0) colour = 1;
		weight *= colour;
		if (kind == MATT) {
			if (light >= 0) {
				float3 c = (float3)(scene[light], scene[count + light], scene[2 * count + light]), u = direction(state), away = p - c;
				if (dot3(u, away) < 0) u = -u;
				float square = scene[3 * count + light], t2, r = square * rsqrt1(square);
				float3 w = c + r * u - p;
				float far2 = dot3(w, w);
				w = w * rsqrt1(far2);
				float cosine = dot3(n, w), there = -dot3(u, w);
				if (cosine > 0 && there > 0 && nearest(scene, count, p, w, &t2) == light) {
					sum += weight * (emitted * cosine * there * 2 * square * inverse(far2)); // 2 pi r^2 of surface, albedo / pi
				}
			}
			d = n + direction(state); // its cosine with n is distributed as it counts
			float square = dot3(d, d);
			d = square > 1e-6f ? d * rsqrt1(square) : n;
			mirror = false;
		} else {
			float along = dot3(d, n), ratio = 1.5f;
			if (along > 0) { n = -n; } else { along = -along; ratio = inverse(1.5f); }
			float3 mirrored = d + 2 * along * n;
			float inside = 1 - ratio * ratio * (1 - along * along), chance = 1; // the square of the cosine behind the surface
			if (kind == GLASS && inside > 1e-6f) {
				float root = inside * rsqrt1(inside), c = 1 - (ratio > 1 ? root : along), c2 = c * c;
				chance = 0.04f + 0.96f * (c2 * c2 * c);
				if (random(state) >= chance) mirrored = ratio * d + (ratio * along - root) * n;
			}
			d = unit(mirrored);
			mirror = true;
		}
		o = p;
		if (depth > 3) { // dark paths end by chance, and the others count for them
			float stay = fmax(weight.x, fmax(weight.y, weight.z));
			if (stay < 1) {
				if (stay <= 1e-6f || random(state) >= stay) return sum;
				weight *= inverse(stay);
			}
		}
	}
	return sum;
}

// render: picture float[height][width][3] is the mean of samples paths through each pixel, from the number first on.
kernel void render(global const float *scene, global float *picture, int count, int light, float emitted, float white, int first, int samples) {
	const int width = get_global_size(0), height = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
	const float pixel = 2 * inverse(height);
	const float3 eye = (float3)(0, 2.2f, 9), forward = unit((float3)(0, -0.18f, -1)), right = (float3)(1, 0, 0);
	const float3 up = (float3)(right.y * forward.z - right.z * forward.y, right.z * forward.x - right.x * forward.z, right.x * forward.y - right.y * forward.x);
	float3 sum = 0;
	for (int s = first; s < first + samples; s++) {
		uint state = (uint)(y * width + x) * 0x9e3779b9u + (uint)s * 0x85ebca6bu;
		state = (state ^ (state >> 16)) * 0x7feb352du;
		state = (state ^ (state >> 15)) * 0x846ca68bu;
		float a = ((float)x + random(&state) - 0.5f * (float)width) * pixel, b = ((float)y + random(&state) - 0.5f * (float)height) * pixel;
		float3 d = forward + 0.42f * a * right - 0.42f * b * up;
		sum += trace(scene, count, light, emitted, white, eye, unit(d), &state);
	}
	sum *= inverse(samples);
	global float *out = picture + 3 * (y * width + x);
	out[0] = sum.x; out[1] = sum.y; out[2] = sum.z;
}
