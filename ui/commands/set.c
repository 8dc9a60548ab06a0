/* set: what may change while the session runs */
#include <stdio.h>
#include <string.h>

#include <readline/readline.h>

#include "commands/commands.h"
#include "views/appearance.h"
#include "commands/set.h"
#include "session/policy/lua_policy.h"
#include "session/policy_names.h"
#include "scr/palette.h"

typedef bool set_fn(struct debugger *d, const char *value, struct strbuf *out, struct err *e);

static bool on_off(const char *key, const char *value, bool *to, struct err *e)
{
	bool on = !strcmp(value, "on");
	if (!on && strcmp(value, "off"))
		return err_set(e, "set %s: 'on' or 'off' is expected, not '%.40s'", key, value);
	*to = on;
	return true;
}

static bool set_taxonomy(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	for (u32 i = 0; i < TAX_COUNT; i++)
		if (!strcmp(taxonomy_names[i], value)) {
			debugger_appearance(d)->taxonomy = (enum taxonomy)i;
			return true;
		}
	return err_set(e, "set taxonomy: '%.40s' is none of %s", value, taxonomy_list());
}

static bool set_log(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	char word[64];
	event_set mask = 0;
	while (strcmp(value, "none") && (value = next_word(value, word, sizeof(word)))) {
		int t = event_find(word);
		if (t < 0)
			return err_set(e, "set log: there is no event '%s' (`info events` lists them; 'none' logs nothing)", word);
		mask |= EVENT(t);
	}
	d->log.mask = mask;
	debugger_resubscribe(d);
	return true;
}

static bool set_keep_going(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	return on_off("keep-going", value, &d->report.keep_going, e);
}

static bool set_pagination(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	bool on = false;
	if (!on_off("pagination", value, &on, e))
		return false;
	d->shell->paging = on ? PAGING_ON : PAGING_OFF;
	return true;
}

/* For gdb scripts: nothing asks for confirmation here, so only "off" is possible. */
static bool set_confirm(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	bool on = false;
	if (!on_off("confirm", value, &on, e))
		return false;
	return !on || err_set(e, "set confirm: it is always off here");
}

static bool set_mouse(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	return on_off("mouse", value, &debugger_appearance(d)->mouse, e);
}

static bool set_palette(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	int k = palette_find(value);
	if (k < 0)
		return err_set(e, "set palette: 'dark', 'light' or 'auto' is expected, not '%.40s'", value);
	debugger_appearance(d)->palette = (u32)k;
	return true;
}

/* Readline's own variable: ~/.inputrc may have set it before. */
static bool set_editing(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	if (strcmp(value, "vi") && strcmp(value, "emacs"))
		return err_set(e, "set editing: 'vi' or 'emacs' is expected, not '%.40s'", value);
	rl_variable_bind("editing-mode", value);
	return true;
}

/* set var NAME = EXPR: a Lua global. */
static bool set_var(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	const char *eq = skip_blanks(value + n);
	if (!n || *eq != '=' || eq[1] == '=')
		return err_set(e, "set var: NAME = LUA-EXPR is expected, not '%.60s'", value);
	return lua_dbg_exec(d, value, "=set var", NULL, e);
}

static const struct {
	const char *key;
	set_fn *fn;
} own[] = {{"taxonomy", set_taxonomy},     {"log", set_log},         {"keep-going", set_keep_going},
           {"pagination", set_pagination}, {"confirm", set_confirm}, {"var", set_var},
           {"mouse", set_mouse},           {"editing", set_editing}, {"palette", set_palette}};

const char *set_key(u32 i)
{
	return i < ARRAY_LEN(own) ? own[i].key : sim_live_key(i - (u32)ARRAY_LEN(own));
}

