#include "conf/conf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "conf/carveout.h"
#include "conf/virtual.h"

const struct conf_key conf_keys[] = {
#define C_INT(f, k, d, lo, hi, u, h)                                                                                   \
	{.key = k,                                                                                                         \
	 .unit = u,                                                                                                        \
	 .help = h,                                                                                                        \
	 .kind = CONF_INT,                                                                                                 \
	 .min = lo,                                                                                                        \
	 .max = hi,                                                                                                        \
	 .def = d,                                                                                                         \
	 .offset = offsetof(struct conf, f)},
#define C_REAL(f, k, d, lo, hi, u, h)                                                                                  \
	{.key = k,                                                                                                         \
	 .unit = u,                                                                                                        \
	 .help = h,                                                                                                        \
	 .kind = CONF_REAL,                                                                                                \
	 .min = lo,                                                                                                        \
	 .max = hi,                                                                                                        \
	 .def = d,                                                                                                         \
	 .offset = offsetof(struct conf, f)},
#define C_BOOL(f, k, d, h)                                                                                             \
	{.key = k, .unit = "", .help = h, .kind = CONF_BOOL, .max = 1, .def = d, .offset = offsetof(struct conf, f)},
#define C_ENUM(f, k, d, v, h)                                                                                          \
	{.key = k, .unit = "", .help = h, .kind = CONF_ENUM, .def_str = d, .values = v, .offset = offsetof(struct conf, f)},
#define C_STR(f, k, d, h)                                                                                              \
	{.key = k, .unit = "", .help = h, .kind = CONF_STR, .def_str = d, .offset = offsetof(struct conf, f)},
#include "conf/conf.def"
#undef C_INT
#undef C_REAL
#undef C_BOOL
#undef C_ENUM
#undef C_STR
};
const u32 conf_nkeys = ARRAY_LEN(conf_keys);

static void *field(struct conf *c, const struct conf_key *k)
{
	return (u8 *)c + k->offset;
}
static const void *cfield(const struct conf *c, const struct conf_key *k)
{
	return (const u8 *)c + k->offset;
}

const struct conf_key *conf_find(const char *key)
{
	for (u32 i = 0; i < conf_nkeys; i++)
		if (!strcmp(conf_keys[i].key, key))
			return &conf_keys[i];
	return NULL;
}

/* The index of word in "a|b|c", or -1. */
static int enum_index(const char *values, const char *word)
{
	size_t n = strlen(word);
	int at = 0;
	for (const char *p = values; p; at++) {
		const char *bar = strchr(p, '|');
		size_t len = bar ? (size_t)(bar - p) : strlen(p);
		if (len == n && !memcmp(p, word, n))
			return at;
		p = bar ? bar + 1 : NULL;
	}
	return -1;
}

static void enum_name(const char *values, u32 index, struct strbuf *out)
{
	const char *p = values;
	for (; index; index--)
		p = strchr(p, '|') + 1;
	strbuf_add(out, p, strcspn(p, "|"));
}

static bool parse_number(const struct conf_key *k, const char *value, double *out, struct err *e)
{
	char *end;
	errno = 0;
	double v = strtod(value, &end);
	if (end == value || *end || errno || !isfinite(v))
		return err_set(e, "%s: '%s' is not a number", k->key, value);
	if (k->kind == CONF_INT && v != floor(v))
		return err_set(e, "%s: '%s' is not a whole number", k->key, value);
	if (v < k->min || v > k->max)
		return err_set(e, "%s: %s is not within %.10g..%.10g%s%s", k->key, value, k->min, k->max, *k->unit ? " " : "",
		               k->unit);
	*out = v;
	return true;
}

static bool parse_bool(const struct conf_key *k, const char *value, bool *out, struct err *e)
{
	static const char *const yes[] = {"true", "on", "yes", "1"}, *const no[] = {"false", "off", "no", "0"};
	for (u32 i = 0; i < ARRAY_LEN(yes); i++) {
		if (!strcmp(value, yes[i]))
			return *out = true, true;
		if (!strcmp(value, no[i]))
			return *out = false, true;
	}
	return err_set(e, "%s: '%s' is neither true nor false", k->key, value);
}

