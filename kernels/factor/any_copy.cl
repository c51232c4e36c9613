// factor/any_copy.cl: copy matrices to where they are overwritten
//
// hooks   IN OUT  where the matrices start
// macros  ACC  float or double    WG  items of a group
// sizes   ROWS COLUMNS
// launch  factor_copy  global {WG, ROWS, batch}  local {WG, 1, 1}

__kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void factor_copy(PARAMS) {
    const long at = ((long)get_global_id(2) * ROWS + get_global_id(1)) * COLUMNS;
    for (IDX j = get_local_id(0); j < COLUMNS; j += WG)
        OUT[at + j] = IN[at + j];
}
