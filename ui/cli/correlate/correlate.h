/* correlate: compares measurements of a chip (scripts/hardware) with what the model gives for the same kernels.
 *
 * A row is one figure: a microbenchmark in cycles per step, or a kernel of a workload in cycles of all its launches. */
#ifndef UI_CLI_CORRELATE_CORRELATE_H
#define UI_CLI_CORRELATE_CORRELATE_H
#include "session/session.h"

enum corr_kind { CORR_MICRO, CORR_KERNEL, CORR_KINDS };
struct corr_row {
	enum corr_kind kind;
	char *name, *group;        /* group of a kernel: its workload */
	double measured, modelled; /* cycles per step; modelled is 0 where it did not run */
	double spread;             /* of the measurements, as a share of their median */
	char *why_not;             /* NULL = modelled */
};
/* How a microbenchmark is run again. */
enum corr_timer { CORR_CLOCK, CORR_ELAPSED, CORR_LAUNCHES };
struct corr_micro {
	char *kernel;
	char *text; /* "micro" or "grid": of scripts/hardware, without .ptx */
	enum corr_timer timer;
	u32 grid, block, n, stride, seed;
	u64 buffer;
	double steps;
	u32 row;
};
struct corr_workload {
	char *name, *size;
	char **params;
	u32 nparams, seed;
	struct corr_launch {
		char *kernel;
		double cycles;
		u32 row;
	} * launches;
	u32 nlaunches;
	char *memory; /* what became of the results on the chip, a sentence; NULL = not said */
};
struct correlation {
	const char *path;
	char *chip, *driver, *ptx_hash, *note;
	double mhz; /* of the SM, as measured; 0 = not said */
	u32 sms;
	struct corr_row *rows;
	struct corr_micro *micro;
	struct corr_workload *workloads;
	char **sets; /* KEY=VALUE: the part of the chip that stands for all of it */
	u32 nrows, nmicro, nworkloads, nsets;
	struct conf conf; /* of the model */
};
/* Of the rows of a kind that were modelled (CORR_KINDS: of all). */
struct corr_summary {
	u32 n;
	double error;       /* mean of |modelled / measured - 1| */
	double correlation; /* Pearson's, of the logarithms; NAN below three rows */
	double bias;        /* geometric mean of modelled / measured */
	u32 worst;          /* row farthest off, by the logarithm of the ratio */
};

int correlate_main(struct options *o);

/* ui/cli/correlate/file.c. Everything but `modelled`; false with *e "FILE: microbenchmarks[3].cycles: ...". */
bool corr_read(struct correlation *c, const char *path, struct err *e);
void corr_release(struct correlation *c);
/* ui/cli/correlate/model.c. Runs what the file says on the machine of c->conf. */
bool corr_model(struct correlation *c, struct options *o, const char *data_dir, struct err *e);
/* ui/cli/correlate/report.c */
struct corr_summary corr_summarise(const struct correlation *c, enum corr_kind kind);
void corr_text(const struct correlation *c, bool ascii, struct strbuf *out);
void corr_json(const struct correlation *c, struct strbuf *out);
void corr_csv(const struct correlation *c, struct strbuf *out);
/* ui/cli/correlate/plot.c: measured to the right, modelled upwards, both logarithmic. */
void corr_plot_text(const struct correlation *c, bool ascii, struct strbuf *out);
void corr_plot_svg(const struct correlation *c, struct strbuf *out);
#endif
