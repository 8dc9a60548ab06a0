/* show: what `set` sets, and the whole configuration */
#include <stdio.h>
#include <string.h>

#include <readline/readline.h>

#include "commands/commands.h"
#include "views/appearance.h"
#include "commands/set.h"
#include "scr/palette.h"

static void log_value(const struct debugger *d, struct strbuf *out)
{
	if (!d->log.mask)
		strbuf_adds(out, "none");
	for (u32 i = 0, n = 0; i < EV_COUNT; i++)
		if (event_in(d->log.mask, i))
			strbuf_addf(out, "%s%s", n++ ? " " : "", event_descs[i].name);
}

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

/* The debugger's own settings; false: no such key, or one without a value of its own (var). */
static bool own_value(struct debugger *d, const char *key, struct strbuf *out)
{
	const char *editing = rl_variable_value("editing-mode");
	const struct {
		const char *key, *value;
	} own[] = {{"taxonomy", taxonomy_names[debugger_appearance(d)->taxonomy]},
	           {"keep-going", on_off(d->report.keep_going)},
	           {"pagination", d->shell->paging == PAGING_DEFAULT ? "default: on a plain terminal"
	                                                             : on_off(d->shell->paging == PAGING_ON)},
	           {"confirm", "off"},
	           {"mouse", on_off(debugger_appearance(d)->mouse)},
	           {"editing", editing ? editing : "emacs"},
	           {"palette", palette_names[debugger_appearance(d)->palette]}};
	if (!strcmp(key, "log")) {
		log_value(d, out);
		return true;
	}
	for (u32 i = 0; i < ARRAY_LEN(own); i++)
		if (!strcmp(key, own[i].key)) {
			strbuf_adds(out, own[i].value);
			return true;
		}
	return false;
}

/* One line a key: its value, and with `help` what it is. */
static bool show_key(struct debugger *d, const char *key, bool help, struct strbuf *out)
{
	struct strbuf v = STRBUF_INIT;
	const struct conf_key *k = conf_find(key);
	bool there = own_value(d, key, &v);
	if (!there && k) {
		conf_get(gpu_conf(dbg_gpu(d)), k, &v);
		if (*k->unit)
			strbuf_addf(&v, " %s", k->unit);
		there = true;
	}
	if (there && help && k)
		strbuf_addf(out, "%-24s %-12s %s\n", key, strbuf_str(&v), k->help);
	else if (there)
		strbuf_addf(out, "%-24s %s\n", key, strbuf_str(&v));
	strbuf_release(&v);
	return there;
}

/* The keys of a group, "l1d"; how many there are. */
static u32 show_group(struct debugger *d, const char *group, struct strbuf *out)
{
	u32 shown = 0;
	size_t n = strlen(group);
	for (u32 i = 0; i < conf_nkeys; i++)
		if (!strncmp(conf_keys[i].key, group, n) && (conf_keys[i].key[n] == '.' || group[n - 1] == '.'))
			shown += show_key(d, conf_keys[i].key, true, out);
	return shown;
}

static bool no_such_key(const char *key, struct err *e)
{
	const char *names[256];
	u32 n = 0;
	if (!strcmp(key, "var"))
		return err_set(e, "show var: a variable is Lua's: `print NAME` shows its value");
	for (u32 i = 0; i < conf_nkeys && n < ARRAY_LEN(names); i++)
		names[n++] = conf_keys[i].key;
	const char *k;
	for (u32 i = 0; (k = set_key(i)) && n < ARRAY_LEN(names); i++)
		names[n++] = k;
	const char *near = conf_nearest(key, names, n);
	if (near)
		return err_set(e, "show: there is no setting '%.60s' (did you mean '%s'?)", key, near);
	return err_set(
	    e, "show: there is no setting '%.60s'; `show` lists what `set` can change, `explain WORD` finds keys", key);
}

bool cmd_show(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const char *key;
	if (*args)
		return show_key(d, args, true, out) || show_group(d, args, out) || no_such_key(args, e);
	for (u32 i = 0; (key = set_key(i)); i++)
		show_key(d, key, false, out);
	strbuf_adds(out, "`show KEY` and `show GROUP` (l1d, lsu, dram...) show the rest of the configuration.\n");
	return true;
}
