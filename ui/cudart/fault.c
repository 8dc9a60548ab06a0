/* fault: SIGSEGV on managed memory (fault.h). The handler asks warpdbg; it allocates nothing and keeps the caller's
 * errno. */
#include "cudart/fault.h"
#include "cudart/link.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

static struct sigaction before;
static bool there;

/* 1: a write, 0: a read. Where it cannot be told it is a read: the same instruction faults again if it writes. */
static int is_write(const ucontext_t *context)
{
#if defined __x86_64__
	return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined __aarch64__
	/* The exception's syndrome is in a record behind the registers. */
	const unsigned char *at = context->uc_mcontext.__reserved;
	for (;;) {
		struct {
			uint32_t magic, size;
			uint64_t syndrome;
		} record;
		memcpy(&record, at, sizeof record);
		if (!record.magic || !record.size)
			return 1;
		if (record.magic == 0x45535201u)
			return (record.syndrome >> 6) & 1; /* ESR_MAGIC; WnR */
		at += record.size;
	}
#else
	return 1;
#endif
}

static void others(int number, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO && before.sa_sigaction) {
		before.sa_sigaction(number, info, context);
		return;
	}
	if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(number);
		return;
	}
	/* The instruction faults again, and the process ends as it would have. A signal that was sent has to be sent again.
	 */
	signal(number, SIG_DFL);
	if (info->si_code <= 0)
		raise(number);
}

static void handler(int number, siginfo_t *info, void *context)
{
	int kept = errno;
	enum fault_answer answer = FAULT_OF_OTHERS;
	if (info->si_code == SEGV_ACCERR && link_lock()) {
		answer = region_fault((uint64_t)info->si_addr, is_write(context));
		link_unlock();
	}
	errno = kept;
	if (answer == FAULT_SERVED)
		return;
	if (answer == FAULT_FATAL) {
		signal(number, SIG_DFL);
		return;
	}
	others(number, info, context);
}

bool fault_begin(void)
{
	if (there)
		return true;
	struct sigaction ours = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	sigemptyset(&ours.sa_mask);
	there = sigaction(SIGSEGV, &ours, &before) == 0;
	return there;
}