static bool set_key(struct conf *c, const struct conf_key *k, const char *value, struct err *e)
{
	double num;
	int at;
	switch (k->kind) {
	case CONF_INT:
		if (!parse_number(k, value, &num, e))
			return false;
		*(u32 *)field(c, k) = (u32)num;
		return true;
	case CONF_REAL:
		if (!parse_number(k, value, &num, e))
			return false;
		*(double *)field(c, k) = num;
		return true;
	case CONF_BOOL: return parse_bool(k, value, field(c, k), e);
	case CONF_ENUM:
		if ((at = enum_index(k->values, value)) < 0)
			return err_set(e, "%s: '%s' is not one of %s", k->key, value, k->values);
		*(u8 *)field(c, k) = (u8)at;
		return true;
	case CONF_STR:
		if (strlen(value) >= CONF_STR_MAX)
			return err_set(e, "%s: value longer than %d characters", k->key, CONF_STR_MAX - 1);
		strcpy(field(c, k), value);
		return true;
	}
	return false;
}

void conf_defaults(struct conf *c)
{
	memset(c, 0, sizeof *c);
	for (u32 i = 0; i < conf_nkeys; i++) {
		const struct conf_key *k = &conf_keys[i];
		switch (k->kind) {
		case CONF_INT: *(u32 *)field(c, k) = (u32)k->def; break;
		case CONF_REAL: *(double *)field(c, k) = k->def; break;
		case CONF_BOOL: *(bool *)field(c, k) = k->def != 0; break;
		case CONF_ENUM:
		case CONF_STR:
			if (!set_key(c, k, k->def_str, NULL))
				BUG("the default of %s", k->key);
			break;
		}
	}
}

bool conf_set(struct conf *c, const char *key, const char *value, struct err *e)
{
	const struct conf_key *k = conf_find(key);
	if (k)
		return set_key(c, k, value, e);
	const char *names[ARRAY_LEN(conf_keys)];
	for (u32 i = 0; i < conf_nkeys; i++)
		names[i] = conf_keys[i].key;
	const char *near = conf_nearest(key, names, conf_nkeys);
	return err_set(e, near ? "unknown config key '%s' (did you mean '%s'?)" : "unknown config key '%s'", key, near);
}

bool conf_set_pair(struct conf *c, const char *pair, struct err *e)
{
	const char *eq = strchr(pair, '=');
	if (!eq || eq == pair)
		return err_set(e, "'%s' is not key=value", pair);
	char *key = xstrndup(pair, (size_t)(eq - pair));
	bool ok = conf_set(c, key, eq + 1, e);
	free(key);
	return ok;
}

void conf_get(const struct conf *c, const struct conf_key *k, struct strbuf *out)
{
	const void *p = cfield(c, k);
	switch (k->kind) {
	case CONF_INT: strbuf_addf(out, "%u", *(const u32 *)p); break;
	case CONF_REAL: strbuf_addf(out, "%.10g", *(const double *)p); break;
	case CONF_BOOL: strbuf_adds(out, *(const bool *)p ? "true" : "false"); break;
	case CONF_ENUM: enum_name(k->values, *(const u8 *)p, out); break;
	case CONF_STR: strbuf_adds(out, p); break;
	}
}

/* Edits (a letter more, less or another, two swapped) from a to b, for names of at most 63 characters. */
static u32 distance(const char *a, const char *b)
{
	u32 row[64], before[64] = {0}; /* `before` is the row two letters of a back */
	size_t n = strlen(b);
	if (n > 63 || strlen(a) > 63)
		return 99;
	for (u32 j = 0; j <= n; j++)
		row[j] = j;
	for (u32 i = 0; a[i]; i++) {
		u32 last[64], diag = row[0];
		memcpy(last, row, (n + 1) * sizeof *row);
		row[0] = i + 1;
		for (u32 j = 0; j < n; j++) {
			u32 least = diag + (a[i] != b[j]);
			diag = row[j + 1];
			least = MIN(least, MIN(diag, row[j]) + 1);
			if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j])
				least = MIN(least, before[j - 1] + 1);
			row[j + 1] = least;
		}
		memcpy(before, last, (n + 1) * sizeof *row);
	}
	return row[n];
}

