/* What the files of checks share: see checks.h. */
#ifndef SM_CHECKS_IMPL_H
#define SM_CHECKS_IMPL_H
#include "ir/ir.h"
#include "sm/checks.h"
#include "sm/sm.h"

#define CTA_WARPS 32
#define CELL_PAGE DEVMEM_PAGE
#define GLOBAL_GRAIN 2 /* log2 of a cell's bytes */
#define CELLS (CELL_PAGE >> GLOBAL_GRAIN)
#define RUNS (1u << 18) /* CTAs whose accesses are remembered */
#define PC_BITS 20

/* An access in a cell. Times of a CTA are cycles since it started, + 1; 0 = never. */
struct access {
	u32 run;  /* of a CTA: struct run; 0 = none */
	u32 what; /* pc, thread, bits */
	u32 time;
};
#define ACCESS_THREAD(what) ((what) >> PC_BITS & 1023u)
#define ACCESS_PC(what) ((what)&bit_range(PC_BITS))
#define ACCESS_ATOMIC (1u << 30)
#define ACCESS_STRONG (1u << 31)
struct cell {
	struct access w, r[2];
	u32 value; /* that w has written, where known */
	u8 wmask;  /* bytes */
	u8 rmask[2];
	u8 known; /* bytes of value */
};
struct page { /* of device memory */
	struct cell cell[CELLS];
};

/* A CTA from its start to its end; when it begins again, another one. */
struct run {
	u32 number, launch;
	u64 cta, start;
	u32 released[CTA_WARPS]; /* by warp: accesses until then lie before a fence.gl and a strong write behind it */
	u64 signalled;           /* the cycle of its last strong write or atomic */
};
struct lanes {                    /* isa.threads=splits, of a warp */
	u32 full;                     /* all lanes have met last */
	u32 at[WARP_SIZE][WARP_SIZE]; /* [a][b]: up to when a knows what b did */
};
enum { FENCE_OF_CTA, FENCE_OF_GPU, FENCE_SCOPES };
struct check_cta { /* a CTA that is on an SM */
	u32 run, nwarps;
	u8 grain;  /* log2 of the bytes of a cell of its shared memory */
	u8 fenced; /* some warp has executed a fence */
	u8 pad[2];
	u32 waited;                      /* warps that know that the kernel before theirs has ended (griddepcontrol.wait) */
	u32 fresh[FENCE_SCOPES];         /* warps with a fence that no strong write has followed */
	u32 clock[CTA_WARPS][CTA_WARPS]; /* [w][v]: up to when w knows what v did */
	u32 fence[FENCE_SCOPES][CTA_WARPS][CTA_WARPS]; /* w's clocks at the last fence that it knows of */
	u32 came[SM_MAX_BARRIERS][CTA_WARPS];          /* when a warp came to a barrier last */
	u32 released[CTA_WARPS];                       /* as of struct run, with fences of any scope */
	u32 mbarriers[CTA_WARPS];                      /* clocks of those that have arrived at mbarriers */
	u64 acquired[CTA_WARPS]; /* the cycle of the last atomic or strong load that a warp knows of */
};

enum { TABLE = 4 * CHECK_FINDINGS };
struct check_state {
	u32 runs, nfound;
	u64 lost, unwatched, pages, notes;
	struct check_finding found[CHECK_FINDINGS];
	u16 table[TABLE]; /* index + 1 */
};

