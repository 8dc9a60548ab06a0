/* An application may say anything: this program connects to warpdbg as one would and sends requests that are no calls
 * of CUDA's - random operations, handles, addresses, sizes, bytes; packets of other lengths; ends in the middle of a
 * call. The host answers each, or hangs up; the machine keeps its laws, and the session comes to its end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/rng.h"
#include "commands/commands.h"
#include "cudart/wire.h"
#include "tests/rig/rounds.h"
#include "session/cmdline.h"
#include "session/session.h"

/* --- the application --- */

static const char ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .global .align 4 .u32 word;\n"
    ".visible .entry add(.param .u64 p)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %d<2>;\n"
    "\tld.param.u64 %d1, [p];\n\tld.global.u32 %r1, [%d1];\n\tadd.s32 %r2, %r1, 1;\n\tst.global.u32 [%d1], %r2;\n\tret;\n}\n";

static u64 rng;
static u8 *shared;
static u64 known[16]; /* addresses, handles and sizes that answers have brought */
static u32 nknown;

static int connect_to_host(void)
{
	const char *name = getenv(WIRE_VARIABLE);
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const size_t n = strlen(name);
	memcpy(a.sun_path + 1, name, n);
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	return connect(fd, (void *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)) ? -1 : fd;
}

static bool receive(int fd, struct wire_reply *a)
{
	struct iovec part = {a, sizeof *a};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	if (recvmsg(fd, &m, 0) != sizeof *a)
		return false;
	const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c && !shared) {
		int memory;
		memcpy(&memory, CMSG_DATA(c), sizeof memory);
		shared = mmap(NULL, WIRE_SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
		if (ftruncate(memory, 4096) == 0) /* sealed: else a host that reads would be killed */
			exit(77);
		close(memory);
	}
	return true;
}

static u64 some_number(void)
{
	const u64 r = rng_next(&rng);
	switch (r % 8) {
	case 0: return r >> 3;
	case 1: return r >> 60;
	case 2: return ~0ull - (r >> 62);
	case 3: return 1ull << (r >> 58);
	case 4: return r >> 50;
	default: return nknown ? known[(r >> 8) % nknown] + (r >> 61) * (r & 1 << 4 ? 1 : 0) : 0;
	}
}

/* Half of the time what belongs there. */
static u64 fill_bytes(u32 op)
{
	if (op == WIRE_MODULE && rng_next(&rng) % 4) {
		memcpy(shared, ptx, sizeof ptx);
		return sizeof ptx;
	}
	if ((op == WIRE_FUNCTION || op == WIRE_SYMBOL) && rng_next(&rng) % 4)
		return (u64)sprintf((char *)shared, op == WIRE_FUNCTION ? "add" : "word");
	if (op == WIRE_LAUNCH) {
		const u64 p = some_number();
		memcpy(shared, &p, sizeof p);
		return rng_next(&rng) % 4 ? 8 : some_number() % 4096;
	}
	const u64 n = rng_next(&rng) % 5 ? rng_next(&rng) % 300 : some_number();
	for (u64 i = 0; i < MIN(n, 300u); i++)
		shared[i] = (u8)rng_next(&rng);
	return n;
}

static int application(u64 seed)
{
	int fd = connect_to_host();
	struct wire_request r = {.op = WIRE_HELLO, .a = {WIRE_VERSION, (u64)getpid()}};
	struct wire_reply a;
	rng = seed * 2654435761u + 1;
	if (fd < 0 || send(fd, &r, sizeof r, 0) < 0 || !receive(fd, &a) || !shared)
		return 78;
	for (u32 i = 0; i < 400; i++) {
		r.op = rng_next(&rng) % 50 ? (u32)(rng_next(&rng) % WIRE_OPS) : (u32)rng_next(&rng);
		if (r.op == WIRE_HELLO)
			continue;
		for (u32 k = 0; k < WIRE_ARGUMENTS; k++)
			r.a[k] = rng_next(&rng) % 3 ? some_number() : rng_next(&rng) % 3;
		if (r.op == WIRE_MODULE && rng_next(&rng) % 4)
			r.a[0] = WIRE_PTX;
		if (r.op == WIRE_LAUNCH)
			for (u32 k = 1; k < 7; k++)
				r.a[k] = rng_next(&rng) % 8 ? 1 + rng_next(&rng) % 4 : r.a[k];
		r.bytes = fill_bytes(r.op);
		memset(r.call, (int)rng_next(&rng), sizeof r.call);
		const size_t n = rng_next(&rng) % 300 ? sizeof r : (size_t)(rng_next(&rng) % sizeof r);
		if (send(fd, &r, n, MSG_NOSIGNAL) < 0 || (rng_next(&rng) % 400 == 0 && (close(fd), 1)) || !receive(fd, &a)) {
			close(fd); /* hung up: once more */
			fd = connect_to_host();
			struct wire_request again = {.op = WIRE_HELLO, .a = {WIRE_VERSION, (u64)getpid()}};
			if (fd < 0 || send(fd, &again, sizeof again, 0) < 0 || !receive(fd, &a))
				return 0;
			nknown = 0;
			continue;
		}
		if (!a.status && a.v[0] && nknown < ARRAY_LEN(known))
			known[nknown++] = a.v[0];
	}
	return 0;
}

/* --- the session --- */

static void nonsense(void **state)
{
	for (u32 seed = 0; seed < rounds("WARPDBG_NONSENSE", 60, 12); seed++) {
		struct options o;
		struct err e = {0};
		char number[16];
		snprintf(number, sizeof number, "%u", seed);
		char *words[] = {"warpdbg", "run", "--max-cycles", "2000000", "--", program_invocation_name, NULL};
		setenv("NONSENSE", number, 1);
		assert_int_equal(cmdline_parse(&o, (int)ARRAY_LEN(words) - 1, words, &e), CMDLINE_OK);
		struct session *s = session_open(&o, console_modules, &e);
		if (!s)
			fail_msg("%s", e.msg);
		enum session_stop why;
		do
			why = session_run(s, NEVER, &e);
		while (why == SS_CYCLE);
		/* Kernels get addresses that are none: a fault is an end, too. */
		if (why != SS_FINISHED && why != SS_FAULT && why != SS_LIVELOCK && why != SS_MAX_CYCLES)
			fail_msg("seed %u: %s: %s", seed, session_stop_text(why), e.msg);
		if (why == SS_FINISHED && s->programs[0].exit_status)
			fail_msg("seed %u: the application ended with %d", seed, s->programs[0].exit_status);
		if (why == SS_FINISHED && !sim_check(s->sim, &e))
			fail_msg("seed %u: %s", seed, e.msg);
		session_close(s);
		cmdline_free(&o);
	}
}

int main(void)
{
	if (getenv(WIRE_VARIABLE))
		return application(strtoull(getenv("NONSENSE"), NULL, 10));
	const struct CMUnitTest tests[] = {cmocka_unit_test(nonsense)};
	/* The application is this program, with another library before the sanitizer's own. */
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