const char *conf_nearest(const char *word, const char *const *names, u32 n)
{
	const char *best = NULL;
	u32 least = MAX((u32)strlen(word) / 3, 1u) + 1; /* too far: more than a third of the letters wrong */
	for (u32 i = 0; i < n; i++) {
		u32 d = distance(word, names[i]);
		const char *dot = strrchr(names[i], '.');
		if (dot && !strcmp(dot + 1, word))
			d = 1;
		if (d < least) {
			least = d;
			best = names[i];
		}
	}
	return best;
}

/* Who is concerned by the message that comes: false, to be written in front of err_set(). */
static bool among(struct conf_conflict *of, const char *a, const char *b, const char *c)
{
	if (of)
		*of = (struct conf_conflict){{a, b, c}};
	return false;
}

static bool need_pow2(u32 v, const char *key, struct conf_conflict *of, struct err *e)
{
	return is_pow2(v) || among(of, key, NULL, NULL) || err_set(e, "%s: %u is not a power of two", key, v);
}

static bool powers_of_two(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	const struct {
		const char *key;
		u32 value;
	} all[] = {{"l1d.sets", c->l1d_sets},         {"l1d.line", c->l1d_line},
	           {"l1i.sets", c->l1i_sets},         {"l1i.line", c->l1i_line},
	           {"l1c.sets", c->l1c_sets},         {"l1c.line", c->l1c_line},
	           {"l1t.sets", c->l1t_sets},         {"l1t.line", c->l1t_line},
	           {"l2.sets", c->l2_sets},           {"l2.line", c->l2_line},
	           {"dram.banks", c->dram_banks},     {"dram.row", c->dram_row},
	           {"shared.banks", c->shared_banks}, {"shared.bank_bytes", c->shared_bank_bytes}};
	for (u32 i = 0; i < ARRAY_LEN(all); i++)
		if (!need_pow2(all[i].value, all[i].key, of, e))
			return false;
	return true;
}

static bool constants_fit(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	return c->l1c_behind == L1C_BEHIND_L2 || c->l1c_line <= c->l1i_line ||
	       among(of, "l1c.behind", "l1c.line", "l1i.line") ||
	       err_set(
	           e,
	           "l1c.behind=l1i: l1c.line %u is more than l1i.line %u, so that a line of constants would lie in several of L1I",
	           c->l1c_line, c->l1i_line);
}

/* Snapshots go through the record of restartable CTAs page by page, used or not: more would stop a debugger for
 * minutes. */
#define IDEM_GIB 64

static bool idem_fits(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	const u32 ctas = conf_is_vt(c) ? VIRTUAL_CTA_PLACES : c->sm_ctas;
	const u64 slots = (u64)c->num_sms * ctas, most = ((u64)IDEM_GIB << 20) / MAX(slots, (u64)1);
	return !c->idem_track || c->idem_kb <= most ||
	       among(of, "idempotence.kb", "num_sms", conf_is_vt(c) ? "cta-virtual" : "sm.ctas") ||
	       err_set(e,
	               "idempotence.kb: %u KiB for each of %llu CTAs (num_sms %u x %u) is more than %d GiB; at most %llu",
	               c->idem_kb, (unsigned long long)slots, c->num_sms, ctas, IDEM_GIB, (unsigned long long)most);
}

#define REPLAY_PLACES 64

