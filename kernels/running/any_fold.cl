// running/any_fold.cl: running products, extremes, logarithms of sums of exponentials and linear recurrences along an axis
//
//     y[o, i, n] = fold over j <= i of x[o, j, n]      AT(o, i, n) = the last j at which an extreme is reached
//     y[o, i, n] = a[o, i, n] y[o, i-1, n] + x[o, i, n]
//
// hooks   TAKE(i)  element i of x    FACTOR(i)  of a    PUT(i, v)    POSITION(i, j)
// macros  FOLD  0: product    1: largest    2: smallest    3: logarithm    4: recurrence
//         ACC   type of the results    NOTHING  the fold of no elements    EXCLUSIVE  1: j < i    REVERSE  1: from the end of the axis on
//         SPLIT 1: running_parts has folded the parts of the axis, and each goes on from those before
//         COLUMNS  of an item: some on CPU drivers, whose loop over them becomes vectors, 1 on GPUs
//         IS_NAN(x)  0 for integers    M  of lib/math.cl: functions for ACC
// sizes   OUTER, LENGTH, INNER    PARTS of SPAN steps of the axis
// launch  running_parts  global {INNER / COLUMNS padded, PARTS, OUTER}  local {WG, 1, 1}    where SPLIT
//         running_fold   the same
// note    parts are fixed, so results repeat. A part has two numbers, and for extremes a position: the fold itself; the largest exponent
//         and the sum relative to it; the factor and the summand of what it makes of y before it
// source  Blelloch, Prefix Sums and Their Applications (1990), sections 1.3 and 1.4

#if REVERSE
#define STEP(j) (LENGTH - 1 - (j))
#else
#define STEP(j) (j)
#endif
#define AT(o, j) (((o) * LENGTH + STEP(j)) * INNER)

typedef struct { ACC v, w; long at; } fold_state;

INLINE int is_nan(const ACC v) { return IS_NAN(v); }

INLINE void fold_clear(fold_state *s) {
    s->v = NOTHING;
    s->w = FOLD == 4 ? 1 : 0;
    s->at = -1;
}

// s becomes s, and then t. Structs are passed by pointers: Oclgrind does not list kernels that pass them by value.
INLINE void fold_join(fold_state *s, const fold_state *t) {
#if FOLD == 0
    s->v *= t->v;
#elif FOLD == 1 || FOLD == 2
#if FOLD == 1
    const int takes = t->v >= s->v;
#else
    const int takes = t->v <= s->v;
#endif
    if (t->at >= 0 && (s->at < 0 || takes && !is_nan(s->v) || is_nan(t->v))) {
        s->v = t->v;
        s->w = t->w;
        s->at = t->at;
    }
#elif FOLD == 3
    if (t->v > s->v) {
        s->w = s->w * M_EXP(s->v - t->v) + t->w;
        s->v = t->v;
    } else if (t->v == s->v) {
        s->w += t->w;
    } else {
        s->w += t->w * M_EXP(t->v - s->v);
    }
#else
    s->v = t->w * s->v + t->v;
    s->w *= t->w;
#endif
}

INLINE ACC fold_value(const fold_state *s) {
#if FOLD == 3
    return s->v + M_LOG(s->w);
#else
    return s->v;
#endif
}

// s becomes s, and then the element v at step at.
INLINE void fold_take(fold_state *s, const ACC v, const ACC factor, const long at) {
#if FOLD == 1 || FOLD == 2
#if FOLD == 1
    const int takes = (v >= s->v) | is_nan(v); // NOTHING is no larger than anything
#else
    const int takes = (v <= s->v) | is_nan(v);
#endif
    s->v = takes ? v : s->v;
    s->at = takes ? at : s->at;
#else
    fold_state t;
    t.v = v;
    t.w = FOLD == 3 ? !(v == NOTHING) : FOLD == 4 ? factor : 0;
    t.at = at;
    fold_join(s, &t);
#endif
}

#define TAKE_STEP(s, i, j) fold_take(&(s), TAKE(i), FACTOR(i), (long)STEP(j))

kernel void running_parts(PARAMS) {
    const IDX c0 = (IDX)get_global_id(0) * COLUMNS, part = (IDX)get_global_id(1), o = (IDX)get_global_id(2);
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    const int n = (int)min((IDX)COLUMNS, INNER - c0);
    fold_state s[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) fold_clear(&s[c]);
    for (IDX j = from; j < to; j++) {
        const IDX at = AT(o, j) + c0;
        for (int c = 0; c < n; c++) {
            TAKE_STEP(s[c], at + c, j);
        }
    }
    const IDX k = (o * PARTS + part) * INNER + c0;
    for (int c = 0; c < n; c++) {
        FOLDS[2 * (k + c)] = s[c].v;
        FOLDS[2 * (k + c) + 1] = s[c].w;
        WHERE[k + c] = s[c].at;
    }
}

kernel void running_fold(PARAMS) {
    const IDX c0 = (IDX)get_global_id(0) * COLUMNS, part = (IDX)get_global_id(1), o = (IDX)get_global_id(2);
    const IDX from = part * SPAN, to = min(from + SPAN, LENGTH);
    const int n = (int)min((IDX)COLUMNS, INNER - c0);
    fold_state s[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) fold_clear(&s[c]);
#if SPLIT
    for (IDX p = 0; p < part; p++) {
        const IDX k = (o * PARTS + p) * INNER + c0;
        for (int c = 0; c < n; c++) {
            fold_state t;
            t.v = FOLDS[2 * (k + c)];
            t.w = FOLDS[2 * (k + c) + 1];
            t.at = WHERE[k + c];
            fold_join(&s[c], &t);
        }
    }
#endif
    for (IDX j = from; j < to; j++) {
        const IDX at = AT(o, j) + c0;
        for (int c = 0; c < n; c++) {
#if EXCLUSIVE
            PUT(at + c, fold_value(&s[c]));
            POSITION(at + c, s[c].at);
            TAKE_STEP(s[c], at + c, j);
#else
            TAKE_STEP(s[c], at + c, j);
            PUT(at + c, fold_value(&s[c]));
            POSITION(at + c, s[c].at);
#endif
        }
    }
}
