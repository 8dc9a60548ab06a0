/* set: what may change while the session runs */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/set.h"
#include "lua/dbg.h"
#include "lua/policy.h"

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
			d->taxonomy = (enum taxonomy)i;
			return true;
		}
	return err_set(e, "set taxonomy: '%.40s' is none of base, lee2014, elf, paws, vt, nsight", value);
}

static bool set_log(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	char word[64];
	u64 mask = 0;
	while (strcmp(value, "none") && (value = next_word(value, word, sizeof(word)))) {
		int t = event_find(word);
		if (t < 0)
			return err_set(e, "set log: there is no event '%s' (`info events` lists them; 'none' logs nothing)", word);
		mask |= BIT(t);
	}
	d->log_mask = mask;
	debugger_resubscribe(d);
	return true;
}

static bool set_keep_going(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	return on_off("keep-going", value, &d->keep_going, e);
}

/* For gdb scripts: output is never paged and nothing asks for confirmation, so only "off" is possible. */
static bool always_off(const char *key, const char *value, struct err *e)
{
	bool on = false;
	if (!on_off(key, value, &on, e))
		return false;
	return !on || err_set(e, "set %s: it is always off here", key);
}

static bool set_pagination(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	return always_off("pagination", value, e);
}

static bool set_confirm(struct debugger *d, const char *value, struct strbuf *out, struct err *e)
{
	return always_off("confirm", value, e);
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
           {"pagination", set_pagination}, {"confirm", set_confirm}, {"var", set_var}};

const char *set_key(u32 i)
{
	static const char *const machine[] = {"warp-sched", "cta-sched", "max_ctas_per_sm", "deadlock_cycles"};
	if (i < ARRAY_LEN(own))
		return own[i].key;
	i -= ARRAY_LEN(own);
	return i < ARRAY_LEN(machine) ? machine[i] : NULL;
}

bool cmd_set(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char key[64];
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
	struct conf trial = *gpu_conf(dbg_gpu(d));
	if (!conf_set(&trial, key, value, e) || !policy_load(d->s, key, value, e) ||
	    !change_begins(d, e)) /* a mistake in the value forks nothing */
		return false;
	bool ok = sim_set(d->s->sim, key, value, e);
	session_changed(d->s);
	return ok;
}
