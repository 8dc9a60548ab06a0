/* figures: what a script or a host program has measured itself, by name, for the run's report. */
#ifndef OBS_STATS_FIGURES_H
#define OBS_STATS_FIGURES_H
#include "base/base.h"

#define FIGURES_MAX 1000
struct measured {
	char *name;
	double *values;
	u32 n;
	bool list; /* a list, even of one or none */
};
struct measured_list {
	struct measured *all;
	u32 n;
};
/* A figure of that name becomes these n values, which it owns from now on. False: there are FIGURES_MAX others. */
bool figures_set(struct measured_list *f, const char *name, double *values, u32 n, bool list);
void figures_clear(struct measured_list *f);
#endif
