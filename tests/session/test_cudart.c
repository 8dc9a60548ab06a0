/* The run time library of CUDA programs (ui/cudart) against a stand-in for warpdbg that speaks the protocol: memory is
 * an array, the only kernel adds one to each word. tests/rig/cuda_app.c is the program: its cases check what the calls
 * do. Here: what comes over the socket, and ends of either side. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "cudart/wire.h"

#define FIRST 0x100000000ull
#define BYTES (256ull << 20)
#define QUEUE 256

/* What the stand-in does besides answering. */
enum { QUIET, DIES_AT, NONSENSE_AT, OTHER_VERSION, OLD_CHIP };
static struct {
	int mode;
	unsigned at;
} plan;

static struct {
	int fd, connections;
	unsigned char *shared, *memory;
	uint64_t next, counter, word; /* addresses: of the next allocation, of the variables */
	unsigned op_count[WIRE_OPS], requests, threads;
	char calls[4096]; /* names of calls, with a blank behind each; not those that come often */
	char refused[256];
	int running, failed; /* a kernel may run; a kernel has failed */
	struct queued {
		struct wire_request r;
		unsigned char *bytes;
	} queue[QUEUE];
	unsigned nqueue;
	struct wire_reply deliveries[QUEUE];
	unsigned char *rows[QUEUE];
	unsigned ndeliveries, calling;
	int time_comes; /* deliveries are ready from when the program waits on */
	uint64_t more;
} s;

static unsigned char *at(uint64_t address)
{
	assert_true(address >= FIRST && address < FIRST + BYTES);
	return s.memory + (address - FIRST);
}

static void copy_rows(unsigned char *to, uint64_t to_pitch, const unsigned char *from, uint64_t from_pitch,
                      uint64_t width, uint64_t height)
{
	for (uint64_t y = 0; y < height; y++)
		memcpy(to + y * to_pitch, from + y * from_pitch, width);
}

static void push(struct wire_reply delivery, unsigned char *rows)
{
	assert_true(s.ndeliveries < QUEUE);
	s.rows[s.ndeliveries] = rows;
	s.deliveries[s.ndeliveries++] = delivery;
}

/* Work of a stream, at once. */
static void work(const struct wire_request *r, const unsigned char *bytes, struct wire_reply *answer)
{
	const uint64_t *a = r->a;
	switch (r->op) {
	case WIRE_LAUNCH: {
		uint64_t p;
		uint32_t n;
		memcpy(&p, bytes, 8);
		memcpy(&n, bytes + 8, 4);
		s.running = 1;
		if (n == 0xdead)
			s.failed = 700;
		else
			for (uint32_t i = 0; i < n; i++)
				++*(uint32_t *)at(p + i * 4ull);
		break;
	}
	case WIRE_TO_DEVICE: copy_rows(at(a[1]), a[2], bytes, a[3], a[3], a[4]); break;
	case WIRE_FROM_DEVICE:
		if (answer) {
			copy_rows(s.shared, a[3], at(a[1]), a[2], a[3], a[4]);
			answer->bytes = a[3] * a[4];
		} else {
			unsigned char *rows = malloc(a[3] * a[4]);
			copy_rows(rows, a[3], at(a[1]), a[2], a[3], a[4]);
			push((struct wire_reply){.bytes = a[3] * a[4], .v = {WIRE_DATA, a[6], a[7], a[3], a[4]}}, rows);
		}
		break;
	case WIRE_ON_DEVICE: copy_rows(at(a[1]), a[2], at(a[3]), a[4], a[5], a[6]); break;
	case WIRE_FILL:
		for (uint64_t y = 0; y < a[4]; y++)
			for (uint64_t x = 0; x < a[3]; x++)
				at(a[1] + y * a[2])[x] = (unsigned char)(a[5] >> 8 * (x % a[6]));
		break;
	case WIRE_CALL_HOST:
		s.calling++;
		push((struct wire_reply){.v = {WIRE_CALL_NOW, 77, a[1], a[2], a[3], 0}}, NULL);
		break;
	}
}

/* The argument of a request that says whether it waits; 0: it has none. */
static const unsigned char wait_at[WIRE_OPS] = {
    [WIRE_TO_DEVICE] = 5, [WIRE_FROM_DEVICE] = 5, [WIRE_ON_DEVICE] = 7, [WIRE_FILL] = 7};

/* Behind a function that has not returned all waits. */
static void give(const struct wire_request *r, struct wire_reply *answer)
{
	int at_once = r->a[0] == WIRE_AT_ONCE, wait = at_once || (wait_at[r->op] && r->a[wait_at[r->op]]);
	if (at_once || (!s.calling && !s.nqueue)) {
		work(r, s.shared, wait ? answer : NULL);
		if (wait && !at_once)
			s.running = 0;
		return;
	}
	assert_true(s.nqueue < QUEUE);
	s.queue[s.nqueue].r = *r;
	s.queue[s.nqueue].bytes = malloc(r->bytes + 1);
	memcpy(s.queue[s.nqueue++].bytes, s.shared, r->bytes);
	answer->status = wait ? 600 : 0;
}

