/* Why a session has stopped, in words and as an exit status. */
#include "base/words.h"
#include "obs/why/why.h"
#include "session/programs.h"
#include "session/session.h"

const char *session_stop_text(enum session_stop w)
{
	static const char *const texts[] = {
	    [SS_FINISHED] = "finished",
	    [SS_CYCLE] = "reached the cycle",
	    [SS_REQUEST] = "stopped on request",
	    [SS_BUSY] = "waits for the application",
	    [SS_FAULT] = "the simulated program faulted",
	    [SS_DEADLOCK] = "deadlock: no progress",
	    [SS_LIVELOCK] = "livelock: warps go round in circles",
	    [SS_INTERRUPT] = "interrupted",
	    [SS_HOST_ERROR] = "the host program failed",
	    [SS_MAX_CYCLES] = "ran past --max-cycles",
	};
	return texts[w];
}

const char *session_stop_word(enum session_stop why)
{
	switch (why) {
	case SS_FINISHED: return "finished";
	case SS_FAULT: return "fault";
	case SS_DEADLOCK: return "deadlock";
	case SS_LIVELOCK: return "livelock";
	case SS_MAX_CYCLES: return "max-cycles";
	case SS_INTERRUPT: return "interrupted";
	case SS_HOST_ERROR: return "host error";
	case SS_CYCLE:
	case SS_BUSY:
	case SS_REQUEST: return "stopped by a script";
	}
	return "?";
}

enum session_stop session_last_stop(enum session_stop why, bool asked, const struct err *e)
{
	if ((why == SS_HOST_ERROR && e->interrupted) || (why == SS_REQUEST && asked))
		return SS_INTERRUPT;
	return why;
}

void session_blame(const struct session *s, enum session_stop why, struct strbuf *text)
{
	const struct gpu *g = sim_gpu(s->sim);
	const u32 fault = front_fault(sim_front(s->sim))->launch;
	u64 told = 0;
	for (u32 i = 0; s->nprograms > 1 && i < gpu_num_kernels(g); i++) {
		struct kernel_info k;
		gpu_kernel_info(g, i, &k);
		if (told >> k.program & 1 || (why == SS_FAULT ? i != fault : k.state != KS_RUNNING))
			continue;
		told |= BIT(k.program);
		if (text->len && text->buf[text->len - 1] != '\n')
			strbuf_addc(text, '\n');
		strbuf_addf(text, "  of host program %s%s%s\n", s->programs[k.program].name, why == SS_FAULT ? "" : ": kernel ",
		            why == SS_FAULT ? "" : k.label);
	}
}

void session_stop_reason(struct session *s, enum session_stop why, const struct err *e, struct strbuf *text)
{
	if (why == SS_DEADLOCK)
		strbuf_adds(text, why_kept(sim_gpu(s->sim)) ? "nothing goes on: CTAs are paused or saved\n" : "deadlock\n");
	if (why == SS_LIVELOCK)
		strbuf_addf(text, "livelock at cycle %llu: the warps repeat the same states and memory does not change\n",
		            (unsigned long long)sim_cycle(s->sim));
	if (why == SS_FAULT) {
		sim_fault_text(s->sim, text);
		session_blame(s, why, text);
	} else if (why == SS_DEADLOCK || why == SS_LIVELOCK) {
		why_machine(sim_gpu(s->sim), text);
		session_blame(s, why, text);
	} else if (why == SS_MAX_CYCLES) {
		strbuf_addf(text, "not finished after %llu cycle%s (--max-cycles)\n", (unsigned long long)sim_cycle(s->sim),
		            plural(sim_cycle(s->sim)));
		why_machine(sim_gpu(s->sim), text); /* a loop that never ends? */
	} else if (why == SS_INTERRUPT) {
		strbuf_addf(text, "interrupted at cycle %llu\n", (unsigned long long)sim_cycle(s->sim));
		if (spin_anywhere(sim_gpu(s->sim)))
			why_machine(sim_gpu(s->sim), text); /* it may have been a hang */
	} else if (why == SS_HOST_ERROR)
		strbuf_adds(text, e->msg);
	while (text->len && text->buf[text->len - 1] == '\n')
		text->buf[--text->len] = 0;
}

/* Of the applications the first that is not 0. */
static int application_status(const struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++)
		if (s->programs[i].exit_status)
			return s->programs[i].exit_status;
	return 0;
}

int session_exit_status(const struct session *s, enum session_stop w)
{
	switch (w) {
	case SS_FINISHED: return s->check == CHECK_FAIL ? 1 : application_status(s);
	case SS_CYCLE:
	case SS_BUSY:
	case SS_REQUEST: return 0;
	case SS_HOST_ERROR: return programs_ended(s) && application_status(s) ? application_status(s) : 2;
	case SS_FAULT:
	case SS_DEADLOCK:
	case SS_LIVELOCK:
	case SS_MAX_CYCLES: return 3;
	case SS_INTERRUPT: return 130;
	}
	return 2;
}
