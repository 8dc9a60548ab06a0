/* Reads what `whatif` is asked, and makes the rows of it. */
#include "dbg/whatif.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/args.h"
#include "dbg/goal.h"
#include "session/app/compile.h"
#include "session/cmdline.h"
#include "session/policy/lua_policy.h"
#include "session/policy_names.h"
#include "session/progress.h"

/* The values of a key while they are read. */
struct values {
	char *text[WHATIF_POINTS + 1];
	u32 n;
};
struct reading {
	struct debugger *d;
	struct whatif *w;
	struct values of[WHATIF_KEYS];
	bool jobs;
};

static void text_of(const struct conf *c, const struct conf_key *k, struct strbuf *out)
{
	strbuf_clear(out);
	conf_get(c, k, out);
}

/* --- may it change now? --- */

/* A policy of the library that is not in use: whether it may come into use now is asked of it in the place of one that
 * is not loaded yet. */
static const char *another_policy(const struct conf *c, enum policy_kind k)
{
	const struct policy *p = NULL;
	for (u32 i = 0; (p = sim_policy(k, i)) && !strcmp(p->name, policy_named(c, k)); i++)
		;
	return p ? p->name : policy_named(c, k);
}

bool whatif_changes_now(struct debugger *d, const char *key, const char *value)
{
	const enum policy_kind k = policy_kind_of(key);
	if (!sim_is_live(key))
		return false;
	if (k != POLICY_KINDS && policy_is_lua(value))
		value = another_policy(gpu_conf(dbg_gpu(d)), k);
	return sim_may_set(d->s->sim, key, value, NULL);
}

/* The first key that cannot change now; NULL: all can. */
static const char *fixed_key(struct debugger *d, const struct conf *want)
{
	struct strbuf is = STRBUF_INIT, to = STRBUF_INIT;
	const char *key = NULL;
	for (u32 i = 0; i < conf_nkeys && !key; i++) {
		text_of(gpu_conf(dbg_gpu(d)), &conf_keys[i], &is);
		text_of(want, &conf_keys[i], &to);
		if (strcmp(strbuf_str(&is), strbuf_str(&to)) && !whatif_changes_now(d, conf_keys[i].key, strbuf_str(&to)))
			key = conf_keys[i].key;
	}
	strbuf_release(&is);
	strbuf_release(&to);
	return key;
}

/* --- rows --- */

/* The machine that the values ask for. What a policy implies is set first: a key that is named wins. */
static bool row_conf(const struct whatif *w, struct whatif_row *r, const struct conf *now, struct err *e)
{
	bool ok = true;
	r->conf = *now;
	for (u32 i = 0; i < w->nkeys && ok; i++) {
		const enum policy_kind k = policy_kind_of(w->key[i]->key);
		if (k != POLICY_KINDS && strcmp(policy_named(now, k), r->value[i]))
			ok = sim_imply(&r->conf, w->key[i]->key, r->value[i], e);
	}
	for (u32 i = 0; i < w->nkeys && ok; i++)
		ok = conf_set(&r->conf, w->key[i]->key, r->value[i], e);
	return ok && conf_check(&r->conf, e);
}

static void row_fails(struct whatif *w, struct whatif_row *r, const char *why)
{
	r->state = ROW_FAILED;
	snprintf(r->why, sizeof r->why, "%s", why);
	w->over++;
}

static void add_row(struct reading *in, char *const *value)
{
	struct whatif *w = in->w;
	struct whatif_row *r = &w->row[w->nrows++];
	struct err why = {0};
	r->pipe = -1;
	for (u32 i = 0; i < w->nkeys; i++)
		r->value[i] = xstrdup(value[i]);
	if (!row_conf(w, r, gpu_conf(dbg_gpu(in->d)), &why)) {
		row_fails(w, r, why.msg);
		return;
	}
	r->fixed_key = w->nrows > 1 ? fixed_key(in->d, &r->conf) : NULL;
	r->from_zero = r->fixed_key;
	if (r->from_zero && in->d->travel.changed_by_hand)
		row_fails(
		    w, r,
		    "it would begin at cycle 0, and this machine was changed by hand since (`undo` takes the change back)");
}

/* The last key's values turn fastest. The combination that is there already is row 0. */
static void add_rows(struct reading *in, u64 points)
{
	struct whatif *w = in->w;
	struct strbuf is = STRBUF_INIT;
	char *value[WHATIF_KEYS] = {0}, *now[WHATIF_KEYS] = {0};
	w->row = xcalloc(points + 1, sizeof *w->row);
	for (u32 i = 0; i < w->nkeys; i++) {
		text_of(gpu_conf(dbg_gpu(in->d)), w->key[i], &is);
		now[i] = xstrdup(strbuf_str(&is));
	}
	add_row(in, now);
	for (u64 p = 0; p < points; p++) {
		bool same = true;
		u64 rest = p;
		for (u32 i = w->nkeys; i-- > 0; rest /= in->of[i].n) {
			value[i] = in->of[i].text[rest % in->of[i].n];
			same &= !strcmp(value[i], now[i]);
		}
		if (!same)
			add_row(in, value);
	}
	for (u32 i = 0; i < w->nkeys; i++)
		free(now[i]);
	strbuf_release(&is);
}

