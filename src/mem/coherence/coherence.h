/* A rule of coherence: what an SM's L1D does beyond hits, so that it sees what other SMs write when it must. One file,
 * one const ops struct at its end, one line in all.def. Registry names are the values of `coherence`.
 *
 *   LSU -> l1.c: a load that finds its sectors ............ hit, the rule is not asked
 *          a load that does not ........................... load_miss
 *          volatile, relaxed, acquire, .cg, .cv loads ..... load_fresh
 *          stores, global and local ....................... store
 *          atomics and reductions ......................... atomic
 *   a line is replaced .................................... evict
 *   a message from another SM or a slice has arrived ...... message (mem_send())
 *   a kernel starts or ends; shared memory takes ways ..... kernel_start, kernel_end, empty
 *
 *   a request is at the head of a slice, before its tags .. serve (then, of an OP_GET, served)
 *   the slice makes room .................................. victim
 *
 * l1.h has the mechanisms from which a rule chooses: fetch a line, pass around the cache, drop what is touched, send
 * down, write back. A rule keeps no state of its own beyond the masks of the lines. It is asked for L1D only: the
 * read-only caches keep their lines from kernel to kernel. Values are not its business: they are read and written at
 * issue (front), so a wrong rule costs cycles and counts, never results. */
#ifndef MEM_COHERENCE_COHERENCE_H
#define MEM_COHERENCE_COHERENCE_H
#include "conf/policy.h"
#include "mem/mem.h"

struct access;
struct arena;
struct l1;
struct line;
struct coherence_ops {
	POLICY_HEAD;
	bool words; /* asks for the words of L1D's transactions (struct mem_txn) */
	/* Optional: the machine is built: takes state from the arena, whether the rule is in use or not, and writes nothing
	 * to it. */
	void (*init)(struct mem *m, struct arena *a);
	/* A load of a cached line that lacks sectors `need` (all it wants where the line is absent: i is TAGS_NONE, else
	 * the line's place). MR_PENDING, or refused with nothing done but l1_refuse(). The same holds for the next three,
	 * which may also hit. */
	enum mem_result (*load_miss)(const struct access *a, u32 set, u32 i, u8 need);
	/* A load that must see what other SMs have written. */
	enum mem_result (*load_fresh)(const struct access *a);
	enum mem_result (*store)(const struct access *a);
	enum mem_result (*atomic)(const struct access *a);
	/* A line with dirty sectors goes: which of them leave as a write-back. Changes nothing; may be asked again. */
	u8 (*evict)(const struct l1 *l, const struct line *v);
	/* Optional: the line at place i goes for an access; the words of it that its write-back names. */
	u32 (*gone)(const struct access *a, u32 i);
	/* Optional: a request is at a slice's head. *done: it has been served, and its packet is in good hands; else the
	 * slice serves it as it is now. Or refused; what has been done for it by then stays done. */
	enum mem_result (*serve)(struct mem *m, u32 slice, u32 packet, u64 now, bool *done);
	/* With it: the slice has then served an OP_GET, whose answer has left or waits for DRAM. */
	void (*served)(struct mem *m, u32 slice, u32 packet);
	/* Optional: the slice is about to replace the line at place i of a set: that one, or another, or none yet
	 * (TAGS_NONE). */
	u32 (*victim)(struct mem *m, u32 slice, u32 set, u32 i, u64 now);
	/* Optional, as serve: the answer to a load whose request named words has arrived. */
	void (*deliver)(struct mem *m, u32 packet, u64 now);
	/* Optional: stores of an SM that are in no packet and no queue, calls fn for each (NULL: does not); *backs:
	 * write-backs of which the same is true. Do caches and slices agree? */
	u32 (*held)(const struct mem *m, u32 sm, u32 *backs, mem_due_fn *fn, void *ctx);
	bool (*check)(const struct mem *m, struct err *e);
	/* The cache is emptied: takes from the line at place i what must not be read any more; is anything left? */
	bool (*empty)(struct l1 *l, u32 i);
	/* Optional: a message between endpoints has arrived, at the SM or slice `g->to`. True: it is taken; else it stays
	 * for mem_receive(), and so do those behind it. */
	bool (*message)(struct mem *m, const struct message *g, u64 now);
	/* A kernel starts; alone: no other one runs. */
	void (*kernel_start)(struct mem *m, u32 sm, bool alone);
	/* Optional: a kernel has ended; last: none runs any more. */
	void (*kernel_end)(struct mem *m, u32 sm, bool last);
};
/* All of them; ends with NULL. Each is the head of a struct coherence_ops. */
extern const struct policy *const coherence_policies[];
#endif
