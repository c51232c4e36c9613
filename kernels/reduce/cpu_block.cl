// reduce/cpu_block.cl: fold the columns of a view on a CPU driver, columns in vectors
//
//     y[r] = EPILOGUE(r, fold over f, g of LOAD(r, f, g))
//
// hooks   LOAD(r, f, g)   EPILOGUE(r, v)   STORE(r, v)   and the monoid's, see reduce/any_monoid.cl
//         LOADS(r, f, g)  columns g .. g + 15, where PLAIN
//         EACH_OUT(DO)    where THROUGH: DO(i) for every output over all columns: OUT##i(r, f, g), of type
//                         OUT##i##_T, goes to element r * COLS + c by STORE##i(at, v), and where PLAIN
//                         OUTS##i(r, f, g), of type OUTS##i##_T, to 16 by PUT##i(at, v)
// macros  VEC    independent states, a power of two, 8..128
//         PLAIN  1: the values have LOADS, VEC is a multiple of 16, and states stay in registers; see
//                reduce/cpu_monoid_vector.cl
//         LANES  where not PLAIN: elements in a vector of values; 0: as many as the compiler likes
//         SPLIT  1: a row is cut into parts of SPAN columns, folded again by reduce/any_finish.cl
//         THROUGH  1: the pass writes outputs, which may lie where inputs do: all of some columns are computed
//                before any is stored
// sizes   ROWS, COLS, SPAN   GOLDS  how many of the columns are a run: column c is f = c / GOLDS,
//         g = c % GOLDS      RSPAN  rows an item
// launch  reduce_block  global {parts, ROWS / RSPAN}  local {1, 1}
// note    where they are not PLAIN, values go to an array before they are folded: a loop with nothing
//         but values and one with nothing but folds are both turned into vectors, the two in one are
//         not, nor is a loop so short that the compiler unrolls it first.
//         The states are the same however long the array is
// for     long rows whose columns are neighbours in memory, in runs: a sum over all axes of a
//         batch of images but the channels has one an image, and divides once a run

#if PLAIN
#define VECTORS (VEC / 16)
#define LANE ((AT16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#define BESIDE 16 // further states, of what fills no vector
#else
#define CHUNK 256 // of the array, a multiple of VEC
#define BESIDE 0
#if LANES
#define VECTORS WIDE_BY(LANES)
#else
#define VECTORS
#endif
#endif

#if THROUGH
#define VALUE_OF(i) const OUT##i##_T v##i = OUT##i(r, f, g);
#define STORE_OF(i) STORE##i(r * COLS + c, v##i);
#define VALUES_OF(i) const OUTS##i##_T v##i = OUTS##i(r, f, g + 16 * k);
#define PUT_OF(i) PUT##i(r * COLS + c + 16 * k, v##i);
#define ARRAY_OF(i) OUT##i##_T v##i[CHUNK]; VECTORS for (int k = 0; k < n; k++) v##i[k] = OUT##i(r, f, g + k);
#define STORES_OF(i) VECTORS for (int k = 0; k < n; k++) STORE##i(r * COLS + c + k, v##i[k]);
#define WRITE { EACH_OUT(VALUE_OF) EACH_OUT(STORE_OF) }
#define WRITE_VECTOR { EACH_OUT(VALUES_OF) EACH_OUT(PUT_OF) }
#define WRITE_ALL { EACH_OUT(ARRAY_OF) EACH_OUT(STORES_OF) }
#else
#define WRITE
#define WRITE_VECTOR
#define WRITE_ALL
#endif

// Every CARRY_STATES begins a new run where one has ended.
#if EXACT
#define RUN_STEPS SUM_RUN
#define STOP(c, end) ((end) - (c) > left * VEC ? (c) + left * VEC : (end))
#define STEPPED(n) left -= (n)
#if PLAIN
#define EACH_STATE(DO_VECTOR, DO) \
    _Pragma("unroll") \
    for (int k = 0; k < VECTORS; k++) DO_VECTOR; \
    for (int k = VEC; k < VEC + beside; k++) DO;
