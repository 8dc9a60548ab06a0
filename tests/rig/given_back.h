/* given_back: after the last kernel all that launches, CTAs, warps and preemptions had taken is free again. */
#ifndef TESTS_RIG_GIVEN_BACK_H
#define TESTS_RIG_GIVEN_BACK_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim_internal.h"

static inline void all_given_back(struct sim *s)
{
	const struct gpu *g = s->gpu;
	sim_drain(s);
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		const struct sm *m = g->sm[i];
		assert_int_equal(m->used, 0);
		for (u32 k = 0; k < SM_AWAY_WORDS; k++)
			assert_int_equal(m->away[k], 0);
		for (u32 k = 0; k < ARRAY_LEN(m->ctas_away); k++)
			assert_int_equal(m->ctas_away[k], 0);
		for (u32 k = 0; k < SM_CONTEXTS / 64; k++)
			assert_int_equal(m->contexts[k], 0);
		assert_int_equal(m->nctas, 0);
		assert_int_equal(m->regs_used, 0);
		assert_int_equal(m->shared_used, 0);
		assert_int_equal(m->nloads, 0);
		assert_int_equal(m->lsu_q.n, 0);
		assert_int_equal(m->alu_flying, 0);
		assert_int_equal(m->mem_flying, 0);
		assert_int_equal(m->leading, 0);
		assert_int_equal(m->in[WS_NONE], bit_range(g->ctx[i].nwarps));
		assert_int_equal(g->dispatch.d->away[i] + g->dispatch.d->taker[i] + g->preempt.p->smst[i], 0);
	}
	assert_int_equal(g->resume.r->n, 0);
	assert_int_equal(g->task->dispatcher.n, 0);
	for (u32 i = 0; i < g->task->nlaunches; i++)
		assert_int_equal(g->task->kcb[i].k.ctas_done, g->task->kcb[i].ctas);
}
#endif
