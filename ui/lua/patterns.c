/* string.find, match, gmatch and gsub in a bounded form.
 *
 * Lua's matcher backtracks in C, where neither the budget nor Ctrl-C is heard, and with q quantifiers a subject of n
 * bytes can take n^q steps. How many it does take only the matcher itself finds out: most patterns that could take
 * years are done at once. So what cannot take long is called as it is, and the rest is tried first: on a thread of its
 * own, in a Lua state with memory of its own, which finds and changes nothing else and can be dropped in the middle of
 * it. Once a trial has ended the call itself follows, which takes as long. */
#include "lua/bounded.h"

#include <lualib.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/base.h"

#define AT_ONCE 1e9        /* steps; up to here there is no trial: far less than a second */
#define TRIAL_SECONDS 2    /* of processor time; the budget may have less */
#define LOOK_NS 10000000ll /* how often Ctrl-C and the time are looked at */

struct trial {
	const char *subject, *pattern;
	size_t subject_len, pattern_len;
	lua_Integer number; /* find: where to begin; gsub: how many matches */
	bool all, plain;    /* gsub, not find; find without a pattern */
	char *memory;       /* of the state: blocks one behind the other, none comes back */
	size_t used, size;
	lua_State *L;
	int status; /* of lua_pcall */
	bool ended;
	pthread_mutex_t lock; /* of ended */
	pthread_cond_t end;
};

/* --- how long it could take --- */

/* Those of sets count as well, which only leads to a trial. */
static u32 count_quantifiers(const char *p, size_t n)
{
	u32 q = 0;
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '%' && ++i < n)
			q += p[i] == 'b' || (p[i] >= '0' && p[i] <= '9'); /* these read on like a quantified item */
		else if (p[i] == '*' || p[i] == '+' || p[i] == '-' || p[i] == '?')
			q++;
	}
	return q;
}

/* An upper bound: the ways to place the match's beginning and the end of each quantified item, times what is compared
 * in each. */
static bool could_take_long(const struct trial *t)
{
	double steps = (double)t->pattern_len + 1, n = (double)t->subject_len;
	bool fixed = !t->plain && t->pattern_len && t->pattern[0] == '^';
	u32 places = (t->plain ? 0 : count_quantifiers(t->pattern, t->pattern_len)) + !fixed;
	for (u32 i = 1; i <= places && steps <= AT_ONCE; i++)
		steps *= (n + i) / i;
	return steps > AT_ONCE;
}

/* --- the trial --- */

/* Nothing here may be shared with the process's other threads, malloc's locks included: the trial may end anywhere. */
static void *take_memory(void *ctx, void *p, size_t old, size_t n)
{
	struct trial *t = ctx;
	size_t at = (t->used + 15) & ~(size_t)15;
	if (!n)
		return NULL;
	if (p && n <= old)
		return p;
	if (at > t->size || n > t->size - at)
		return NULL;
	t->used = at + n;
	return p ? memcpy(t->memory + at, p, old) : t->memory + at;
}

static int search(lua_State *L)
{
	const struct trial *t = lua_touserdata(L, 1);
	luaopen_string(L);
	lua_getfield(L, -1, t->all ? "gsub" : "find");
	lua_pushlstring(L, t->subject, t->subject_len);
	lua_pushlstring(L, t->pattern, t->pattern_len);
	if (t->all)
		lua_pushliteral(L, ""); /* what a match is replaced by does not change where the next one is */
	lua_pushinteger(L, t->number);
	if (!t->all)
		lua_pushboolean(L, t->plain);
	lua_call(L, 4, 0);
	return 0;
}

static void *trial_main(void *arg)
{
	struct trial *t = arg;
	int old;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	int status = lua_pcall(t->L, 1, 0, 0);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_mutex_lock(&t->lock);
	t->status = status;
	t->ended = true;
	pthread_cond_signal(&t->end);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* Signals are the main thread's. */
static bool start(struct trial *t, pthread_t *thread)
{
	sigset_t all, mask;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	bool ok = !pthread_create(thread, NULL, trial_main, t);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return ok;
}

/* NULL when the trial ended by itself. */
static const char *watch(lua_State *L, struct trial *t, pthread_t thread)
{
	const char *why = NULL;
	clockid_t clock;
	bool timed = !pthread_getcpuclockid(thread, &clock);
	pthread_mutex_lock(&t->lock);
	while (!t->ended && !why) {
		struct timespec until, spent = {0};
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&t->end, &t->lock, &until);
		if (t->ended)
			break;
		if (timed)
			clock_gettime(clock, &spent);
		if (lua_must_stop(L))
			why = "interrupted";
		else if (spent.tv_sec >= TRIAL_SECONDS || lua_out_of_time(L))
			why = "the pattern backtracks for too long on this text";
	}
	pthread_mutex_unlock(&t->lock);
	return why;
}

