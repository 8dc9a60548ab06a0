/* managed: pages that the program and the device both see, and who has them (managed.h). The signal: fault.c. */
#include "cudart/managed.h"
#include "cudart/abi.h"
#include "cudart/fault.h"
#include "cudart/index.h"
#include "cudart/link.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum piece_state {
	PIECE_DEVICE, /* no access: the device has it */
	PIECE_SAME,   /* read only: both have the same bytes, or nobody has written any */
	PIECE_HOST,   /* the host has changed it */
};
struct region {
	uint64_t host, device, bytes; /* whole pages, but for REGION_COPY */
	enum region_kind kind;
	bool stale;           /* REGION_COPY: kernels may have changed the device's bytes */
	bool quiet;           /* REGION_PINNED: no kernel has its address */
	bool concurrent;      /* the host may touch it while a kernel runs */
	unsigned char *alias; /* the library's own view of the pages, always accessible */
	uint64_t piece;       /* bytes */
	uint32_t pieces;
	uint32_t held; /* pieces that are not the device's */
	struct part {
		uint64_t begin, end; /* addresses of the device: bytes that are copied */
	} * parts;
	uint32_t nparts;
	struct region *next, *previous; /* of those with pieces that the host has */
	unsigned char state[];
};

static struct region **sorted; /* by host address; without REGION_COPY */
static size_t count, room;
static struct region *holders;
static struct region **copies;
static size_t ncopies;
static bool idle;                              /* nothing has been launched since the machine was last found idle */
static uint64_t quiet_low = ~0ull, quiet_high; /* no quiet region is outside of these addresses */
static bool woken;                             /* one has been woken since the last launch */

static size_t above(uint64_t host)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (sorted[middle]->host <= host)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct region *region_at(uint64_t host)
{
	size_t at = above(host);
	return at && host - sorted[at - 1]->host < sorted[at - 1]->bytes ? sorted[at - 1] : NULL;
}

static void hold(struct region *r, int change)
{
	if (!r->held && change > 0) {
		r->previous = NULL;
		r->next = holders;
		if (holders)
			holders->previous = r;
		holders = r;
	}
	r->held += (uint32_t)change;
	if (r->held || change >= 0)
		return;
	if (r->previous)
		r->previous->next = r->next;
	else
		holders = r->next;
	if (r->next)
		r->next->previous = r->previous;
}