#else
#define EACH_STATE(DO_VECTOR, DO) for (int k = 0; k < VEC; k++) DO;
#endif
#define CARRY_STATES \
    if (left <= 0) { \
        EACH_STATE(CARRY_VECTOR(b, k, a, k), CARRY(t, k, s, k)) \
        left = SUM_RUN; \
    }
#define SETTLE_STATES EACH_STATE(SETTLE_VECTOR(a, k, b, k), SETTLE(s, k, t, k))
#else
#define RUN_STEPS 0
#define STOP(c, end) (end)
#define STEPPED(n)
#define CARRY_STATES
#define SETTLE_STATES
#endif

BODY void fold_block(const IDX part, const IDX row, PARAMS) {
    const IDX r0 = row * RSPAN, r1 = min(r0 + RSPAN, ROWS);
    const IDX from = part * SPAN, to = min(from + SPAN, COLS);
#if !PLAIN
    WIDE_VECTORS
#endif
    for (IDX r = r0; r < r1; r++) {
        STATES(s, VEC + BESIDE);
        TOTALS(t, VEC + BESIDE);
        IDX left = RUN_STEPS; // steps before states are carried to totals
#if PLAIN
        int beside = 0; // how many of the further states there are
        VECTORS_OF(a, VECTORS);
        VECTOR_TOTALS(b, VECTORS);
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            CLEAR_VECTOR(a, k);
            START_VECTOR(b, k);
        }
#else
        for (int k = 0; k < VEC; k++) {
            CLEAR(s, k);
            START(t, k);
        }
        VAL v[CHUNK];
#endif
        IDX f = from / GOLDS, g = from % GOLDS, c = from;
        while (c < to) {
            const IDX end = c + min(GOLDS - g, to - c);
#if PLAIN
            while (c + VEC <= end) {
                const IDX stop = STOP(c, end);
                STEPPED((stop - c) / VEC);
                for (; c + VEC <= stop; c += VEC, g += VEC) {
                    #pragma unroll
                    for (int k = 0; k < VECTORS; k++) {
                        const VAL16 v = LOADS(r, f, g + 16 * k);
                        WRITE_VECTOR
                        ADD_VECTOR(a, k, v, c + 16 * k + LANE);
                    }
                }
                CARRY_STATES
            }
            STEPPED((end - c) / 16 + 1);
            for (; c + 16 <= end; c += 16, g += 16) {
                const int k = 0;
                const VAL16 v = LOADS(r, f, g);
                WRITE_VECTOR
                ADD_VECTOR(a, k, v, c + LANE);
            }
            for (int k = 0; c < end; c++, g++, k++) {
                if (k == beside) {
                    CLEAR(s, VEC + k);
                    START(t, VEC + k);
                    beside++;
                }
                const VAL v = (VAL)LOAD(r, f, g);
                WRITE
                ADD(s, VEC + k, v, c);
            }
            CARRY_STATES
#else
            while (c < end) {
                const int n = (int)min((IDX)CHUNK, end - c), whole = n / VEC * VEC;
                VECTORS for (int k = 0; k < n; k++) v[k] = (VAL)LOAD(r, f, g + k);
                WRITE_ALL
                for (int j = 0; j < whole; j += VEC)
                    for (int k = 0; k < VEC; k++) ADD(s, k, v[j + k], c + j + k);
                for (int k = 0; k < n - whole; k++) ADD(s, k, v[whole + k], c + whole + k);
                c += n;
                g += n;
                STEPPED(n / VEC + 1);
                CARRY_STATES
            }
#endif
            f++;
            g = 0;
        }
        SETTLE_STATES
#if PLAIN && (IS_ARG || PAIRED)
        #pragma unroll
        for (int k = 0; k < VECTORS; k++) SPILL(s, 16 * k, a, k);
#elif PLAIN
        FOLD_VECTORS(a, VECTORS, s[0]);
#endif
#if IS_ARG || PAIRED || !PLAIN
        for (int w = VEC / 2; w > 0; w /= 2)
            for (int k = 0; k < w; k++) MERGE(s, k, k + w);
#endif
#if PLAIN
        for (int k = 0; k < beside; k++) MERGE(s, 0, VEC + k);
#endif
        EMIT(r, part, s, 0);
    }
}

kernel void reduce_block(PARAMS) {
    fold_block(get_global_id(0), get_global_id(1), ARGS);
}