static void go_on(void)
{
	s.calling--;
	while (s.nqueue && !s.calling) {
		struct queued q = s.queue[0];
		memmove(s.queue, s.queue + 1, --s.nqueue * sizeof q);
		work(&q.r, q.bytes, NULL);
		free(q.bytes);
	}
}

static void hello(struct wire_reply *answer)
{
	struct wire_device d = {.name = "stand-in",
	                        .major = plan.mode == OLD_CHIP ? 5 : 7,
	                        .minor = 5,
	                        .sms = 2,
	                        .warp_size = 32,
	                        .threads_per_sm = 1024,
	                        .ctas_per_sm = 16,
	                        .threads_per_cta = 1024,
	                        .regs_per_sm = 65536,
	                        .regs_per_cta = 65536,
	                        .shared_per_sm = 65536,
	                        .shared_per_cta = 49152,
	                        .shared_per_cta_optin = 65536,
	                        .texture_pitch = 32,
	                        .texture_alignment = 512,
	                        .memory_bytes = BYTES,
	                        .first_address = FIRST,
	                        .last_address = FIRST + BYTES - 1};
	memcpy(s.shared, &d, sizeof d);
	answer->bytes = sizeof d;
}

static void function(struct wire_reply *answer)
{
	struct wire_function f = {.nparams = 2,
	                          .param_bytes = 12,
	                          .regs = 8,
	                          .threads_max = 1024,
	                          .ptx_version = 70,
	                          .binary_version = 75,
	                          .dynamic_max = 65536,
	                          .param = {{0, 8}, {8, 4}}};
	answer->status = strcmp((char *)s.shared, "add_one") ? 98 : 0;
	answer->v[0] = 1;
	memcpy(s.shared, &f, sizeof f);
	answer->bytes = sizeof f;
}

static struct wire_reply serve(const struct wire_request *r)
{
	struct wire_reply answer = {0};
	const uint64_t *a = r->a;
	switch (r->op) {
	case WIRE_HELLO: hello(&answer); break;
	case WIRE_MORE: s.more += r->bytes; break;
	case WIRE_MODULE:
		s.more += r->bytes;
		assert_int_equal(*(uint32_t *)s.shared, 0xBA55ED50u);
		assert_int_equal(s.more, 16 + *(uint64_t *)(s.shared + 8));
		answer.v[0] = 1;
		*(uint32_t *)at(s.counter) = 7;
		break;
	case WIRE_FUNCTION: function(&answer); break;
	case WIRE_SYMBOL:
		answer.v[0] = !strcmp((char *)s.shared, "counter") ? s.counter : s.word;
		answer.v[1] = answer.v[0] == s.counter ? 4 : 32;
		break;
	case WIRE_ALLOCATE: {
		uint64_t align = a[1] ? a[1] : 256;
		answer.v[0] = (s.next + align - 1) & ~(align - 1);
		s.next = answer.v[0] + a[0];
		if (s.next > FIRST + BYTES)
			answer.status = 2;
		break;
	}
	case WIRE_STREAM: answer.v[0] = s.op_count[WIRE_STREAM]; break;
	case WIRE_EVENT: answer.v[0] = s.op_count[WIRE_EVENT]; break;
	case WIRE_STREAM_SYNC:
	case WIRE_EVENT_SYNC:
		s.running = 0;
		s.time_comes = 1;
		answer.status = s.failed ? s.failed : s.calling || s.nqueue || s.ndeliveries ? 600 : 0;
		break;
	case WIRE_STREAM_QUERY: answer.status = s.running || s.calling || s.nqueue ? 600 : 0; break;
	case WIRE_CALL_DONE: go_on(); break;
	case WIRE_NEXT:
		if (s.ndeliveries) {
			answer = s.deliveries[0];
			if (s.rows[0])
				memcpy(s.shared, s.rows[0], answer.bytes);
			free(s.rows[0]);
			s.ndeliveries--;
			memmove(s.deliveries, s.deliveries + 1, s.ndeliveries * sizeof answer);
			memmove(s.rows, s.rows + 1, s.ndeliveries * sizeof *s.rows);
		}
		break;
	case WIRE_REFUSED: snprintf(s.refused, sizeof s.refused, "%s", (char *)s.shared); break;
	case WIRE_LAUNCH: assert_int_equal(r->bytes, 12); /* fall through */
	case WIRE_TO_DEVICE:
	case WIRE_FROM_DEVICE:
	case WIRE_ON_DEVICE:
	case WIRE_FILL:
	case WIRE_CALL_HOST: give(r, &answer); break;
	}
	s.time_comes |= wait_at[r->op] && r->a[wait_at[r->op]] && answer.status == 600;
	answer.pending = s.time_comes ? s.ndeliveries : 0;
	if (!s.ndeliveries && !s.calling && !s.nqueue)
		s.time_comes = 0;
	return answer;
}