static void set_state(struct region *r, uint32_t first, uint32_t n, enum piece_state state)
{
	static const int access[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
	uint64_t begin = first * r->piece, end = (first + n) * r->piece < r->bytes ? (first + n) * r->piece : r->bytes;
	mprotect((void *)(r->host + begin), end - begin, access[state]);
	int change = 0;
	for (uint32_t i = first; i < first + n; i++) {
		change += (state != PIECE_DEVICE) - (r->state[i] != PIECE_DEVICE);
		r->state[i] = (unsigned char)state;
	}
	if (change)
		hold(r, change);
}

/* Bytes [begin, end) of the region, as far as they are of its parts, to the device or from it. */
static int transfer(struct region *r, uint64_t begin, uint64_t end, enum wire_op op)
{
	int error = 0;
	for (uint32_t i = 0; i < r->nparts && !error; i++) {
		uint64_t from = r->device + begin > r->parts[i].begin ? r->device + begin : r->parts[i].begin;
		uint64_t to = r->device + end < r->parts[i].end ? r->device + end : r->parts[i].end;
		while (from < to && !error) {
			uint64_t n = to - from < WIRE_PIECE ? to - from : WIRE_PIECE;
			unsigned char *bytes = r->alias + (from - r->device);
			if (op == WIRE_TO_DEVICE) {
				memcpy(link_shared, bytes, n);
				regions_watch(link_shared, n);
			}
			error = op == WIRE_TO_DEVICE ? ASK(op, n, WIRE_AT_ONCE, from, n, n, 1, 1, 0)
			                             : ASK(op, 0, WIRE_AT_ONCE, from, n, n, 1, 1, (uint64_t)bytes, n);
			if (!error && op == WIRE_FROM_DEVICE)
				memcpy(bytes, link_shared, n);
			from += n;
		}
	}
	return error;
}

/* Of the pieces [first, last): those that the host has changed are written; afterwards all are in the state. */
static int give(struct region *r, uint32_t first, uint32_t last, enum piece_state state)
{
	for (uint32_t i = first; i < last; i++) {
		if (r->state[i] != PIECE_HOST)
			continue;
		uint32_t n = 1;
		while (i + n < last && r->state[i + n] == PIECE_HOST)
			n++;
		uint64_t end = (i + n) * r->piece < r->bytes ? (i + n) * r->piece : r->bytes;
		/* Read only first: another thread that writes meanwhile waits in its fault. */
		set_state(r, i, n, PIECE_SAME);
		int error = transfer(r, i * r->piece, end, WIRE_TO_DEVICE);
		if (error)
			return error;
		i += n - 1;
	}
	if (state == PIECE_DEVICE && last > first)
		set_state(r, first, last - first, PIECE_DEVICE);
	return 0;
}

static bool map_pages(struct region *r)
{
	int fd = memfd_create("warpdbg managed", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	void *seen = MAP_FAILED, *alias = MAP_FAILED;
	int access = r->kind == REGION_OWN ? PROT_READ : r->quiet ? PROT_READ | PROT_WRITE : PROT_NONE;
	if (!ftruncate(fd, (off_t)r->bytes)) {
		seen = mmap((void *)r->host, r->bytes, access, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
		alias = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	close(fd);
	if (seen == (void *)r->host && alias != MAP_FAILED) {
		/* A child has none of it, as with CUDA: what it wrote would be the parent's. */
		madvise(seen, r->bytes, MADV_DONTFORK);
		madvise(alias, r->bytes, MADV_DONTFORK);
		r->alias = alias;
		return true;
	}
	if (seen != MAP_FAILED)
		munmap(seen, r->bytes);
	if (alias != MAP_FAILED)
		munmap(alias, r->bytes);
	link_say("pages at 0x%llx, where the device has managed memory, are in use in this process",
	         (unsigned long long)r->host);
	return false;
}

static int add_part(struct region *r, uint64_t begin, uint64_t end)
{
	struct part *more = realloc(r->parts, (r->nparts + 1) * sizeof *more);
	if (!more)
		return OUT_OF_MEMORY;
	r->parts = more;
	r->parts[r->nparts++] = (struct part){begin, end};
	return 0;
}

static int region_make(uint64_t host, uint64_t device, uint64_t bytes, enum region_kind kind, uint64_t begin,
                       uint64_t end, struct region **made)
{
	uint64_t piece = 64 << 10;
	while (bytes / piece > 1024)
		piece *= 2;
	uint32_t n = kind == REGION_COPY ? 0 : (uint32_t)((bytes + piece - 1) / piece);
	struct region *r = calloc(1, sizeof *r + n);
	if (!r)
		return OUT_OF_MEMORY;
	*r = (struct region){.host = host, .device = device, .bytes = bytes, .kind = kind, .piece = piece, .pieces = n};
	r->quiet = kind == REGION_PINNED;
	r->concurrent = kind == REGION_PINNED || link_device.major >= 6;
	r->alias = (unsigned char *)host;
	struct region ***list = kind == REGION_COPY ? &copies : &sorted;
	size_t *listed = kind == REGION_COPY ? &ncopies : &count;
	struct region **more =
	    kind != REGION_COPY && count < room ? sorted : realloc(*list, (*listed * 2 + 64) * sizeof *more);
	if (more)
		*list = more;
	if (more && kind != REGION_COPY && count >= room)
		room = count * 2 + 64;
	int error = more ? add_part(r, begin, end) : OUT_OF_MEMORY;
	if (!error && kind != REGION_COPY && !(fault_begin() && map_pages(r)))
		error = OUT_OF_MEMORY;
	if (error) {
		free(r->parts);
		free(r);
		return error;
	}
	size_t at = kind == REGION_COPY ? ncopies : above(host);
	memmove(*list + at + 1, *list + at, (*listed - at) * sizeof *more);
	(*list)[at] = r;
	++*listed;
	if (kind == REGION_OWN) {
		memset(r->state, PIECE_SAME, n);
		hold(r, (int)n);
	}
	if (r->quiet) {
		quiet_low = host < quiet_low ? host : quiet_low;
		quiet_high = host + bytes > quiet_high ? host + bytes : quiet_high;
	}
	if (r->concurrent)
		link_time_passes = regions_yield;
	*made = r;
	return 0;
}

/* Variables share pages: each page is of one region, which has parts of several variables. */
static int variable(uint64_t address, uint64_t bytes, struct region **made)
{
	uint64_t end = (address + bytes + REGION_PAGE - 1) & ~(REGION_PAGE - 1);
	int error = 0;
	for (uint64_t page = address & ~(REGION_PAGE - 1); page < end && !error;) {
		struct region *r = region_at(page);
		if (r) {
			error = give(r, 0, r->pieces, PIECE_DEVICE);
			if (!error)
				error = add_part(r, address, address + bytes);
			page = r->host + r->bytes;
		} else {
			uint64_t from = page;
			while (page < end && !region_at(page))
				page += REGION_PAGE;
			error = region_make(from, from, page - from, REGION_OF_VARIABLE, address, address + bytes, &r);
		}
		*made = r;
	}
	return error;
}

int region_new(uint64_t host, uint64_t device, uint64_t bytes, enum region_kind kind, struct region **made)
{
	if (kind == REGION_OF_VARIABLE)
		return variable(device, bytes, made);
	return region_make(host, device, bytes, kind, device, device + bytes, made);
}

void region_free(struct region *r)
{
	if (r->kind == REGION_COPY) {
		for (size_t i = 0; i < ncopies; i++)
			if (copies[i] == r)
				copies[i--] = copies[--ncopies];
	} else {
		if (r->held)
			hold(r, -(int)r->held);
		size_t at = above(r->host) - 1;
		munmap((void *)r->host, r->bytes);
		munmap(r->alias, r->bytes);
		memmove(sorted + at, sorted + at + 1, (count - at - 1) * sizeof *sorted);
		count--;
	}
	free(r->parts);
	free(r);
}

void region_wake(struct region *r)
{
	if (!r->quiet)
		return;
	struct allocation *a = index_find((void *)r->host);
	if (a)
		a->place = PLACE_MAPPED;
	r->quiet = false;
	memset(r->state, PIECE_HOST, r->pieces);
	hold(r, (int)r->pieces);
	woken = true;
}

void regions_watch(const void *bytes, uint64_t n)
{
	const unsigned char *at = bytes;
	for (uint64_t i = 0; quiet_high && i + 8 <= n; i += 8) {
		uint64_t value;
		memcpy(&value, at + i, 8);
		if (value < quiet_low || value >= quiet_high)
			continue;
		struct region *r = region_at(value);
		if (r)
			region_wake(r);
	}
}

void regions_idle(void)
{
	idle = true;
}

int regions_yield(void)
{
	int error = 0;
	if (idle)
		return 0;
	for (struct region *r = holders, *next; r && !error; r = next) {
		next = r->next;
		if (r->concurrent)
			error = give(r, 0, r->pieces, PIECE_DEVICE);
	}
	return error;
}

int regions_to_device(void)
{
	int error = 0;
	if (woken && link_queued) /* copies to pages that were the host's alone are still to be made */
		error = link_ask_wait(WIRE_STREAM_SYNC, WIRE_ALL_STREAMS);
	woken = false;
	while (holders && !error)
		error = give(holders, 0, holders->pieces, PIECE_DEVICE);
	for (size_t i = 0; i < ncopies && !error; i++) {
		if (!copies[i]->stale)
			error = transfer(copies[i], 0, copies[i]->bytes, WIRE_TO_DEVICE);
		copies[i]->stale = true;
	}
	idle = false;
	return error;
}

int regions_sync(uint64_t device, uint64_t bytes, bool written)
{
	int error = 0;
	if (!count || !bytes)
		return 0;
	for (size_t at = above(device) ? above(device) - 1 : 0; at < count && !error; at++) {
		struct region *r = sorted[at];
		if (r->host >= device + bytes)
			break;
		if (r->host + r->bytes <= device || !r->held)
			continue;
		uint64_t begin = device > r->host ? device - r->host : 0;
		uint64_t end = device + bytes - r->host < r->bytes ? device + bytes - r->host : r->bytes;
		error = give(r, (uint32_t)(begin / r->piece), (uint32_t)((end + r->piece - 1) / r->piece),
		             written ? PIECE_DEVICE : PIECE_SAME);
	}
	return error;
}

int regions_after_sync(void)
{
	int error = 0;
	for (size_t i = 0; i < ncopies && !error; i++) {
		if (copies[i]->stale)
			error = transfer(copies[i], 0, copies[i]->bytes, WIRE_FROM_DEVICE);
		copies[i]->stale = false;
	}
	return error;
}

int regions_come_back(void)
{
	bool any = false;
	for (size_t i = 0; i < ncopies; i++)
		any |= copies[i]->stale;
	if (!any)
		return 0;
	int error = link_ask_wait(WIRE_STREAM_SYNC, WIRE_ALL_STREAMS);
	return error ? error : regions_after_sync();
}

void regions_clear(void)
{
	while (count)
		region_free(sorted[count - 1]);
	while (ncopies)
		region_free(copies[ncopies - 1]);
	idle = false;
}

/* The host has touched an address. */
enum fault_answer region_fault(uint64_t address, int write)
{
	struct region *r = region_at(address);
	if (!r)
		return FAULT_OF_OTHERS;
	uint32_t i = (uint32_t)((address - r->host) / r->piece);
	uint64_t begin = i * r->piece, end = begin + r->piece < r->bytes ? begin + r->piece : r->bytes;
	switch (r->state[i]) {
	case PIECE_HOST: return FAULT_SERVED; /* another thread was here first */
	case PIECE_SAME:
		if (write)
			set_state(r, i, 1, PIECE_HOST);
		return FAULT_SERVED;
	}
	if (!idle && !r->concurrent) {
		int status = ASK(WIRE_STREAM_QUERY, 0, WIRE_ALL_STREAMS);
		if (status == NOT_READY) {
			link_say("the program touches 0x%llx, managed memory (%llu bytes at 0x%llx), while a kernel may run: "
			         "cudaDeviceSynchronize has to come before",
			         (unsigned long long)address, (unsigned long long)r->bytes, (unsigned long long)r->host);
			return FAULT_FATAL;
		}
		/* After a kernel's error the pages can still be looked at. */
		if (!link_stands())
			return FAULT_FATAL;
		idle = true;
	}
	if (transfer(r, begin, end, WIRE_FROM_DEVICE)) {
		link_say("managed memory at 0x%llx cannot be fetched", (unsigned long long)address);
		return FAULT_FATAL;
	}
	set_state(r, i, 1, write ? PIECE_HOST : PIECE_SAME);
	return FAULT_SERVED;
}
