/* run, file: the session again from cycle 0, with other options or another program when some are given */
#include <stdlib.h>
#include <string.h>

#include "session/machine.h"
#include "session/saved.h"
#include "session/cmdline.h"
#include "commands/commands.h"
#include "session/lockstep.h"

/* The options of one `run OPTIONS` or `file PROGRAM`. They point into those before them, which stay as long. */
struct other_options {
	struct options opt, common;
	bool another; /* it names a program */
	bool prints;  /* its list of what to print is its own */
	struct options *before;
	struct other_options *next;
};

/* Lists that the command line gave once, and that are not copied. Files to be written are of the program they were
 * given for; what is to be printed as well. */
static void lend_lists(struct options *to, const struct options *from)
{
	to->commands = from ? from->commands : NULL;
	to->ncommands = from ? from->ncommands : 0;
	to->stats = from ? from->stats : NULL;
	to->format = from ? from->format : NULL;
}

static void lend_outs(struct options *to, const struct options *from)
{
	to->outs = from ? from->outs : NULL;
	to->nouts = from ? from->nouts : 0;
}

static void lend_prints(struct options *to, const struct options *from)
{
	to->prints = from ? from->prints : NULL;
	to->nprints = from ? from->nprints : 0;
}

static void free_options(struct other_options *x)
{
	lend_lists(&x->opt, NULL);
	lend_outs(&x->opt, NULL);
	if (!x->prints)
		lend_prints(&x->opt, NULL);
	cmdline_free(&x->opt);
	free(x);
}

void restart_release(struct debugger *d)
{
	while (d->shell->other_options) {
		struct other_options *x = d->shell->other_options;
		d->s->opt = x->before;
		d->shell->other_options = x->next;
		free_options(x);
	}
}

/* fresh: of the options there are, those of the machine do not count. */
static struct other_options *read_options(struct debugger *d, const char *command, const char *text, bool fresh,
                                          struct conf *conf, struct err *e)
{
	struct other_options *x = xcalloc(1, sizeof *x);
	x->before = d->s->opt;
	x->common = *d->s->opt;
	lend_lists(&x->common, NULL);
	lend_outs(&x->common, NULL);
	lend_prints(&x->common, NULL);
	if (fresh) {
		x->common.gpu = x->common.compare = NULL;
		x->common.sets = NULL;
		x->common.nsets = 0;
	}
	bool ok = cmdline_program(&x->opt, &x->common, command, text, e) == CMDLINE_OK;
	x->another = ok && x->opt.workload != x->before->workload;
	x->prints = !ok || x->another || x->opt.nprints;
	if (ok && machine_conf(conf, d->s->data_dir, x->opt.gpu, x->opt.sets, x->opt.nsets, e)) {
		lend_lists(&x->opt, x->before);
		if (!x->another)
			lend_outs(&x->opt, x->before);
		if (!x->prints)
			lend_prints(&x->opt, x->before);
		return x;
	}
	if (ok)
		err_prefix(e, "%s: ", command);
	free_options(x);
	return NULL;
}

static bool restart(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct program_alone alone[OPTIONS_PROGRAMS] = {0}; /* --alone: of a machine with other options it is not known */
	for (u32 i = 0; !d->bound.other_machine && i < d->s->nprograms; i++) {
		alone[i] = d->s->programs[i].alone;
		d->s->programs[i].alone = (struct program_alone){0};
	}
	goal_clear(d);
	breaks_unresolve(d);
	const bool ok = debugger_restart(d, out, e);
	for (u32 i = 0; i < d->s->nprograms; i++) {
		program_alone_free(&d->s->programs[i].alone);
		d->s->programs[i].alone = alone[i];
	}
	return ok;
}

/* Do the options make a machine, does the host program come to its first wait on it? Asked of a machine of its own that
 * goes again, so that options which turn out to be wrong leave the one that is here as it is. It writes no files. */
