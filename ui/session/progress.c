#include "session/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define DRAW_NS 100000000ull /* ten times a second */

u64 host_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

void progress_start(struct progress *p, const struct session *s)
{
	*p = (struct progress){
	    .on = isatty(STDERR_FILENO), .slice = 1000, .drawn_ns = host_ns(), .drawn_cycle = sim_cycle(s->sim)};
}

u64 progress_until(const struct progress *p, const struct session *s)
{
	return p->on ? sim_cycle(s->sim) + p->slice : NEVER;
}

static u64 issued(struct session *s)
{
	u64 sum = 0;
	for (u32 i = 0; i < s->conf.num_sms; i++)
		sum += ((const struct sm_counters *)gpu_counters(sim_gpu(s->sim), CG_sm, i))->issued;
	return sum;
}

/* CTAs finished and in all, of the launches made so far. */
static void count_ctas(struct session *s, u64 *done, u64 *all)
{
	struct kernel_info k;
	*done = *all = 0;
	for (u32 i = 0; i < gpu_num_kernels(sim_gpu(s->sim)); i++) {
		gpu_kernel_info(sim_gpu(s->sim), i, &k);
		*done += k.counters->ctas_done;
		*all += k.launch->ctas;
	}
}

void progress_draw(struct progress *p, struct session *s)
{
	u64 now = host_ns(), cycle = sim_cycle(s->sim), done, all;
	if (!p->on || (now - p->drawn_ns < DRAW_NS && cycle - p->drawn_cycle >= p->slice / 2)) {
		p->slice *= 2;
		return;
	}
	double spent = (double)(now - p->drawn_ns) / DRAW_NS;
	p->slice = MAX((u64)((double)(cycle - p->drawn_cycle) / MAX(spent, 0.01)), (u64)100);
	p->drawn_ns = now;
	p->drawn_cycle = cycle;
	count_ctas(s, &done, &all);
	double seconds = (double)s->sim_ns / 1e9, rate = seconds > 0 ? (double)issued(s) / seconds / 1e6 : 0;
	fprintf(stderr, "\r\033[K%s  cycle %llu  CTAs %llu/%llu  %.2f M warp insts/s", s->name, (unsigned long long)cycle,
	        (unsigned long long)done, (unsigned long long)all, rate);
	if (done && done < all)
		fprintf(stderr, "  %.0f s left", seconds * (double)(all - done) / (double)done);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->on)
		fputs("\r\033[K", stderr);
}
