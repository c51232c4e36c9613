// mri.cl: views of a volume by rays: a surface with light on it, and the largest value on each ray.
//
//     surface     the first point of the ray p + t d whose value is above limits[0], found by halving intervals; its normal is
//                 the negative gradient. A corner of the volume is cut away; where a ray enters the volume there, the picture
//                 shows the class of the value, which is how many of the limits it exceeds.
//     projection  max over t of the value
//
// values  between grid points are interpolated in three directions, with x the fastest axis of float volume[nz][ny][nx]
// views   float[views][9]: direction of the rays, to the right and up, of length 1, in steps of the grid
// results shaded float[views][size][size][3], red, green and blue up to 1; projection float[views][size][size]
// launch  {size, size, views}, a work-item a ray
// source  Levoy, Display of surfaces from volume data (1988); Wallis and Miller, Three-dimensional display in nuclear medicine (1991)
#pragma OPENCL FP_CONTRACT OFF // so that all devices see the same

typedef struct { global const float *at; int nx, ny, nz; } grid;

static inline float value(grid g, float3 p) {
	float x = clamp(p.x, 0.0f, g.nx - 1.001f), y = clamp(p.y, 0.0f, g.ny - 1.001f), z = clamp(p.z, 0.0f, g.nz - 1.001f);
	int i = (int)x, j = (int)y, k = (int)z;
	float fx = x - i, fy = y - j, fz = z - k;
	global const float *a = g.at + ((size_t)k * g.ny + j) * g.nx + i, *b = a + (size_t)g.ny * g.nx;
	float a0 = a[0] + fx * (a[1] - a[0]), a1 = a[g.nx] + fx * (a[g.nx + 1] - a[g.nx]);
	float b0 = b[0] + fx * (b[1] - b[0]), b1 = b[g.nx] + fx * (b[g.nx + 1] - b[g.nx]);
	float lower = a0 + fy * (a1 - a0), upper = b0 + fy * (b1 - b0);
	return lower + fz * (upper - lower);
}

static inline bool cut(grid g, float3 p) { return p.x > 0.5f * g.nx && p.y > 0.55f * g.ny && p.z > 0.5f * g.nz; }

// clip shortens [from, to] to where p + t d is between 0 and n - 1.
static inline void clip(float p, float d, int n, float *from, float *to) {
	if (fabs(d) < 1e-6f) {
		if (p < 0 || p > n - 1) *to = *from - 1;
		return;
	}
	float a = -p / d, b = (n - 1 - p) / d;
	*from = fmax(*from, fmin(a, b));
	*to = fmin(*to, fmax(a, b));
}

kernel void view(global const float *volume, global const float *limits, global const float *views, global float *shaded, global float *projection,
	int nx, int ny, int nz, float scale) {
	const int size = get_global_size(0), column = get_global_id(0), row = get_global_id(1);
	global const float *v = views + 9 * get_global_id(2);
	const grid g = {volume, nx, ny, nz};
	const float3 d = (float3)(v[0], v[1], v[2]), right = (float3)(v[3], v[4], v[5]), up = (float3)(v[6], v[7], v[8]);
	const float across = (column - 0.5f * size) * scale, above = (0.5f * size - row) * scale;
	const float3 p = (float3)(0.5f * nx, 0.5f * ny, 0.5f * nz) + across * right + above * up;
	float from = -1000, to = 1000;
	clip(p.x, d.x, nx, &from, &to);
	clip(p.y, d.y, ny, &from, &to);
	clip(p.z, d.z, nz, &from, &to);
	const float least = limits[0];
	const int steps = (int)(to - from) + 1;
	float most = 0;
	float3 colour = 0;
	bool found = false;
	for (int k = 0; k < steps && to >= from; k++) {
		float t = from + k;
		float3 at = p + t * d;
		float here = value(g, at);
		most = fmax(most, here);
		if (found || here <= least || cut(g, at)) continue;
		found = true;
		if (k > 0 && cut(g, p + (t - 1) * d)) { // the face of what is cut away
			float bright = fmin(here * 0.008f, 1.0f);
			colour = here > limits[3] ? (float3)(0.95f, 0.75f, 0.30f) : here > limits[2] ? (float3)(0.95f, 0.92f, 0.85f)
				: here > limits[1] ? (float3)(0.85f, 0.45f, 0.40f) : (float3)(0.25f, 0.40f, 0.75f);
			colour = colour * (0.4f + 0.6f * bright);
			continue;
		}
		float out = t - 1, in = t;
		for (int n = 0; n < 5 && k > 0; n++) {
			float middle = 0.5f * (out + in);
			if (value(g, p + middle * d) > least) { in = middle; } else { out = middle; }
		}
		at = p + in * d;
		float3 n = (float3)(value(g, at - (float3)(1, 0, 0)) - value(g, at + (float3)(1, 0, 0)),
			value(g, at - (float3)(0, 1, 0)) - value(g, at + (float3)(0, 1, 0)),
			value(g, at - (float3)(0, 0, 1)) - value(g, at + (float3)(0, 0, 1)));
		float3 light = 0.4f * right + 0.5f * up - 0.77f * d; // from above, beside the eye
		float cosine = n.x * light.x + n.y * light.y + n.z * light.z;
		float square = n.x * n.x + n.y * n.y + n.z * n.z;
		float bright = cosine > 0 ? 0.15f + 0.85f * (cosine * cosine / fmax(square, 1e-6f)) : 0.15f;
		colour = bright * (float3)(0.93f, 0.76f, 0.65f);
	}
	size_t i = ((size_t)get_global_id(2) * size + row) * size + column;
	projection[i] = most;
	shaded[3 * i] = colour.x; shaded[3 * i + 1] = colour.y; shaded[3 * i + 2] = colour.z;
}