static bool try_options(struct debugger *d, const char *command, const struct other_options *x, struct err *e)
{
	struct options alone = compare_beside(&x->opt);
	struct session *s = session_open(&alone, d->s->modules, e);
	bool ok = s && session_run(s, 0, e) != SS_HOST_ERROR;
	if (s && !ok && !x->another && x->opt.script && !d->run.interrupt) {
		err_clear(e); /* the host program may need what --script has left: try it here */
		ok = true;
	}
	session_close(s);
	if (d->run.interrupt) { /* the new machine would be stopped again before it stands */
		err_clear(e);
		ok = err_set(e, "interrupted while it was tried; the machine is as it was");
	}
	if (!ok)
		err_prefix(e, "%s: ", command);
	return ok;
}

/* What is said of breakpoints and the like that another program leaves without their place. */
static void tell_kept(struct debugger *d, struct strbuf *out)
{
	if (d->travel.nbookmarks)
		strbuf_adds(out, "The bookmarks are gone: they named cycles of the program before.\n");
	d->travel.nbookmarks = 0;
	breaks_tell_pending(d, out);
}

static bool use_options(struct debugger *d, struct other_options *x, const struct conf *conf, struct strbuf *out,
                        struct err *e)
{
	d->s->opt = &x->opt;
	d->s->conf = *conf;
	d->bound.other_machine = true;
	if (x->another)
		watches_of_another(d, out);
	if (x->another)
		d->focus = (struct focus){.kernel = -1, .cta_slot = -1, .cta = -1};
	bool ok = restart(d, out, e);
	d->bound.other_machine = false;
	return ok;
}

/* fresh: as of read_options().
 * Should it fail all the same, the machine before it comes back, from cycle 0 on. */
static bool restart_with(struct debugger *d, const char *command, const char *text, bool fresh, struct strbuf *out,
                         struct err *e)
{
	struct session *s = d->s;
	struct conf conf, before = s->conf;
	if (d->rival)
		return err_set(e,
		               "%s: a machine stands beside this one, with the same options but for its own; `compare off` "
		               "takes it away",
		               command);
	struct other_options *x = read_options(d, command, text, fresh, &conf, e);
	if (!x)
		return false;
	if ((x->another && !may_use_files(d, command, e)) || !try_options(d, command, x, e)) {
		free_options(x);
		return false;
	}
	if (use_options(d, x, &conf, out, e)) {
		x->next = d->shell->other_options;
		d->shell->other_options = x;
		if (x->another)
			tell_kept(d, out);
		return true;
	}
	struct err again = {0};
	s->opt = x->before;
	s->conf = before;
	d->bound.other_machine = true;
	restart(d, out, &again); /* statistics are looked up in it again */
	d->bound.other_machine = false;
	free_options(x);
	err_prefix(e, "%s: ", command);
	return false;
}

static bool may_restart(struct debugger *d, const char *command, struct err *e)
{
	return !(lua_dbg_in_callback(d) || d->run.in_run) || err_set(e, "%s: the machine is running", command);
}

bool cmd_run(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!may_restart(d, "run", e))
		return false;
	bool ok = *args ? restart_with(d, "run", args, false, out, e) : restart(d, out, e);
	if (ok)
		changes_restarted(&d->shell->changes, *args ? args : NULL);
	if (ok && d->run.last != SS_INTERRUPT)
		set_goal(d, GOAL_CONTINUE, NEVER);
	return ok;
}

bool open_afresh(struct debugger *d, const char *command, const char *program, struct strbuf *out, struct err *e)
{
	if (!may_restart(d, command, e) || !restart_with(d, command, program, true, out, e))
		return false;
	changes_release(&d->shell->changes);
	d->shell->changes = (struct changes){0};
	saved_program(program);
	return true;
}

static void tell_program(struct debugger *d, struct strbuf *out)
{
	const struct options *o = d->s->opt;
	strbuf_addf(out, "%s on %s, cycle %llu", d->s->name, d->s->conf.machine, (unsigned long long)sim_cycle(d->s->sim));
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++)
		strbuf_addf(out, "%s%s", i ? ", " : ": ", sim_module(d->s->sim, i)->path);
	strbuf_addf(out, "%s%s\n", o->size ? ", size " : "", o->size ? o->size : "");
}

bool cmd_file(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (*args && !(may_restart(d, "file", e) && restart_with(d, "file", args, false, out, e)))
		return false;
	if (*args)
		changes_restarted(&d->shell->changes, args);
	tell_program(d, out);
	return true;
}