/* The keys that come with a policy's name: sets what may change in a built machine, and tells of the rest. */
static void set_implied(struct debugger *d, const char *kind, const char *policy, struct strbuf *out)
{
	struct conf want = *gpu_conf(dbg_gpu(d));
	if (!sim_imply(&want, kind, policy, NULL))
		return;
	for (u32 i = 0; i < conf_nkeys; i++) {
		struct strbuf is = STRBUF_INIT, to = STRBUF_INIT;
		conf_get(gpu_conf(dbg_gpu(d)), &conf_keys[i], &is);
		conf_get(&want, &conf_keys[i], &to);
		const char *key = conf_keys[i].key;
		if (strcmp(strbuf_str(&is), strbuf_str(&to)) == 0)
			;
		else if (sim_set(d->s->sim, key, strbuf_str(&to), NULL))
			strbuf_addf(out, "%s is now %s: %s implies it.\n", key, strbuf_str(&to), policy);
		else
			strbuf_addf(out,
			            "%s stays %s, not %s: it is part of the machine. `run --%s %s` starts again with it, "
			            "`compare --%s %s` sets such a machine beside this one.\n",
			            key, strbuf_str(&is), strbuf_str(&to), kind, policy, kind, policy);
		strbuf_release(&is);
		strbuf_release(&to);
	}
}

/* What cannot change now can from the start: says what to type for it. */
static bool not_now(const char *key, const char *value, struct err *e)
{
	char why[160];
	if (sim_is_live(key))
		snprintf(why, sizeof why, "%.159s", e->msg);
	else
		snprintf(why, sizeof why, "%.60s is part of the machine and cannot change while it runs", key);
	err_clear(e);
	const char *quote = strpbrk(value, " \t'\"\\") ? "'" : "";
	return err_set(
	    e,
	    "%s. `run --set %s%.60s=%.100s%s` starts again with it, `compare --set %s%.60s=%.100s%s` sets such a "
	    "machine beside this one",
	    why, quote, key, value, quote, quote, key, value, quote);
}

/* Behind a change in the past there is no future any more but the one to come. */
static void say_forgotten(struct debugger *d, const char *key, u64 frontier, struct strbuf *out)
{
	struct sim_history_info h;
	u64 now = sim_cycle(d->s->sim);
	sim_history_info(d->s->sim, &h);
	if (frontier > now && h.on && h.frontier == now)
		strbuf_addf(out, "%s has its value from cycle %llu on; the cycles after it, up to %llu, are forgotten.\n", key,
		            (unsigned long long)now, (unsigned long long)frontier);
}

/* A key of the machine. */
static bool set_machine(struct debugger *d, const char *key, const char *value, struct strbuf *out, struct err *e)
{
	struct conf trial = *gpu_conf(dbg_gpu(d));
	struct sim_history_info before;
	const enum policy_kind kind = policy_kind_of(key);
	if (!conf_set(&trial, key, value, e) || (kind != POLICY_KINDS && !policy_name_known(kind, value, e)) ||
	    !conf_check(&trial, e)) {
		err_prefix(e, "set: ");
		return false;
	}
	if (sim_is_live(key) && !policy_load(d->s, key, value, e))
		return false;
	if (!sim_may_set(d->s->sim, key, value, e))
		return not_now(key, value, e);
	sim_history_info(d->s->sim, &before);
	if (!change_begins(d, e)) /* a mistake forks nothing */
		return false;
	bool ok = sim_set(d->s->sim, key, value, e);
	if (ok)
		set_implied(d, key, value, out);
	session_changed(d->s);
	if (ok && before.on)
		say_forgotten(d, key, before.frontier, out);
	return ok;
}

bool cmd_set(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char key[64];
	if (*args && strchr("%$*{", *args)) /* as in gdb: $r1 = 3, *ADDRESS = 3, {int}ADDRESS = 3 */
		return err_set(e, "set: memory is written by lua mem.write_u32(ADDRESS, VALUE); registers can only be read");
	const char *value = next_word(args, key, sizeof(key));
	if (!value || !*value) {
		char *eq = value ? strchr(key, '=') : NULL;
		if (!eq)
			return err_set(e, "set: KEY VALUE is expected");
		*eq = 0; /* "set key=value" as on the command line */
		value = args + strcspn(args, "=") + 1;
	}
	for (u32 i = 0; i < ARRAY_LEN(own); i++)
		if (!strcmp(own[i].key, key))
			return own[i].fn(d, value, out, e);
	return set_machine(d, key, value, out, e);
}
