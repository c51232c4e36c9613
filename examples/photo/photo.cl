// photo.cl: the bilateral filter, which smooths a picture and keeps its edges.
//
//     y(p) = sum over q of W(p, q) x(q) / sum over q of W(p, q)
//     W(p, q) = exp(-|p - q|^2 / (2 S^2)) exp(-|x(p) - x(q)|^2 / (2 R^2)),  q within RADIUS of p in either direction
//
// x       float[3][height + 2 RADIUS][width + 2 RADIUS]: red, green, blue, with the border repeated around
// weights float[2 RADIUS + 1][2 RADIUS + 1]: the first factor
// y       float[3][height][width]
// macros  RADIUS    WIDTH  pixels of a work-item, side by side: a vector on CPUs, 1 on GPUs
// args    width, height; fall: -log2(e) / (2 R^2), so that the second factor is a power of 2
// launch  {width / WIDTH rounded up, height}: the last vector of a row lies at its end, beside or over the one before
// source  Tomasi and Manduchi, Bilateral filtering for gray and color images (1998)
#if WIDTH == 1
typedef float floats, stored;
#else
typedef float floats __attribute__((ext_vector_type(WIDTH)));
typedef float stored __attribute__((ext_vector_type(WIDTH), aligned(4))); // as they lie in memory
#endif
#define LOAD(p) (*(global const stored *)(p))
#define STORE(v, p) (*(global stored *)(p) = (v))

kernel void bilateral(global const float *x, global const float *weights, global float *y, int width, int height, float fall) {
	const int stride = width + 2 * RADIUS, column = min((int)get_global_id(0) * WIDTH, width - WIDTH), row = get_global_id(1);
	const size_t plane = (size_t)stride * (height + 2 * RADIUS), out = (size_t)width * height;
	global const float *at = x + (size_t)row * stride + column, *middle = at + RADIUS * stride + RADIUS;
	const floats red = LOAD(middle), green = LOAD(middle + plane), blue = LOAD(middle + 2 * plane);
	floats r = 0, g = 0, b = 0, sum = 0;
	for (int j = 0; j < 2 * RADIUS + 1; j++) {
		for (int i = 0; i < 2 * RADIUS + 1; i++) {
			global const float *q = at + j * stride + i;
			floats qr = LOAD(q), qg = LOAD(q + plane), qb = LOAD(q + 2 * plane);
			floats dr = qr - red, dg = qg - green, db = qb - blue;
			floats w = weights[j * (2 * RADIUS + 1) + i] * exp2(fall * (dr * dr + dg * dg + db * db));
			r += w * qr;
			g += w * qg;
			b += w * qb;
			sum += w;
		}
	}
	global float *to = y + (size_t)row * width + column;
	STORE(r / sum, to);
	STORE(g / sum, to + out);
	STORE(b / sum, to + 2 * out);
}