static bool vt_fits(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	if (!conf_is_vt(c))
		return true;
	if (c->lsu_replay == LSU_REPLAY_NEWCAR)
		return among(of, "cta-virtual", "lsu.replay", NULL) ||
		       err_set(e, "cta-virtual=vt has load queues of its own kind (lsu.replay=car, or none): lsu.replay=newcar "
		                  "lets transactions pass one another, these go in order");
	if (c->sm_allocation == SM_ALLOCATION_TWO_WAY)
		return among(of, "cta-virtual", "sm.allocation", NULL) ||
		       err_set(e,
		               "cta-virtual=vt and sm.allocation=two-way exclude each other: contexts lie at the end of shared "
		               "memory");
	if (c->vt_warps < c->sm_threads / WARP_SIZE)
		return among(of, "vt.warps", "sm.threads", NULL) ||
		       err_set(e, "vt.warps: %u virtual warps are less than the %u that sm.threads %u makes", c->vt_warps,
		               c->sm_threads / WARP_SIZE, c->sm_threads);
	return c->lsu_replay_entries + c->vt_inactive_entries <= REPLAY_PLACES ||
	       among(of, "lsu.replay_entries", "vt.inactive_entries", NULL) ||
	       err_set(e, "lsu.replay_entries %u and vt.inactive_entries %u are more than %u together",
	               c->lsu_replay_entries, c->vt_inactive_entries, REPLAY_PLACES);
}

/* "a: 3 is more than b 2" */
static bool pair(bool holds, const char *a, u32 av, const char *what, const char *b, u32 bv, struct conf_conflict *of,
                 struct err *e)
{
	return holds || among(of, a, b, NULL) || err_set(e, "%s: %u %s %s %u", a, av, what, b, bv);
}

/* The SM's timing wheel knows results so many cycles ahead at most (less what bank conflicts add): an instruction may
 * not be booked further than that. */
#define BOOKED_MAX 1980

static const struct conf_key *longest(const struct conf *c, const char *prefix)
{
	const struct conf_key *most = NULL;
	for (u32 i = 0; i < conf_nkeys; i++) {
		const struct conf_key *k = &conf_keys[i];
		if (!strncmp(k->key, prefix, strlen(prefix)) &&
		    (!most || *(const u32 *)cfield(c, k) > *(const u32 *)cfield(c, most)))
			most = k;
	}
	return most;
}

static bool system_shared_fits(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	return c->sm_shared_system <= c->sm_shared || among(of, "sm.shared_system", "sm.shared", NULL) ||
	       err_set(e, "sm.shared_system: %u B are more than an SM has (sm.shared)", c->sm_shared_system);
}

static bool int_units_fit(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	const bool own = c->sm_unit_sets == UNIT_SETS_SCHEDULER && !c->sm_collectors;
	if (c->sm_f32_on_int && !(own && c->sm_int_units))
		return among(of, "sm.f32_on_int", "sm.int_units", "sm.unit_sets") ||
		       err_set(e, "sm.f32_on_int needs sm.int_units and sm.unit_sets=scheduler");
	return !c->sm_int_units || own || (c->sm_collectors && c->sm_collector_sets == COLLECTORS_SCHEDULER) ||
	       among(of, "sm.int_units", "sm.unit_sets", "sm.collector_sets") ||
	       err_set(e, "sm.int_units needs sm.unit_sets=scheduler without sm.collectors, or sm.collectors with "
	                  "sm.collector_sets=scheduler");
}

static bool dependences_fit(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	const bool own = c->sm_unit_sets == UNIT_SETS_SCHEDULER && !c->sm_collectors;
	if (c->sm_read_ports && c->sm_dependences != DEPENDENCES_COUNTERS)
		return among(of, "sm.read_ports", "sm.dependences", NULL) ||
		       err_set(e, "sm.read_ports needs sm.dependences=counters");
	if (c->sm_reuse_cache && !c->sm_read_ports)
		return among(of, "sm.reuse_cache", "sm.read_ports", NULL) || err_set(e, "sm.reuse_cache needs sm.read_ports");
	return c->sm_dependences == DEPENDENCES_SCOREBOARD || own ||
	       among(of, "sm.dependences", "sm.unit_sets", "sm.collectors") ||
	       err_set(e, "sm.dependences=counters needs sm.unit_sets=scheduler without sm.collectors");
}

