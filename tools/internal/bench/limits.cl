// limits.cl: what a device can do at most, for others to be measured against.
//
//     grid, chunk   y[i] = F(x[i])             the bytes of a copy, or the rate of F
//     skim, read    sums of x[i]               the bytes of x alone
//     rate          8 or more chains of a = a * m + c   the rate of multiply-adds
//     fill          x[i] in [0, 1), all different
//
// macros  T       float or a vector of it         LANES  its elements
//         F(v)    what is done to a value         STORE(p, v)  how it is written
//         CHAINS  independent multiply-adds of an item, at most 16
// launch  any global size; grid and skim walk by the number of items (neighbours touch neighbours,
//         which GPUs want), chunk and read give every item one run of elements (which CPUs want)
// note    the host times several of each kind and takes the fastest

kernel void grid(global const T *x, global T *y, ulong n)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        STORE(&y[i], F(x[i]));
}

kernel void chunk(global const T *x, global T *y, ulong n)
{
    ulong run = (n + get_global_size(0) - 1) / get_global_size(0);
    ulong from = run * get_global_id(0), to = min(n, from + run);
    for (ulong i = from; i < to; i++)
        STORE(&y[i], F(x[i]));
}

kernel void read(global const T *x, global T *y, ulong n)
{
    ulong run = ((n + get_global_size(0) - 1) / get_global_size(0) + 7) / 8 * 8;
    ulong from = min(n, run * get_global_id(0)), to = min(n, from + run), i = from;
    T s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (; i + 8 <= to; i += 8) {
        #pragma unroll
        for (int k = 0; k < 8; k++)
            s[k] += x[i + k];
    }
    for (; i < to; i++)
        s[0] += x[i];
    y[get_global_id(0)] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

kernel void skim(global const T *x, global T *y, ulong n)
{
    T s = 0;
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        s += x[i];
    y[get_global_id(0)] = s;
}

kernel void rate(global const T *x, global T *y, ulong rounds)
{
    T m = x[0] + (T)(get_global_id(0) * 1e-6f), c = x[1], a[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        a[k] = c + (T)(k);
    for (ulong i = 0; i < rounds; i++) {
        #pragma unroll
        for (int k = 0; k < CHAINS; k++)
            a[k] = FMA(a[k], m, c);
    }
    T s = a[0];
    for (int k = 1; k < CHAINS; k++)
        s += a[k];
    y[get_global_id(0)] = s;
}

kernel void fill(global float *x, ulong n)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        x[i] = (float)((uint)i * 2654435769u >> 8) * 0x1p-24f;
}
