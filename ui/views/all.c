#include "views/view.h"

extern const struct view view_overview, view_sm, view_phases, view_stalls, view_caches, view_memory, view_kernels,
    view_source, view_compare, view_log, view_lanes, view_map, view_roofline;

const struct view *const views[] = {
    &view_overview, &view_sm,      &view_phases, &view_stalls, &view_caches, &view_memory,   &view_kernels,
    &view_source,   &view_compare, &view_log,    &view_lanes,  &view_map,    &view_roofline,
};
const u32 nviews = ARRAY_LEN(views);