static bool bookings_fit(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	if (!c->sm_collectors)
		return true;
	const struct conf_key *ii = longest(c, "ii."), *lat = longest(c, "lat.");
	/* of each for its result, at most: those of other units, or others of its own, stand in the way */
	u32 wait = c->sm_result_buses || c->sm_unit_results == UNIT_RESULTS_ONE ? 16 : 0;
	u32 each = *(const u32 *)cfield(c, ii), last = *(const u32 *)cfield(c, lat);
	if (c->sm_tensor_units) /* wmma m32n8k16, mma m16n8k16 of f64 */
		each = MAX(each, MAX(4096 / MIN(c->tensor_rate, c->tensor_rate_f32), 2048 / c->tensor_rate_f64));
	/* a scheduler's share, an instruction of each class in front of it, and the one that a unit has */
	const bool shared = c->sm_collector_sets == COLLECTORS_SCHEDULER;
	const u32 before = shared ? c->sm_collectors / c->sm_schedulers + 5 + (c->sm_tensor_units > 0) : c->sm_collectors;
	if (shared && (c->sm_collectors % c->sm_schedulers || c->sm_sp_units < c->sm_schedulers ||
	               c->sm_sfu_units < c->sm_schedulers || c->sm_dp_units < c->sm_schedulers ||
	               (c->sm_tensor_units && c->sm_tensor_units < c->sm_schedulers)))
		return among(of, "sm.collector_sets", "sm.collectors", "sm.schedulers") ||
		       err_set(
		           e,
		           "sm.collector_sets scheduler: %u collector units, %u SP, %u SFU and %u f64 units are not the same "
		           "for each of %u schedulers",
		           c->sm_collectors, c->sm_sp_units, c->sm_sfu_units, c->sm_dp_units, c->sm_schedulers);
	if (shared && (c->sm_reg_banks % c->sm_schedulers || c->sm_reg_banks / c->sm_schedulers > 16))
		return among(of, "sm.reg_banks", "sm.collector_sets", "sm.schedulers") ||
		       err_set(e,
		               "sm.collector_sets scheduler: %u register banks are not the same for each of %u schedulers, or "
		               "more than 16 for each",
		               c->sm_reg_banks, c->sm_schedulers);
	return before * (each + wait) + last + c->sm_read_latency + c->sm_write_latency <= BOOKED_MAX ||
	       among(of, "sm.collectors", ii->key, lat->key) ||
	       err_set(
	           e, "sm.collectors: %u instructions of %u cycles (%s), the last of which takes %u (%s), are more than %d",
	           c->sm_collectors, each, ii->key, last, lat->key, BOOKED_MAX);
}

/* What is read or exchanged so late must be there before anybody looks at the register. */
static bool delay_fits(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	const u32 load = c->sm_read_latency + MIN(c->l1d_latency, c->shared_latency);
	const u32 atomic = (u32)(2 * c->noc_latency * c->core_clock / c->icnt_clock);
	if (c->commit_delay > load)
		return among(of, "commit.delay", "l1d.latency", "shared.latency") ||
		       err_set(e,
		               "commit.delay: %u is more than the %u cycles that a load takes at least (sm.read_latency + "
		               "l1d.latency or shared.latency)",
		               c->commit_delay, load);
	if (c->commit_delay > atomic)
		return among(of, "commit.delay", "noc.latency", NULL) ||
		       err_set(e,
		               "commit.delay: %u is more than the %u cycles that an atomic takes at least (noc.latency there "
		               "and back)",
		               c->commit_delay, atomic);
	return true;
}

/* Options of one network say nothing to another. */
static bool for_crossbar(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	if (!strcmp(c->network, "crossbar"))
		return true;
	if (c->noc_switch)
		return among(of, "noc.switch", "network", NULL) ||
		       err_set(e, "noc.switch: islip is for network=crossbar, not %s", c->network);
	return !c->noc_shared || among(of, "noc.shared_buffer", "network", NULL) ||
	       err_set(e, "noc.shared_buffer: %u is for network=crossbar, not %s", c->noc_shared, c->network);
}

