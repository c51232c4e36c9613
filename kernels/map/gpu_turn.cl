// map/gpu_turn.cl: one value for every point of an OUTER x ROWS x COLS view, some of whose inputs have neighbours in
// memory along rows, not along columns: a transpose, and what is fused with it
//
//     y[PLACE(o, r) + c] = VALUE(o, r, c, TURNED0(o, r, c), ...)
//
// hooks   TURNED(o, r, c)  an input that is read along rows, each with its number: TURNED0, TURNED1
//         VALUE(o, r, c, ...)  the fused expression, of those    EACH_TURNED(DO)  DO(i) for every TURNEDi
//         VALUE_OF(o, r, c, at)  VALUE of the elements at of tile0, ...
//         PLACE(o, r)  where column 0 belongs    STORE(i, v)
// macros  WG  work-items a group    SIDE  of a tile, at most WG, both powers of two    IN0, IN1  types of
//         TURNED0, TURNED1    OUT  type of VALUE
// sizes   OUTER, ROWS, COLS
// launch  map_turn  global {WG * tiles along COLS, OUTER * tiles along ROWS, at most 2^15}  local {WG, 1}
//         local memory SIDE * (SIDE + 1) elements of each TURNEDi, of less than 4 bytes a few more
// note    a group reads a tile along its rows and stores it along its columns. An item has SIDE * SIDE / WG elements,
//         all loaded before the first is used. Rows of a tile begin in banks next to each other
// source  Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA (2009)

#define STEP (WG / SIDE)
#define COUNT (SIDE / STEP)
#define PITCH(i) (SIDE + (sizeof(IN##i) < 4 ? 4 / (int)sizeof(IN##i) : 1))

#define TILE(i) __local IN##i tile##i[SIDE][PITCH(i)];
#define FETCH(i) \
    IN##i v##i[COUNT]; \
    _Pragma("unroll") \
    for (int k = 0; k < COUNT; k++) v##i[k] = TURNED##i(o, min(r0 + x, ROWS - 1), min(c0 + y + k * STEP, COLS - 1));
#define KEEP(i) \
    _Pragma("unroll") \
    for (int k = 0; k < COUNT; k++) tile##i[y + k * STEP][x] = v##i[k];

kernel void map_turn(PARAMS) {
    EACH_TURNED(TILE)
    const int x = (int)get_local_id(0) % SIDE, y = (int)get_local_id(0) / SIDE;
    const IDX c0 = (IDX)get_group_id(0) * SIDE;
    const IDX tiles = (ROWS + SIDE - 1) / SIDE;
    for (IDX i = (IDX)get_group_id(1); i < OUTER * tiles; i += (IDX)get_num_groups(1)) {
        const IDX o = i / tiles, r0 = (i - o * tiles) * SIDE;
        EACH_TURNED(FETCH)
        EACH_TURNED(KEEP)
        barrier(CLK_LOCAL_MEM_FENCE);
        OUT v[COUNT];
        #pragma unroll
        for (int k = 0; k < COUNT; k++)
            v[k] = VALUE_OF(o, min(r0 + y + k * STEP, ROWS - 1), min(c0 + x, COLS - 1), [x][y + k * STEP]);
        if (c0 + x < COLS) {
            #pragma unroll
            for (int k = 0; k < COUNT; k++)
                if (r0 + y + k * STEP < ROWS) STORE(PLACE(o, r0 + y + k * STEP) + c0 + x, v[k]);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // before the next tile takes the place
    }
}
