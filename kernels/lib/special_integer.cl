// lib/special_integer.cl: greatest common divisor and least common multiple of integers
//
//     special_gcd  special_lcm
//
// macros  F  see kernels/special.go
// note    the names are those of float, and of double in programs that compute in it

INLINE ulong F(gcd)(ulong x, ulong y) {
    while (y != 0) {
        const ulong r = (x | y) >> 32 ? x % y : (ulong)((uint)x % (uint)y);
        x = y;
        y = r;
    }
    return x;
}

INLINE ulong F(lcm)(const ulong x, const ulong y) { return x == 0 || y == 0 ? 0 : x / F(gcd)(x, y) * y; }
