// borders.cl: what lies outside of an operand of stencils, and what can be computed of a tile
//
// A buffer has a tile and the halo around it, or an axis from end to end with the neighbours of one step around it: what can be computed of
// the former shrinks with each step s.
//
// macros  T  float or double, with DOUBLE    BORDER  0 VALUE, 1 the outermost element, 2 a mirror at the outermost element, 3 one behind it, 4 the other end
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif


#define ENDLESS (BORDER == 4)

// inside gives the index of the element of an axis of extent n that stands at i, or -1 where VALUE does.
static inline int inside(int i, const int n) {
    if (i >= 0 && i < n)
        return i;
#if BORDER == 0
    return -1;
#elif BORDER == 1
    return clamp(i, 0, n - 1);
#else
    const int period = BORDER == 2 ? max(2 * n - 2, 1) : BORDER == 3 ? 2 * n : n;
    i %= period;
    i += i < 0 ? period : 0;
    return i < n ? i : BORDER == 2 ? period - i : period - 1 - i;
#endif
}

// What can be computed in step s of an axis of a buffer, [LOW, HIGH), and of that the elements of x, [BEGIN, END): all where the other end follows.
#define LOW(whole, before) (whole ? 0 : s * before)
#define HIGH(whole, after, extent) (whole ? extent : extent - s * after)
#define BEGIN(whole, low, o) (ENDLESS && !whole ? low : max(low, -o))
#define END(whole, high, o, n) (ENDLESS && !whole ? high : min(high, n - o))
