// contract/cpu_winograd_transform.cl: the transforms of Winograd's minimal filtering for windows of 3 x 3, of images, kernels and sums
//
// Two neighbouring windows of 3 along an axis read EDGE elements d. With the kernel g they are
//
//     OF_SUMS(OF_IMAGE(d)·OF_KERNEL(g)), EDGE multiplications, point by point
//
// and windows of 3 x 3 the same along both axes.
//
// source  Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2016)

#define TILE 2
#define EDGE 4
#define POINTS (EDGE * EDGE)

// All work in place on elements s apart, of type T.
#define OF_IMAGE(T, d, s) { \
    const T d0 = (d)[0], d1 = (d)[s], d2 = (d)[2 * (s)], d3 = (d)[3 * (s)]; \
    (d)[0] = d0 - d2; (d)[s] = d1 + d2; (d)[2 * (s)] = d2 - d1; (d)[3 * (s)] = d1 - d3; }
#define OF_SUMS(T, m, s) { \
    const T m0 = (m)[0], m1 = (m)[s], m2 = (m)[2 * (s)], m3 = (m)[3 * (s)]; \
    (m)[0] = m0 + m1 + m2; (m)[s] = m1 - m2 - m3; }
#define OF_KERNEL(T, g, s) { \
    const T g0 = (g)[0], g1 = (g)[s], g2 = (g)[2 * (s)], h = (g0 + g2) * (T)0.5f, g3 = g1 * (T)0.5f; \
    (g)[s] = h + g3; (g)[2 * (s)] = h - g3; (g)[3 * (s)] = g2; }
