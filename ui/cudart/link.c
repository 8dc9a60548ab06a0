/* link: the socket, the shared memory, questions and answers (link.h). */
#include "cudart/link.h"
#include "cudart/clock.h"
#include "cudart/deliver.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct wire_reply link_reply;
int (*link_time_passes)(void);
unsigned char *link_shared;
struct wire_device link_device;
unsigned link_queued;
_Thread_local unsigned link_per_thread;

#define NUDGE_NS 5000000
#define ROUNDS 2000 /* of a pause, for threads that have asked for one */

static enum { UNTRIED, STANDS, ABSENT, BROKEN } state;
static bool forked; /* this is a child of a process that had a connection */
static int channel = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned threads;
static unsigned waiting; /* threads that wait for the mutex */
static bool asking;      /* the thread that has it waits for an answer */

static _Thread_local unsigned depth;
static _Thread_local unsigned thread_number; /* + 1 */
static _Thread_local const char *calling;
static _Thread_local const void *called_from;
static _Thread_local int cancelled; /* the thread's cancel state while it has the mutex */

void link_say(const char *format, ...)
{
	char text[1024] = "warpdbg: ";
	va_list arguments;
	va_start(arguments, format);
	size_t n = strlen(text);
	int more = vsnprintf(text + n, sizeof text - n - 1, format, arguments);
	va_end(arguments);
	if (more < 0)
		return;
	n += (size_t)more < sizeof text - n - 1 ? (size_t)more : sizeof text - n - 2;
	text[n++] = '\n';
	for (const char *at = text; n;) {
		ssize_t wrote = write(2, at, n);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return;
		at += wrote;
		n -= (size_t)wrote;
	}
}

bool link_stands(void)
{
	return state == STANDS && !forked;
}

bool link_begun(void)
{
	return state != UNTRIED;
}

static int broken(const char *why)
{
	if (state != BROKEN)
		link_say("warpdbg is gone: %s; the program's GPU calls fail from here on", why);
	state = BROKEN;
	return UNKNOWN_ERROR;
}

static void child(void)
{
	/* The socket is the parent's: with this copy closed warpdbg sees the parent's end. */
	if (state != STANDS)
		return;
	forked = true;
	close(channel);
	channel = -1;
}

/* One packet. descriptor: NULL, or what comes with it. */
static bool receive(void *to, size_t bytes, int *descriptor)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {to, bytes};
	for (;;) {
		struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
		if (descriptor) {
			message.msg_control = &control;
			message.msg_controllen = sizeof control;
		}
		ssize_t n = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd wait = {channel, POLLIN, 0};
			poll(&wait, 1, -1);
			continue;
		}
		if (n != (ssize_t)bytes)
			return false;
		if (!descriptor)
			return true;
		struct cmsghdr *c = CMSG_FIRSTHDR(&message);
		if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(descriptor, CMSG_DATA(c), sizeof(int));
		return true;
	}
}

static bool exchange(const struct wire_request *request, int *descriptor)
{
	for (;;) {
		ssize_t n = send(channel, request, sizeof *request, MSG_NOSIGNAL);
		if (n == (ssize_t)sizeof *request)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		return false;
	}
	return receive(&link_reply, sizeof link_reply, descriptor);
}

static bool ask(enum wire_op op, uint64_t bytes, const uint64_t a[WIRE_ARGUMENTS], int *descriptor)
{
	if (!thread_number)
		thread_number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
	struct wire_request request = {
	    .op = op, .thread = thread_number - 1, .bytes = bytes, .from = (uint64_t)called_from};
	memcpy(request.a, a, sizeof request.a);
	snprintf(request.call, sizeof request.call, "%s",
	         op == WIRE_HELLO ? program_invocation_short_name
	         : calling        ? calling
	                          : "");
	if (&warpdbg_clock)
		warpdbg_clock.wait_begins();
	__atomic_store_n(&asking, true, __ATOMIC_RELEASE);
	bool answered = exchange(&request, descriptor);
	__atomic_store_n(&asking, false, __ATOMIC_RELEASE);
	if (&warpdbg_clock)
		warpdbg_clock.wait_ends(link_reply.simulated);
	return answered;
}

int link_ask(enum wire_op op, uint64_t bytes, const uint64_t a[WIRE_ARGUMENTS])
{
	const bool at_once = (op == WIRE_TO_DEVICE || op == WIRE_FROM_DEVICE) && a[0] == WIRE_AT_ONCE;
	if (!link_stands())
		return UNKNOWN_ERROR;
	if (link_time_passes && !bytes && !at_once) {
		int error = link_time_passes();
		if (error)
			return error;
	}
	if (!ask(op, bytes, a, NULL))
		return broken("the connection broke");
	if (link_reply.bytes > WIRE_SHARED)
		return broken("it sent nonsense");
	deliver_pending = link_reply.pending;
	return link_reply.status;
}

/* In the middle of a call the clock does without. */
static uint64_t ask_clock(enum clock_kind kind, uint64_t measured)
{
	if (depth || !link_stands() || !link_lock())
		return 0;
	uint64_t reading = ASK(WIRE_CLOCK, 0, kind, measured) ? 0 : link_reply.v[0];
	link_unlock();
	return reading;
}