/* What an SM notes in a cycle. */
enum note_kind { NOTE_ACCESS, NOTE_FENCE, NOTE_SYNC, NOTE_COME, NOTE_BARRIER, NOTE_ARRIVE, NOTE_AWAIT, NOTE_GRIDS };
enum {
	NOTE_READ = 1,
	NOTE_WRITE = 2,
	NOTE_IS_ATOMIC = 4,
	NOTE_STRONG = 8,  /* orders, and does not race with its like */
	NOTE_SIGNAL = 16, /* a strong write */
	NOTE_LOOK = 32,   /* a strong read */
	NOTE_BOTH = 64,   /* .release, .acq_rel: a fence, too */
	NOTE_VALUES = 128 /* data is what is written */
};
struct note {
	u8 kind, space, bytes, warp;     /* warp: in its CTA */
	u8 flags, place, front_warp, id; /* place: the warp's on the SM; id: barrier; fence: its scope */
	u32 slot, shared_first; /* the front end's slot; where the CTA's shared memory begins. A CTA may move (vt) */
	u32 run, pc, mask;      /* of a barrier: warps that came */
	u32 waiting;
	u64 addr[WARP_SIZE];
	u8 data[WARP_SIZE * 16];
};
struct notes { /* of an SM; empty between cycles */
	struct note *n;
	u32 used, cap;
};

struct checks {
	bool races, init, splits;
	u32 num_sms, nctas, nwarps, launches;
	u64 shared_bytes; /* of an SM */
	u32 max_pages;
	struct devmem *mem;
	struct arena *arena;
	struct notes *notes; /* by SM */
	/* arena */
	struct check_state *st;
	struct launch_span {
		u64 started, ended;
	} * span;              /* by launch; 0: not yet, else cycle + 1 */
	struct run *run;       /* [RUNS] */
	struct check_cta *cta; /* [sm][the front end's slot] */
	struct lanes *lanes;   /* [sm][the front end's warp]; with splits */
	struct cell *shared;   /* [sm][bytes of its shared memory] */
	u8 *shared_init;       /* [sm] a bit a byte */
	u32 *page_of;          /* by page of device memory: number in page[] + 1 */
	struct page *page;     /* as far as st->pages */
};

/* By the front end's numbers. */
static inline struct check_cta *check_cta_at(const struct checks *k, u32 sm, u32 slot)
{
	return &k->cta[(size_t)sm * k->nctas + slot];
}
static inline struct lanes *check_lanes_at(const struct checks *k, u32 sm, u32 warp)
{
	return &k->lanes[(size_t)sm * k->nwarps + warp];
}
static inline struct run *run_of(const struct checks *k, u32 number)
{
	return &k->run[number % RUNS];
}

#define INIT_SLACK 8 /* bytes behind a map, that may be read */
static inline u64 check_shared_map_bytes(u64 shared_bytes)
{
	return shared_bytes / 8 + INIT_SLACK;
}
static inline u8 *check_shared_init(const struct checks *k, u32 sm)
{
	return k->shared_init + sm * check_shared_map_bytes(k->shared_bytes);
}

/* The warp instruction that is looked at. */
struct view {
	struct sm_ctx *x;
	const struct sm *s;
	struct checks *k;
	struct check_cta *cta;
	const struct run *me;
	const struct lanes *lanes; /* NULL: lanes are in lock step */
	const struct note *note;
	u32 time;
	u64 now;
	u32 what; /* of its accesses, but for the lane */
	u32 past; /* a run of a launch before this one's, the last that was asked for */
	bool news;
};

/* checks_order.c */
void check_sync(struct view *v);
/* What an access does beside itself: before it is looked at, and behind. */
void check_signal(struct view *v);
void check_look(struct view *v);
/* Is that access ordered before this one, of lane `lane`? First what is usual: barriers. */
bool check_ordered_else(struct view *v, const struct access *a, u32 lane);
static inline bool check_ordered(struct view *v, const struct access *a, u32 lane)
{
	const u32 w = v->note->warp, other = ACCESS_THREAD(a->what) / WARP_SIZE;
	if (likely(a->run == v->note->run) && (other == w ? !v->lanes : a->time <= v->cta->clock[w][other]))
		return true;
	return check_ordered_else(v, a, lane);
}
/* checks_cells.c */
void check_access(struct view *v);
/* checks_find.c: a new or known pair. first NULL: uninitialised. */
struct finding_args {
	enum check_kind kind;
	bool same;
	u32 lane, bytes;
	u64 addr;
	const struct access *first;
	bool first_stores;
};
void check_found(struct view *v, const struct finding_args *f);
#endif
