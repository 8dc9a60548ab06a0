#include "session/app/channel.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <fcntl.h>

#define DEVICES_UNAVAILABLE 46 /* cudaErrorDevicesUnavailable */

/* --- open and close --- */

/* Both have it mapped: it must not become shorter under the other one. */
static bool open_memory(struct channel *c, struct err *e)
{
	c->memory = memfd_create("warpdbg", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (c->memory < 0 || ftruncate(c->memory, WIRE_SHARED) ||
	    fcntl(c->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return err_set(e, "no memory to share with the application: %s", strerror(errno));
	void *p = mmap(NULL, WIRE_SHARED, PROT_READ | PROT_WRITE, MAP_SHARED, c->memory, 0);
	if (p == MAP_FAILED)
		return err_set(e, "no memory to share with the application: %s", strerror(errno));
	c->shared = p;
	return true;
}

/* The name is not to be guessed: who knows it may connect. */
static bool open_socket(struct channel *c, struct err *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	u64 random[2];
	if (getrandom(random, sizeof random, 0) != sizeof random)
		return err_set(e, "no random numbers: %s", strerror(errno));
	const int n = snprintf(c->name, sizeof c->name, "warpdbg-%016llx%016llx", (unsigned long long)random[0],
	                       (unsigned long long)random[1]);
	memcpy(a.sun_path + 1, c->name, (size_t)n);
	c->listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->listening < 0 ||
	    bind(c->listening, (void *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) ||
	    listen(c->listening, 8))
		return err_set(e, "no socket for the application: %s", strerror(errno));
	return true;
}

bool channel_open(struct channel *c, struct err *e)
{
	*c = (struct channel){.listening = -1, .fd = -1, .memory = -1};
	if (open_memory(c, e) && open_socket(c, e))
		return true;
	channel_close(c);
	return false;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void channel_hang_up(struct channel *c)
{
	close_fd(&c->fd);
}

void channel_close(struct channel *c)
{
	if (c->shared)
		munmap(c->shared, WIRE_SHARED);
	c->shared = NULL;
	close_fd(&c->fd);
	close_fd(&c->listening);
	close_fd(&c->memory);
}

/* --- messages --- */

u32 channel_wait_for(const struct channel *c, struct pollfd out[2])
{
	u32 n = 0;
	if (c->fd >= 0)
		out[n++] = (struct pollfd){.fd = c->fd, .events = POLLIN};
	if (c->listening >= 0)
		out[n++] = (struct pollfd){.fd = c->listening, .events = POLLIN};
	return n;
}

static bool send_reply(int fd, const struct wire_reply *a, int memory)
{
	struct iovec part = {(void *)(uintptr_t)a, sizeof *a};
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	if (memory >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control.space;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &memory, sizeof memory);
	}
	ssize_t n;
	do
		n = sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n == sizeof *a;
}

bool channel_answer(struct channel *c, const struct wire_reply *a, bool hello)
{
	return c->fd >= 0 && send_reply(c->fd, a, hello ? c->memory : -1);
}

/* Who comes while somebody is connected gets one answer. */
static void turn_away(int fd)
{
	const struct wire_reply a = {.status = DEVICES_UNAVAILABLE};
	send_reply(fd, &a, -1);
	close(fd);
}

static bool same_user(int fd)
{
	struct ucred who;
	socklen_t n = sizeof who;
	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == getuid();
}

static void take_callers(struct channel *c)
{
	int fd;
	while (c->listening >= 0 && (fd = accept4(c->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (!same_user(fd)) {
			close(fd);
		} else if (c->fd >= 0) {
			turn_away(fd);
		} else {
			c->fd = fd;
			c->processes++;
		}
	}
}

bool channel_nudged(struct channel *c)
{
	struct wire_request r;
	bool some = false;
	while (c->fd >= 0 && recv(c->fd, &r, sizeof r, MSG_DONTWAIT | MSG_PEEK) == sizeof r && r.op == WIRE_NUDGE) {
		recv(c->fd, &r, sizeof r, MSG_DONTWAIT);
		some = true;
	}
	return some;
}

enum channel_news channel_look(struct channel *c, struct wire_request *r)
{
	ssize_t n = -1;
	if (c->fd >= 0) {
		do
			n = recv(c->fd, r, sizeof *r, MSG_DONTWAIT | MSG_TRUNC);
		while ((n < 0 && errno == EINTR) || (n == sizeof *r && r->op == WIRE_NUDGE)); /* its turn has come by itself */
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			take_callers(c);
			return CHANNEL_QUIET;
		}
		if (n != sizeof *r || r->op >= WIRE_OPS || r->bytes > WIRE_SHARED) {
			channel_hang_up(c);
			return CHANNEL_CLOSED;
		}
		r->call[WIRE_CALL - 1] = 0;
		if (r->op == WIRE_HELLO)
			c->pid = (s32)r->a[1];
		return CHANNEL_REQUEST;
	}
	take_callers(c);
	return CHANNEL_QUIET;
}
