/* clock: the library that is preloaded for it (clock.h). */
#include "cudart/clock.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define SECOND 1000000000ull

/* From the environment. */
static bool kept;
static uint64_t later, behind;

/* Written by the thread that asks; odd `changes`: it is at it. */
static struct {
	unsigned changes;
	uint64_t waited[2]; /* ns of waits that are over: of the wall, of the waiting threads' processor time */
	uint64_t begun[2];  /* of the wait that is under way; [0] 0: none is */
	uint64_t simulated;
} told;

/* --- what is real --- */

/* Not by libc's function: that is this library's. */
static uint64_t real(clockid_t id)
{
	struct timespec t = {0};
	syscall(SYS_clock_gettime, id, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void wait_begins(void)
{
	__atomic_add_fetch(&told.changes, 1, __ATOMIC_ACQ_REL);
	told.begun[0] = real(CLOCK_MONOTONIC);
	told.begun[1] = real(CLOCK_THREAD_CPUTIME_ID);
	__atomic_add_fetch(&told.changes, 1, __ATOMIC_ACQ_REL);
}

static void wait_ends(uint64_t simulated)
{
	__atomic_add_fetch(&told.changes, 1, __ATOMIC_ACQ_REL);
	told.waited[0] += real(CLOCK_MONOTONIC) - told.begun[0];
	told.waited[1] += real(CLOCK_THREAD_CPUTIME_ID) - told.begun[1];
	told.begun[0] = 0;
	told.simulated = simulated;
	__atomic_add_fetch(&told.changes, 1, __ATOMIC_ACQ_REL);
}

EXPORT struct warpdbg_clock warpdbg_clock = {wait_begins, wait_ends, NULL};

__attribute__((constructor)) static void read_environment(void)
{
	const char *text = getenv(CLOCK_VARIABLE);
	unsigned long long a = 0, b = 0;
	int k = 0;
	if (text && sscanf(text, "%d %llu %llu", &k, &a, &b) == 3) {
		kept = k;
		later = a;
		behind = b;
	}
}

/* --- a reading --- */

/* A signal's handler that has come in between does not wait for the thread below it. */
static uint64_t measured(enum clock_kind kind, uint64_t *simulated)
{
	static const clockid_t ids[] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
	uint64_t now, out;
	unsigned before, tries = 0;
	do {
		before = __atomic_load_n(&told.changes, __ATOMIC_ACQUIRE);
		now = real(ids[kind]);
		out = now - told.waited[kind != CLOCK_WALL];
		if (kind == CLOCK_WALL)
			out -= later + (told.begun[0] ? now - told.begun[0] : 0);
		*simulated = told.simulated;
	} while ((before % 2 || __atomic_load_n(&told.changes, __ATOMIC_ACQUIRE) != before) && ++tries < 1000);
	return out;
}

static uint64_t reading(enum clock_kind kind)
{
	uint64_t simulated, by_itself = measured(kind, &simulated), asked = 0;
	if (kept && warpdbg_clock.ask)
		asked = warpdbg_clock.ask(kind, by_itself);
	return asked ? asked : by_itself + simulated;
}

static uint64_t time_of_day(void)
{
	return reading(CLOCK_WALL) + behind;
}

static struct timespec as_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
}

/* --- libc's functions --- */

/* The function of this name in libc. */
#define NEXT(name, type, parameters)                                                                                   \
	static type(*next) parameters;                                                                                     \
	if (!next)                                                                                                         \
	next = (type(*) parameters)dlsym(RTLD_NEXT, #name)

EXPORT int clock_gettime(clockid_t id, struct timespec *t)
{
	switch (id) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI: *t = as_timespec(time_of_day()); return 0;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME: *t = as_timespec(reading(CLOCK_WALL)); return 0;
	case CLOCK_PROCESS_CPUTIME_ID: *t = as_timespec(reading(CLOCK_PROCESS)); return 0;
	case CLOCK_THREAD_CPUTIME_ID: *t = as_timespec(reading(CLOCK_THREAD)); return 0;
	}
	return (int)syscall(SYS_clock_gettime, id, t);
}

EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	NEXT(gettimeofday, int, (struct timeval *, void *));
	if (zone && next)
		next(t, zone);
	const uint64_t now = time_of_day();
	*t = (struct timeval){(time_t)(now / SECOND), (suseconds_t)(now % SECOND / 1000)};
	return 0;
}

EXPORT time_t time(time_t *t)
{
	const time_t now = (time_t)(time_of_day() / SECOND);
	if (t)
		*t = now;
	return now;
}

EXPORT int timespec_get(struct timespec *t, int base)
{
	if (base != TIME_UTC)
		return 0;
	*t = as_timespec(time_of_day());
	return base;
}

EXPORT clock_t clock(void)
{
	return (clock_t)(reading(CLOCK_PROCESS) / (SECOND / CLOCKS_PER_SEC));
}

/* --- waits until a time: libc and the kernel know the real one --- */

static struct timespec really(clockid_t id, const struct timespec *t)
{
	const bool day = id == CLOCK_REALTIME;
	const int64_t ahead = (int64_t)(real(id) - (day ? time_of_day() : reading(CLOCK_WALL)));
	const int64_t then = (int64_t)t->tv_sec * (int64_t)SECOND + t->tv_nsec + ahead;
	return then > 0 ? as_timespec((uint64_t)then) : (struct timespec){0};
}

static bool in_order(const struct timespec *t)
{
	return t && t->tv_nsec >= 0 && t->tv_nsec < (long)SECOND;
}

/* One that is not in order is libc's to refuse. */
#define UNTIL(name, parameters, clock, arguments)                                                                      \
	EXPORT int name parameters                                                                                         \
	{                                                                                                                  \
		NEXT(name, int, parameters);                                                                                   \
		struct timespec then;                                                                                          \
		if (in_order(t)) {                                                                                             \
			then = really(clock, t);                                                                                   \
			t = &then;                                                                                                 \
		}                                                                                                              \
		return next arguments;                                                                                         \
	}

UNTIL(pthread_cond_timedwait,
      (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, const struct timespec *restrict t), CLOCK_REALTIME,
      (c, m, t))
UNTIL(pthread_cond_clockwait,
      (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t id, const struct timespec *restrict t), id,
      (c, m, id, t))
UNTIL(pthread_mutex_timedlock, (pthread_mutex_t *restrict m, const struct timespec *restrict t), CLOCK_REALTIME, (m, t))
UNTIL(pthread_mutex_clocklock, (pthread_mutex_t *restrict m, clockid_t id, const struct timespec *restrict t), id,
      (m, id, t))
UNTIL(sem_timedwait, (sem_t *restrict s, const struct timespec *restrict t), CLOCK_REALTIME, (s, t))
UNTIL(sem_clockwait, (sem_t *restrict s, clockid_t id, const struct timespec *restrict t), id, (s, id, t))

EXPORT int clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *left)
{
	NEXT(clock_nanosleep, int, (clockid_t, int, const struct timespec *, struct timespec *));
	struct timespec then;
	if (flags & TIMER_ABSTIME && in_order(t) && (id == CLOCK_REALTIME || id == CLOCK_MONOTONIC)) {
		then = really(id, t);
		t = &then;
	}
	return next(id, flags, t, left);
}