/* --- words --- */

/* One value of a key, in the words of conf_get(). */
static bool add_value(struct reading *in, u32 at, const char *text, struct err *e)
{
	const struct conf_key *key = in->w->key[at];
	struct values *v = &in->of[at];
	struct conf c = *gpu_conf(dbg_gpu(in->d));
	const enum policy_kind k = policy_kind_of(key->key);
	struct strbuf is = STRBUF_INIT;
	if (!*text)
		return err_set(e, "%s: a value is missing", key->key);
	if (!conf_set(&c, key->key, text, e) || (k != POLICY_KINDS && !policy_name_known(k, text, e)))
		return false;
	text_of(&c, key, &is);
	bool ok = v->n < WHATIF_POINTS || err_set(e, "%s: more than %u values", key->key, WHATIF_POINTS);
	for (u32 i = 0; i < v->n && ok; i++)
		if (!strcmp(v->text[i], strbuf_str(&is)))
			ok = err_set(e, "%s: %s is named twice", key->key, strbuf_str(&is));
	if (ok)
		v->text[v->n++] = xstrdup(strbuf_str(&is));
	strbuf_release(&is);
	return ok;
}

/* Calls fn for each part of "a,b,c". */
static bool each_part(struct reading *in, u32 at, const char *list,
                      bool (*fn)(struct reading *, u32, const char *, struct err *), struct err *e)
{
	bool ok = true;
	for (const char *p = list; ok; p++) {
		size_t n = strcspn(p, ",");
		char *part = xstrndup(p, n);
		ok = fn(in, at, part, e);
		free(part);
		p += n;
		if (!*p)
			break;
	}
	return ok;
}

static bool read_key(struct reading *in, const char *word, struct err *e)
{
	struct whatif *w = in->w;
	const char *eq = strchr(word, '=');
	if (!eq || eq == word)
		return err_set(e, "KEY=VALUE[,VALUE...], `for`, `to`, `print` or `jobs` is expected, not '%.60s'", word);
	char *key = xstrndup(word, (size_t)(eq - word));
	const struct conf_key *k = conf_find(key);
	bool ok = true;
	if (!k) {
		struct conf c = *gpu_conf(dbg_gpu(in->d));
		ok = conf_set(&c, key, eq + 1, e); /* says which there are */
	}
	for (u32 i = 0; i < w->nkeys && ok; i++)
		ok = w->key[i] != k || err_set(e, "%s is named twice: its values belong into one list", key);
	if (ok && w->nkeys == WHATIF_KEYS)
		ok = err_set(e, "more than %u keys", WHATIF_KEYS);
	free(key);
	if (!ok)
		return false;
	w->key[w->nkeys++] = k;
	return each_part(in, w->nkeys - 1, eq + 1, add_value, e);
}

static bool add_figure(struct reading *in, u32 at, const char *name, struct err *e)
{
	struct whatif *w = in->w;
	struct probe_path p;
	if (!strcmp(name, "hash") || !strcmp(name, "gpu.hash"))
		return w->hashes = true;
	if (w->nfigures == WHATIF_FIGURES)
		return err_set(e, "print: more than %u figures", WHATIF_FIGURES);
	struct whatif_figure *f = &w->figure[w->nfigures];
	if (!*name || strlen(name) >= sizeof f->name)
		return err_set(e, "print: the name of a figure is expected, as in print l1d.hit_rate, not '%.60s'", name);
	snprintf(f->name, sizeof f->name, "%s", name);
	snprintf(f->probe, sizeof f->probe, "%s%s", strncmp(name, "gpu.", 4) ? "gpu." : "", name);
	if (!probe_parse(dbg_gpu(in->d), f->probe, &p, e)) {
		err_prefix(e, "print: ");
		return false;
	}
	w->nfigures++;
	return true;
}

static bool read_end(struct reading *in, bool absolute, const char *word, struct err *e)
{
	struct whatif *w = in->w;
	u64 n;
	const char *what = absolute ? "to" : "for";
	if (!cmdline_u64(word, what, 1ull << 62, &n, e))
		return false;
	if (w->until != NEVER)
		return err_set(e, "`for` and `to` say where the rows end: one of them, once");
	if (!absolute && !n)
		return err_set(e, "for: at least 1 cycle is needed");
	if (absolute && n <= w->from)
		return err_set(e, "to %llu: that cycle has passed (now %llu)", (unsigned long long)n,
		               (unsigned long long)w->from);
	w->until = absolute ? n : w->from + n;
	return true;
}

