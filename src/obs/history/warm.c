#include "obs/history/warm.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse it and clear pages when they are touched */
#endif
#define STEP (2ull << 20) /* a huge page */
#define AHEAD (48ull << 20)

struct warm {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	u8 *base;
	size_t bytes, done, want; /* want: up to where, by the lock */
	size_t asked;             /* want as the using thread last set it */
	bool quit;
};

static void *warm_main(void *p)
{
	struct warm *w = p;
	pthread_mutex_lock(&w->lock);
	while (!w->quit) {
		if (w->done >= w->want) {
			pthread_cond_wait(&w->more, &w->lock);
			continue;
		}
		size_t at = w->done, n = MIN(STEP, w->bytes - at);
		pthread_mutex_unlock(&w->lock);
		bool refused = madvise(w->base + at, n, MADV_POPULATE_WRITE) != 0;
		pthread_mutex_lock(&w->lock);
		w->done = refused ? w->bytes : at + n;
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Signals are for the threads of the program. */
static bool start_thread(struct warm *w)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	bool ok = !pthread_create(&w->thread, NULL, warm_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ok;
}

struct warm *warm_start(u8 *base, size_t bytes)
{
	struct warm *w = xcalloc(1, sizeof *w);
	w->base = base;
	w->bytes = bytes;
	w->want = w->asked = MIN(AHEAD, bytes);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	if (start_thread(w))
		return w;
	free(w);
	return NULL;
}

void warm_use(struct warm *w, size_t used)
{
	size_t want = w ? MIN(used + AHEAD, w->bytes) : 0;
	if (!w || want < w->asked + STEP)
		return;
	w->asked = want;
	pthread_mutex_lock(&w->lock);
	w->want = want;
	pthread_cond_signal(&w->more);
	pthread_mutex_unlock(&w->lock);
}

void warm_stop(struct warm *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_cond_signal(&w->more);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->more);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