static void send_answer(const struct wire_reply *answer, int descriptor)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {(void *)answer, sizeof *answer};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	if (descriptor >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &descriptor, sizeof(int));
	}
	sendmsg(s.fd, &m, MSG_NOSIGNAL);
}

static void serve_all(int memory)
{
	struct wire_request r;
	while (recv(s.fd, &r, sizeof r, 0) == (ssize_t)sizeof r) {
		if (r.op == WIRE_NUDGE)
			continue;
		assert_true(r.op < WIRE_OPS);
		assert_true(r.bytes <= WIRE_SHARED);
		s.op_count[r.op]++;
		if (r.thread + 1 > s.threads)
			s.threads = r.thread + 1;
		if (r.op != WIRE_HELLO)
			assert_true(!strncmp(r.call, "cuda", 4) || !strncmp(r.call, "__cuda", 6) || !*r.call);
		size_t n = strlen(s.calls);
		if (n + 50 < sizeof s.calls && r.op != WIRE_NEXT)
			snprintf(s.calls + n, sizeof s.calls - n, "%s ", r.call);
		if (++s.requests == plan.at && plan.mode == DIES_AT)
			return;
		struct wire_reply answer = serve(&r);
		if (plan.mode == OTHER_VERSION)
			answer.status = 35;
		if (s.requests == plan.at && plan.mode == NONSENSE_AT) {
			send(s.fd, "nonsense", 8, MSG_NOSIGNAL);
			continue;
		}
		send_answer(&answer, r.op == WIRE_HELLO ? memory : -1);
	}
}

static char output[8192];
static const char *program_name = "cuda_app"; /* or with a run time inside */
static int preload;

/* Runs the program's case; returns its wait status. wait_kill: 0, or the program's end is waited for after the
 * server's. */