static bool read_jobs(struct reading *in, const char *word, struct err *e)
{
	u64 n;
	if (!cmdline_u64(word, "jobs", 1024, &n, e))
		return false;
	in->jobs = true;
	in->w->jobs = (u32)n;
	return n > 0 || err_set(e, "jobs: at least 1 is needed");
}

static bool read_words(struct reading *in, const char *text, struct err *e)
{
	char word[2048], behind[2048];
	while ((text = next_word(text, word, sizeof word))) {
		const bool ends = !strcmp(word, "for") || !strcmp(word, "to"), print = !strcmp(word, "print");
		if (!ends && !print && strcmp(word, "jobs")) {
			if (!read_key(in, word, e))
				return false;
			continue;
		}
		const char *rest = next_word(text, behind, sizeof behind);
		if (!rest)
			return err_set(e, "%s: %s is expected behind it", word,
			               print  ? "the name of a figure"
			               : ends ? "a cycle"
			                      : "a number");
		text = rest;
		if (!(ends    ? read_end(in, *word == 't', behind, e)
		      : print ? each_part(in, 0, behind, add_figure, e)
		              : read_jobs(in, behind, e)))
			return false;
	}
	return true;
}

/* --- how many at a time --- */

static u32 processors(void)
{
#ifdef __linux__
	cpu_set_t set;
	if (!sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 0)
		return (u32)CPU_COUNT(&set);
#endif
	const long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (u32)n : 1;
}

/* MiB of memory that are free; 0: not known. */
static u64 free_memory(void)
{
	unsigned long long kib = 0;
	char line[200];
	FILE *f = fopen("/proc/meminfo", "re");
	while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %llu", &kib) != 1)
		;
	if (f)
		fclose(f);
	return kib >> 10;
}

/* MiB that a child may come to have for itself: what this process has, without its history, which children give up. */
static u64 child_memory(struct debugger *d)
{
	struct sim_history_info h;
	unsigned long long all = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");
	if (f && fscanf(f, "%llu %llu", &all, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	sim_history_info(d->s->sim, &h);
	const u64 bytes = resident * (u64)sysconf(_SC_PAGESIZE);
	return MAX(bytes - MIN(bytes, h.bytes), 1ull << 20) >> 20;
}

static u32 usual_jobs(struct debugger *d)
{
	const u64 room = free_memory() / child_memory(d);
	return (u32)MAX(MIN((u64)processors(), room ? room : NEVER), 1);
}

/* --- all of it --- */

static bool is_app(const struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++)
		if (s->programs[i].opt->app || compile_wanted(s->programs[i].opt))
			return true;
	return false;
}

static bool may_fork(struct debugger *d, struct err *e)
{
	if (!can_run(d, e))
		return false;
	return !is_app(d->s) ||
	       err_set(e,
	               "an application is another process, with files of its own, and cannot be forked. `compare OPTIONS` "
	               "starts a second one beside this one");
}

static bool read_all(struct reading *in, const char *text, struct err *e)
{
	u64 points = 1;
	if (!may_fork(in->d, e) || !read_words(in, text, e))
		return false;
	if (!in->w->nkeys)
		return err_set(e, "KEY=VALUE[,VALUE...] is expected, as in whatif warp-sched=lrr,gto for 20000");
	for (u32 i = 0; i < in->w->nkeys; i++)
		points *= in->of[i].n; /* 64^8 at most */
	if (points > WHATIF_POINTS)
		return err_set(e, "these lists make %llu combinations; %u at most are run at once", (unsigned long long)points,
		               WHATIF_POINTS);
	if (!in->w->nfigures && !in->w->hashes && !add_figure(in, 0, "l1d.hit_rate", e))
		return false;
	if (!in->jobs)
		in->w->jobs = usual_jobs(in->d);
	add_rows(in, points);
	return true;
}

struct whatif *whatif_open(struct debugger *d, const char *text, struct err *e)
{
	struct reading in = {.d = d, .w = xcalloc(1, sizeof *in.w)};
	in.w->from = sim_cycle(d->s->sim);
	in.w->until = NEVER;
	in.w->program = xstrdup(d->s->name ? d->s->name : "");
	in.w->parent = getpid();
	in.w->started_ns = host_ns();
	const bool ok = read_all(&in, text, e);
	for (u32 i = 0; i < WHATIF_KEYS; i++)
		while (in.of[i].n)
			free(in.of[i].text[--in.of[i].n]);
	if (ok)
		return in.w;
	err_prefix(e, "whatif: ");
	whatif_free(in.w);
	return NULL;
}