/* A channel and its slices are in one part. */
static bool parts_fit(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	return c->partitions % c->l2_parts == 0 || among(of, "l2.parts", "partitions", NULL) ||
	       err_set(e, "l2.parts: %u parts of %u partitions: the number is not even", c->l2_parts, c->partitions);
}

/* What counts in words of 4 B has 32 bits for them. */
static bool denovo_fits(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	if (strcmp(c->coherence, "denovo"))
		return true;
	if (c->noc_switch)
		return among(of, "noc.switch", "coherence", NULL) ||
		       err_set(e, "coherence=denovo: noc.switch=islip cuts requests into sectors; denovo needs them whole");
	if (c->l1d_line > 128 || c->l2_line != c->l1d_line)
		return among(of, "l1d.line", "l2.line", "coherence") ||
		       err_set(e, "coherence=denovo: l1d.line and l2.line, %u and %u, are not the same or more than 128",
		               c->l1d_line, c->l2_line);
	if (c->num_sms > 255)
		return among(of, "num_sms", "coherence", NULL) ||
		       err_set(e, "coherence=denovo: num_sms %u is more than the 255 owners there can be", c->num_sms);
	return c->noc_messages >= 2 || among(of, "noc.message_queue", "coherence", NULL) ||
	       err_set(e,
	               "coherence=denovo: noc.message_queue %u is less than 2: an owner's answer needs a place beside the "
	               "question",
	               c->noc_messages);
}

bool conf_check_keys(const struct conf *c, struct conf_conflict *of, struct err *e)
{
	if (c->sm_threads % WARP_SIZE)
		return among(of, "sm.threads", NULL, NULL) ||
		       err_set(e, "sm.threads: %u is not a multiple of %d", c->sm_threads, WARP_SIZE);
	return pair(c->ccws_vta_entries % c->ccws_vta_ways == 0, "ccws.vta_entries", c->ccws_vta_entries,
	            "is not a multiple of", "ccws.vta_ways", c->ccws_vta_ways, of, e) &&
	       powers_of_two(c, of, e) && constants_fit(c, of, e) &&
	       pair(c->dram_groups <= c->dram_banks && c->dram_banks % c->dram_groups == 0, "dram.bank_groups",
	            c->dram_groups, "does not divide", "dram.banks", c->dram_banks, of, e) &&
	       pair(c->l2_line >= c->l1d_line, "l2.line", c->l2_line, "is smaller than", "l1d.line", c->l1d_line, of, e) &&
	       pair(c->dram_row >= c->l2_line, "dram.row", c->dram_row, "is smaller than", "l2.line", c->l2_line, of, e) &&
	       pair(c->sm_fetch_width <= c->sm_ibuffer, "sm.fetch_width", c->sm_fetch_width, "is more than", "sm.ibuffer",
	            c->sm_ibuffer, of, e) &&
	       idem_fits(c, of, e) && vt_fits(c, of, e) && delay_fits(c, of, e) && bookings_fit(c, of, e) &&
	       int_units_fit(c, of, e) && dependences_fit(c, of, e) && system_shared_fits(c, of, e) &&
	       carveouts_check(c, of, e) && for_crossbar(c, of, e) && parts_fit(c, of, e) && denovo_fits(c, of, e) &&
	       (!c->noc_switch || !c->noc_shared || among(of, "noc.shared_buffer", "noc.switch", NULL) ||
	        err_set(e, "noc.shared_buffer: %u is for noc.switch=booked", c->noc_shared));
}

bool conf_check(const struct conf *c, struct err *e)
{
	return conf_check_keys(c, NULL, e);
}

double dram_peak_bytes(const struct conf *c)
{
	return (double)c->partitions * c->dram_bus * c->dram_ratio * c->dram_clock / c->core_clock;
}