/* The message of an error, or NULL. */
static const char *try_search(lua_State *L, struct trial *t)
{
	pthread_condattr_t monotonic;
	pthread_t thread;
	/* The state, both texts, and the buffer of gsub as it grows by halves: what is not touched costs nothing. */
	t->size = 16 * t->subject_len + t->pattern_len + (1u << 20);
	t->memory = mmap(NULL, t->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (t->memory == MAP_FAILED)
		return "not enough memory";
	t->L = lua_newstate(take_memory, t);
	lua_gc(t->L, LUA_GCSTOP);
	lua_pushcfunction(t->L, search);
	lua_pushlightuserdata(t->L, t);
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&t->end, &monotonic);
	const char *why = "not enough memory";
	if (start(t, &thread)) {
		why = watch(L, t, thread);
		if (why)
			pthread_cancel(thread);
		pthread_join(thread, NULL);
		if (!why && t->status == LUA_ERRMEM)
			why = "not enough memory";
	}
	pthread_cond_destroy(&t->end);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_destroy(&t->lock);
	munmap(t->memory, t->size);
	return why;
}

/* Other errors, of a malformed pattern, the call itself will raise. One that is stopped has used up the budget: a
 * pcall() that catches the error gets no further. */
static void check(lua_State *L, struct trial *t)
{
	if (!could_take_long(t))
		return;
	const char *why = try_search(L, t);
	if (!why)
		return;
	lua_budget_end(L, why);
	luaL_error(L, "%s", why);
}

/* --- the functions --- */

static struct trial trial_of(lua_State *L)
{
	struct trial t = {0};
	t.subject = luaL_checklstring(L, 1, &t.subject_len);
	t.pattern = luaL_checklstring(L, 2, &t.pattern_len);
	return t;
}

/* What stands before the place where a search begins does not matter, unless a %f looks at it. */
static void begin_at(struct trial *t, lua_Integer init)
{
	if (!t->all)
		t->number = init;
	if (memmem(t->pattern, t->pattern_len, "%f", 2))
		return;
	if (init < 0)
		init += (lua_Integer)t->subject_len + 1;
	size_t skipped = init > 1 ? MIN((size_t)init - 1, t->subject_len) : 0;
	t->subject += skipped;
	t->subject_len -= skipped;
	if (!t->all)
		t->number = 1;
}

static int bounded_find(lua_State *L)
{
	struct trial t = trial_of(L);
	begin_at(&t, luaL_optinteger(L, 3, 1));
	t.plain = lua_toboolean(L, 4);
	check(L, &t);
	return bounded_call_library(L);
}

static int bounded_match(lua_State *L)
{
	struct trial t = trial_of(L);
	begin_at(&t, luaL_optinteger(L, 3, 1));
	check(L, &t);
	return bounded_call_library(L);
}

/* All matches are tried at once. A ^ is an ordinary character here. */
static int bounded_gmatch(lua_State *L)
{
	struct trial t = trial_of(L);
	t.all = true;
	t.number = LUA_MAXINTEGER;
	begin_at(&t, luaL_optinteger(L, 3, 1));
	int n = lua_gettop(L);
	if (t.pattern_len && t.pattern[0] == '^') {
		lua_pushliteral(L, "%");
		lua_pushvalue(L, 2);
		lua_concat(L, 2);
		t.pattern = lua_tolstring(L, -1, &t.pattern_len);
	}
	check(L, &t);
	lua_settop(L, n);
	return bounded_call_library(L);
}

static int bounded_gsub(lua_State *L)
{
	struct trial t = trial_of(L);
	t.all = true;
	t.number = luaL_optinteger(L, 4, LUA_MAXINTEGER);
	check(L, &t);
	return bounded_call_library(L);
}

void bounded_patterns(lua_State *L)
{
	bounded_replace(L, "find", bounded_find);
	bounded_replace(L, "match", bounded_match);
	bounded_replace(L, "gmatch", bounded_gmatch);
	bounded_replace(L, "gsub", bounded_gsub);
}
