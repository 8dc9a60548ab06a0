/* run: the session again from cycle 0, with other options when some are given */
#include <stdlib.h>
#include <string.h>

#include "session/catalog.h"
#include "session/cmdline.h"
#include "commands/commands.h"
#include "session/lockstep.h"

/* The options of one `run OPTIONS`. They point into those before them, which stay as long. */
struct other_options {
	struct options opt, common;
	char *text;
	struct options *before;
	struct other_options *next;
};

/* Lists that the command line gave once, and that are not copied. */
static void lend_lists(struct options *to, const struct options *from)
{
	to->commands = from ? from->commands : NULL;
	to->ncommands = from ? from->ncommands : 0;
	to->outs = from ? from->outs : NULL;
	to->nouts = from ? from->nouts : 0;
	to->prints = from ? from->prints : NULL;
	to->nprints = from ? from->nprints : 0;
	to->stats = from ? from->stats : NULL;
	to->format = from ? from->format : NULL;
}

static void free_options(struct other_options *x)
{
	lend_lists(&x->opt, NULL);
	cmdline_free(&x->opt);
	free(x->text);
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

static struct other_options *read_options(struct debugger *d, const char *text, struct conf *conf, struct err *e)
{
	struct other_options *x = xcalloc(1, sizeof *x);
	x->text = xstrdup(text);
	x->before = d->s->opt;
	x->common = *d->s->opt;
	lend_lists(&x->common, NULL);
	x->common.side[1] = x->text;
	bool ok = cmdline_side(&x->opt, &x->common, 1, e) == CMDLINE_OK;
	x->opt.side[1] = x->before->side[1];
	if (ok && catalog_conf(conf, d->s->data_dir, x->opt.gpu, x->opt.sets, x->opt.nsets, e)) {
		lend_lists(&x->opt, x->before);
		return x;
	}
	cmdline_name_side(e, "run");
	free_options(x);
	return NULL;
}

static bool restart(struct debugger *d, struct strbuf *out, struct err *e)
{
	goal_clear(d);
	breaks_unresolve(d);
	return debugger_restart(d, out, e);
}

/* Do the options make a machine, does the host program come to its first wait on it? Asked of a machine of its own that
 * goes again, so that options which turn out to be wrong leave the one that is here as it is. It writes no files. */
static bool try_options(struct debugger *d, const struct options *o, struct err *e)
{
	struct options alone = compare_beside(o);
	struct session *s = session_open(&alone, d->s->modules, e);
	bool ok = s && session_run(s, 0, e) != SS_HOST_ERROR;
	if (s && !ok && o->script &&
	    !d->run.interrupt) { /* the host program may need what --script has left: try it here */
		err_clear(e);
		ok = true;
	}
	session_close(s);
	if (d->run.interrupt) { /* the new machine would be stopped again before it stands */
		err_clear(e);
		ok = err_set(e, "interrupted while it was tried; the machine is as it was");
	}
	if (!ok)
		err_prefix(e, "run: ");
	return ok;
}

/* Should it fail all the same, the machine before it comes back, from cycle 0 on. */
static bool restart_with(struct debugger *d, const char *text, struct strbuf *out, struct err *e)
{
	struct session *s = d->s;
	struct conf conf, before = s->conf;
	if (d->rival)
		return err_set(e, "run: a machine stands beside this one, with the same options but for its own; `compare off` "
		                  "takes it away");
	struct other_options *x = read_options(d, text, &conf, e);
	if (!x)
		return false;
	if (!try_options(d, &x->opt, e)) {
		free_options(x);
		return false;
	}
	s->opt = &x->opt;
	s->conf = conf;
	d->bound.other_machine = true;
	bool ok = restart(d, out, e);
	if (ok) {
		d->bound.other_machine = false;
		x->next = d->shell->other_options;
		d->shell->other_options = x;
		return true;
	}
	struct err again = {0};
	s->opt = x->before;
	s->conf = before;
	restart(d, out, &again); /* statistics are looked up in it again */
	d->bound.other_machine = false;
	free_options(x);
	err_prefix(e, "run: ");
	return false;
}

bool cmd_run(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (lua_dbg_in_callback(d) || d->run.in_run)
		return err_set(e, "run: the machine is running");
	bool ok = *args ? restart_with(d, args, out, e) : restart(d, out, e);
	if (ok && d->run.last != SS_INTERRUPT)
		set_goal(d, GOAL_CONTINUE, NEVER);
	return ok;
}