static int run(const char *name)
{
	char socket_name[64], directory[4096];
	static unsigned runs;
	snprintf(socket_name, sizeof socket_name, "warpdbg-test-%d-%u", (int)getpid(), runs++);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	memcpy(address.sun_path + 1, socket_name, strlen(socket_name));
	int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), out[2];
	assert_true(listening >= 0);
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(socket_name));
	assert_int_equal(bind(listening, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(listening, 4), 0);
	assert_int_equal(pipe(out), 0);
	ssize_t n = readlink("/proc/self/exe", directory, sizeof directory - 1);
	assert_true(n > 0);
	directory[n] = 0;
	for (int i = 0; i < 3; i++) /* build/tests/session/floor */
		*strrchr(directory, '/') = 0;
	pid_t child = fork();
	if (!child) {
		char program[4200], libraries[4200], preloaded[4200];
		snprintf(program, sizeof program, "%s/tests/%s", directory, program_name);
		snprintf(libraries, sizeof libraries, "%s/cudart", directory);
		snprintf(preloaded, sizeof preloaded, "%s/cudart/libwarpdbg-preload.so", directory);
		setenv("LD_LIBRARY_PATH", libraries, 1);
		setenv(WIRE_VARIABLE, socket_name, 1);
		if (preload)
			setenv("LD_PRELOAD", preloaded, 1);
		if (plan.mode < 0)
			unsetenv(WIRE_VARIABLE);
		dup2(out[1], 1);
		dup2(out[1], 2);
		close(out[0]);
		alarm(200);
		execl(program, program, name, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	memset(&s, 0, sizeof s);
	int memory = memfd_create("shared", MFD_CLOEXEC);
	assert_int_equal(ftruncate(memory, (off_t)WIRE_SHARED), 0);
	s.shared = mmap(NULL, WIRE_SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	s.memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(s.shared != MAP_FAILED && s.memory != MAP_FAILED);
	s.counter = FIRST + 256;
	s.word = FIRST + 512;
	s.next = FIRST + 65536;
	/* The program may end without a connection. */
	for (;;) {
		struct pollfd p[2] = {{listening, POLLIN, 0}, {out[0], POLLIN, 0}};
		assert_true(poll(p, 2, 60000) > 0);
		if (p[0].revents) {
			s.fd = accept(listening, NULL, NULL);
			serve_all(memory);
			close(s.fd);
			s.connections++;
			break;
		}
		if (p[1].revents)
			break;
	}
	size_t got = 0;
	while ((n = read(out[0], output + got, sizeof output - 1 - got)) > 0)
		got += (size_t)n;
	output[got] = 0;
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	close(out[0]);
	close(listening);
	close(memory);
	munmap(s.shared, WIRE_SHARED);
	munmap(s.memory, BYTES);
	return status;
}

static void runs_well(const char *name)
{
	char want[64];
	plan.mode = QUIET;
	int status = run(name);
	snprintf(want, sizeof want, "%s: all well\n", name);
	assert_string_equal(output, want);
	assert_int_equal(status, 0);
	assert_int_equal(s.connections, 1);
}

static void basic(void **state)
{
	runs_well("basic");
	assert_int_equal(s.op_count[WIRE_MODULE], 1); /* once, and when it was needed */
	assert_int_equal(s.op_count[WIRE_FUNCTION], 1);
	assert_int_equal(s.op_count[WIRE_SYMBOL], 2); /* counter, and the managed one before the launch */
	assert_non_null(strstr(s.calls, "cudaMemcpyToSymbol "));
	assert_non_null(strstr(s.calls, "cudaLaunchKernel "));
	assert_string_equal(s.refused, "mipmapped arrays");
}

static void rectangles(void **state)
{
	runs_well("rectangles");
	assert_true(s.op_count[WIRE_TO_DEVICE] >= 5);
}

static void streams(void **state)
{
	runs_well("streams");
	assert_int_equal(s.op_count[WIRE_CALL_HOST], s.op_count[WIRE_CALL_DONE]);
	assert_true(s.op_count[WIRE_CALL_HOST] >= 2);
}

static void graphs(void **state)
{
	runs_well("graphs");
	assert_int_equal(s.op_count[WIRE_LAUNCH], 6);
}

static void managed(void **state)
{
	runs_well("managed");
}

static void forks(void **state)
{
	runs_well("forks");
}

static void threads(void **state)
{
	runs_well("threads");
	assert_int_equal(s.threads, 17);
}

static void sticky(void **state)
{
	runs_well("sticky");
}

static void transfers(void **state)
{
	preload = 1;
	runs_well("transfers");
	preload = 0;
}

/* The functions of a run time inside the program are led to the library; one that it lacks is refused by its name. */
static void redirected(void **state)
{
	preload = 1;
	program_name = "cuda_app_static";
	runs_well("basic");
	runs_well("managed");
	plan.mode = QUIET;
	assert_int_equal(run("unknown"), 0);
	assert_string_equal(output,
	                    "warpdbg: the program calls cudaNewerThanTheLibrary, which is not served\nunknown: all well\n");
	assert_string_equal(s.refused, "not known to the library");
	preload = 0;
	assert_true(run("basic") != 0); /* without it the program's own is called */
	assert_non_null(strstr(output, "is still the program's"));
	program_name = "cuda_app";
}

static void faults(void **state)
{
	plan.mode = QUIET;
	assert_int_equal(run("faults"), 0);
	assert_string_equal(output, "own handler\n");
}

static void touch_while_running(void **state)
{
	plan.mode = OLD_CHIP; /* later ones have concurrent access */
	assert_int_equal(run("busy"), 0);
	assert_non_null(strstr(output, "while a kernel may run, and waits for it"));
	assert_non_null(strstr(output, "4096 bytes"));
	assert_null(strstr(strstr(output, "and waits") + 1, "and waits")); /* said once */
}

static void gone(const char *want, const char *message)
{
	int status = run("gone");
	assert_non_null(strstr(output, want));
	assert_non_null(strstr(output, message));
	assert_non_null(strstr(output, "gone: all well"));
	assert_int_equal(status, 0);
}

static void ends(void **state)
{
	plan.mode = -1; /* started by itself */
	gone("100 cudaErrorNoDevice", "warpdbg run -- ./app");
	for (unsigned at = 1; at <= 3; at++) {
		plan.at = at;
		plan.mode = DIES_AT;
		gone("999 cudaErrorUnknown", "warpdbg is gone");
		plan.mode = NONSENSE_AT;
		gone("999 cudaErrorUnknown", "warpdbg is gone");
		assert_null(strstr(strstr(output, "is gone") + 1, "is gone")); /* said once */
	}
	plan.mode = OTHER_VERSION;
	plan.at = 0;
	gone("999 cudaErrorUnknown", "different versions");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(basic),      cmocka_unit_test(rectangles),
	    cmocka_unit_test(streams),    cmocka_unit_test(graphs),
	    cmocka_unit_test(managed),    cmocka_unit_test(forks),
	    cmocka_unit_test(threads),    cmocka_unit_test(sticky),
	    cmocka_unit_test(faults),     cmocka_unit_test(touch_while_running),
	    cmocka_unit_test(ends),       cmocka_unit_test(transfers),
	    cmocka_unit_test(redirected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
