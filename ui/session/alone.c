#include "session/alone.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "obs/stats/programs.h"
#include "session/fingerprint.h"
#include "session/catalog.h"
#include "session/progress.h"

/* What is measured of a program. */
struct alone {
	u64 cycles, warp_insts;
	struct program_alone of;
};

/* --- what is asked for --------------------------------------------------------------------------------------------- */

/* The options of a run of program i by itself, which writes and prints nothing. */
static struct options only(const struct options *all, u32 i)
{
	const struct options *p = i ? &all->more[i - 1] : all;
	struct options o = {.command = "run",
	                    .workload = p->workload,
	                    .app = p->app,
	                    .cu_args = p->cu_args,
	                    .nvcc_flags = all->nvcc_flags,
	                    .gpu = all->gpu,
	                    .kernel = p->kernel,
	                    .grid = p->grid,
	                    .block = p->block,
	                    .shared = p->shared,
	                    .regs = p->regs,
	                    .args = p->args,
	                    .nargs = p->nargs,
	                    .links = p->links,
	                    .nlinks = p->nlinks,
	                    .cooperative = p->cooperative,
	                    .beside = true,
	                    .sets = all->sets,
	                    .nsets = all->nsets,
	                    .size = p->size,
	                    .params = p->params,
	                    .nparams = p->nparams,
	                    .max_cycles = all->max_cycles,
	                    .allow_io = all->allow_io};
	return o;
}

static u64 add_words(u64 h, const char *const *words, u32 n)
{
	for (u32 i = 0; i < n; i++)
		h = fingerprint_own_file(fingerprint_text(h, words[i]), words[i]);
	return fingerprint_text(h, "");
}

static u32 app_words(const char *const *words)
{
	u32 n = 0;
	while (words && words[n])
		n++;
	return n;
}

static u64 fingerprint(u64 h, const struct options *o)
{
	char numbers[160];
	const char *const names[] = {o->workload ? o->workload : "", o->gpu ? o->gpu : "", o->kernel ? o->kernel : "",
	                             o->size ? o->size : ""};
	snprintf(numbers, sizeof numbers, "%u %u %u %u %u %u %u %u %d %" PRIu64, o->grid.x, o->grid.y, o->grid.z,
	         o->block.x, o->block.y, o->block.z, o->shared, o->regs, o->cooperative, o->max_cycles);
	h = add_words(h, names, ARRAY_LEN(names));
	h = add_words(h, o->app, app_words(o->app));
	h = add_words(h, o->cu_args, app_words(o->cu_args));
	h = fingerprint_text(h, o->nvcc_flags ? o->nvcc_flags : "");
	h = add_words(h, o->args, o->nargs);
	h = add_words(h, o->links, o->nlinks);
	h = add_words(h, o->sets, o->nsets);
	h = add_words(h, o->params, o->nparams);
	return fingerprint_text(h, numbers);
}

/* --- what is kept --------------------------------------------------------------------------------------------------- */

/* The directory, made if need be; false: there is none that could be written to. */
static bool cache_dir(struct strbuf *dir)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && *cache == '/')
		strbuf_adds(dir, cache);
	else if (home && *home == '/')
		strbuf_addf(dir, "%s/.cache", home);
	else
		return false;
	static const char *const below[] = {"", "/warpdbg", "/alone"};
	for (u32 i = 0; i < ARRAY_LEN(below); i++) {
		strbuf_adds(dir, below[i]);
		mkdir(dir->buf, 0700);
	}
	return !access(dir->buf, W_OK);
}

/* "alone 2 cycles C warp_insts W launches N", then of each launch what it is, cycles and instructions, then "end". */
static bool read_kept(FILE *f, struct alone *out)
{
	u32 n;
	char end[5];
	if (fscanf(f, "alone 2 cycles %" SCNu64 " warp_insts %" SCNu64 " launches %" SCNu32, &out->cycles, &out->warp_insts,
	           &n) != 3 ||
	    n > CONF_MAX_LAUNCHES)
		return false;
	out->of.launch = xcalloc(n + 1, sizeof *out->of.launch);
	for (; out->of.n < n; out->of.n++) {
		struct launch_alone *l = &out->of.launch[out->of.n];
		if (fscanf(f, "%" SCNx64 "%" SCNu64 "%" SCNu64, &l->what, &l->cycles, &l->warp_insts) != 3)
			return false;
	}
	return fscanf(f, "%4s", end) == 1 && !strcmp(end, "end");
}