static void connect_to_warpdbg(void)
{
	const char *name = getenv(WIRE_VARIABLE);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	state = ABSENT;
	if (!name || !*name) {
		link_say("this program's CUDA calls are for a simulated GPU. Start it so: warpdbg run -- ./app");
		return;
	}
	size_t n = strlen(name);
	if (n >= sizeof address.sun_path) {
		link_say("%s is too long a name", WIRE_VARIABLE);
		return;
	}
	memcpy(address.sun_path + 1, name, n);
	channel = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
	int failed;
	do
		failed = channel < 0 || connect(channel, (struct sockaddr *)&address, length) < 0;
	while (failed && errno == EINTR);
	if (failed) {
		link_say("no warpdbg answers at \"%s\" (%s). Start the program so: warpdbg run -- ./app", name,
		         strerror(errno));
		if (channel >= 0)
			close(channel);
		channel = -1;
		return;
	}
	int memory = -1;
	state = STANDS;
	if (!ask(WIRE_HELLO, 0, (const uint64_t[WIRE_ARGUMENTS]){WIRE_VERSION, (uint64_t)getpid()}, &memory)) {
		broken("it did not answer the first question");
		return;
	}
	if (link_reply.status || memory < 0 || link_reply.bytes != sizeof link_device) {
		if (memory >= 0)
			close(memory);
		broken("it and this library are of different versions");
		return;
	}
	void *mapped = mmap(NULL, WIRE_SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	close(memory);
	if (mapped == MAP_FAILED) {
		broken("its shared memory cannot be mapped");
		return;
	}
	link_shared = mapped;
	memcpy(&link_device, link_shared, sizeof link_device);
	link_device.name[sizeof link_device.name - 1] = 0;
	pthread_atfork(NULL, NULL, child);
	if (&warpdbg_clock)
		warpdbg_clock.ask = ask_clock;
}

/* One that is lost comes again. */
static void nudge(void)
{
	const struct wire_request request = {.op = WIRE_NUDGE};
	if (link_stands() && __atomic_load_n(&asking, __ATOMIC_ACQUIRE))
		send(channel, &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Another thread has it, perhaps for as long as a kernel runs that waits for this one. */
static void take_turn(void)
{
	__atomic_add_fetch(&waiting, 1, __ATOMIC_RELAXED);
	for (;;) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += NUDGE_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_mutex_timedlock(&mutex, &until) == 0)
			break;
		nudge();
	}
	__atomic_sub_fetch(&waiting, 1, __ATOMIC_RELAXED);
}

static void lock(void)
{
	if (depth++)
		return;
	int before;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	if (pthread_mutex_trylock(&mutex))
		take_turn();
	cancelled = before;
}

static void unlock(void)
{
	if (--depth)
		return;
	int before = cancelled;
	calling = NULL;
	called_from = NULL;
	pthread_mutex_unlock(&mutex);
	pthread_setcancelstate(before, NULL);
}

/* While a function of the program runs: the mutex is free for its calls. */
struct link_pause link_pause(void)
{
	struct link_pause pause = {depth, link_per_thread, calling};
	link_per_thread = 0;
	depth = 1;
	unlock();
	return pause;
}

void link_resume(struct link_pause pause)
{
	lock();
	depth = pause.depth;
	link_per_thread = pause.per_thread;
	calling = pause.calling;
}

static int begin(const char *call, const void *from, bool anyway)
{
	if (forked)
		return fail(INITIALIZATION_ERROR);
	lock();
	if (depth == 1) {
		calling = call;
		called_from = from;
	}
	if (state == UNTRIED)
		connect_to_warpdbg();
	int error = state == ABSENT ? NO_DEVICE : state == BROKEN ? UNKNOWN_ERROR : anyway ? 0 : error_that_stays();
	if (error) {
		unlock();
		return fail(error);
	}
	return 0;
}

int enter(const char *call)
{
	return begin(call, NULL, false);
}

int enter_from(const char *call, const void *from)
{
	return begin(call, from, false);
}

int enter_anyway(const char *call)
{
	return begin(call, NULL, true);
}

int leave(int error)
{
	if (depth == 1)
		deliver();
	unlock();
	return fail(error);
}

void link_from(const void *from)
{
	called_from = from;
}

bool link_lock(void)
{
	if (forked || state == UNTRIED || state == ABSENT)
		return false;
	lock();
	return true;
}

void link_unlock(void)
{
	unlock();
}

int link_ask_wait(enum wire_op op, uint64_t what)
{
	for (;;) {
		int status = ASK(op, 0, what);
		if (status != NOT_READY)
			return status;
		if (!deliver()) {
			/* Another thread calls the function that this waits for, or wants to go on. */
			struct link_pause pause = link_pause();
			unsigned rounds = 0;
			do
				usleep(50);
			while (__atomic_load_n(&waiting, __ATOMIC_RELAXED) && ++rounds < ROUNDS);
			link_resume(pause);
		}
	}
}

int link_refuse(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (link_shared) {
		char text[1024];
		int n = vsnprintf(text, sizeof text, format, arguments);
		if (n >= (int)sizeof text)
			n = sizeof text - 1;
		if (n > 0) {
			memcpy(link_shared, text, (size_t)n + 1);
			ASK(WIRE_REFUSED, (uint64_t)n + 1, 0);
		}
	}
	va_end(arguments);
	return NOT_SUPPORTED;
}