static bool kept(const char *path, struct alone *out)
{
	FILE *f = fopen(path, "r");
	const bool ok = f && read_kept(f, out);
	if (f)
		fclose(f);
	if (!ok)
		program_alone_free(&out->of);
	return ok;
}

/* Complete or not at all; that it could not be kept is no failure of the run. */
static void keep(const char *path, const struct alone *a)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "alone 2 cycles %" PRIu64 " warp_insts %" PRIu64 " launches %u\n", a->cycles, a->warp_insts,
	            a->of.n);
	for (u32 i = 0; i < a->of.n; i++) {
		const struct launch_alone *l = &a->of.launch[i];
		strbuf_addf(&text, "%016" PRIx64 " %" PRIu64 " %" PRIu64 "\n", l->what, l->cycles, l->warp_insts);
	}
	strbuf_adds(&text, "end\n");
	file_write(path, text.buf, text.len, NULL);
	strbuf_release(&text);
}

/* --- measuring ------------------------------------------------------------------------------------------------------ */

static bool run(struct session *s, struct err *e)
{
	struct progress p;
	enum session_stop why;
	progress_start(&p, s);
	do {
		why = session_run(s, progress_until(&p, s), e);
		strbuf_clear(&s->output);
		if (why == SS_CYCLE)
			progress_draw(&p, s);
	} while (why == SS_CYCLE);
	progress_end(&p);
	if (why == SS_FINISHED && s->check != CHECK_FAIL)
		return true;
	struct strbuf text = STRBUF_INIT;
	if (why != SS_FINISHED)
		session_stop_reason(s, why, e, &text);
	err_clear(e);
	err_set(e, "%s alone, for --alone: %s", s->name, strbuf_str(why == SS_FINISHED ? &s->check_message : &text));
	strbuf_release(&text);
	return false;
}

static bool measure(struct options *o, session_modules *modules, struct alone *out, struct err *e)
{
	struct session *s = session_open(o, modules, e);
	if (!s)
		return false;
	const bool ok = run(s, e);
	if (ok) {
		struct program_stats p;
		program_stats_of(sim_gpu(s->sim), 0, &p);
		*out = (struct alone){.cycles = p.end - p.begin, .warp_insts = p.warp_insts};
		program_alone_of(sim_gpu(s->sim), 0, &out->of);
	}
	session_close(s);
	return ok;
}

bool alone_measure(const struct options *all, session_modules *modules, struct program_alone out[OPTIONS_PROGRAMS],
                   struct err *e)
{
	struct strbuf dir = STRBUF_INIT;
	char *data = catalog_data_dir(NULL);
	u64 data_hash = 0;
	const bool cached = cache_dir(&dir) && data && fingerprint_of_data(&data_hash, data, NULL);
	bool ok = true;
	for (u32 i = 0; ok && i <= all->nmore; i++) {
		struct options o = only(all, i);
		struct alone a = {0};
		struct strbuf path = STRBUF_INIT;
		strbuf_addf(&path, "%s/%016" PRIx64, strbuf_str(&dir), fingerprint(data_hash, &o));
		if (!cached || !kept(path.buf, &a)) {
			ok = measure(&o, modules, &a, e);
			if (ok && cached)
				keep(path.buf, &a);
		}
		out[i] = a.of;
		out[i].cpi = a.warp_insts ? (double)a.cycles / (double)a.warp_insts : 0;
		strbuf_release(&path);
	}
	strbuf_release(&dir);
	free(data);
	return ok;
}

struct session *alone_open(struct options *o, session_modules *modules, struct err *e)
{
	struct program_alone alone[OPTIONS_PROGRAMS] = {0};
	const bool ok = !o->alone || !o->nmore || alone_measure(o, modules, alone, e);
	struct session *s = ok ? session_open(o, modules, e) : NULL;
	for (u32 i = 0; i < OPTIONS_PROGRAMS; i++)
		if (s && i < s->nprograms)
			s->programs[i].alone = alone[i];
		else
			program_alone_free(&alone[i]);
	return s;
}
