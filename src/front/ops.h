/* ops: a front end as the rest sees it: one const struct, and a line in all.def. front.h includes this file and
 * describes each entry under front_NAME().
 *
 * Required: name, help, one of load_files and load_texts, state_bytes, create, destroy, cta_start, and the four of
 * every instruction and cycle. The others may be NULL; what front_NAME() then does is written beside them. */
#ifndef FRONT_OPS_H
#define FRONT_OPS_H

#define FRONT_OP(name) __typeof__(front_##name) *(name)
struct front_ops {
	const char *name, *help; /* help: a line, for `front` in conf.def's list */
	struct module *(*load_files)(const struct conf *c, const char *const *paths, u32 n, struct err *e);
	struct module *(*load_texts)(const struct conf *c, const struct source_text *texts, u32 n, struct err *e);
	u64 (*state_bytes)(const struct conf *c);
	struct front *(*create)(const struct conf *c, struct arena *state, struct devmem *mem, struct err *e);
	FRONT_OP(destroy);
	/* programs, launches, CTAs */
	FRONT_OP(place);          /* nothing to be placed */
	FRONT_OP(grid_workspace); /* an error: no cooperative launches */
	FRONT_OP(check_launch);   /* everything that fits an SM goes */
	FRONT_OP(kernel_start);
	FRONT_OP(cta_start);
	FRONT_OP(barrier_release);
	FRONT_OP(cta_save);    /* 0: CTAs cannot be saved */
	FRONT_OP(cta_restore); /* needed with cta_save */
	/* of every instruction and cycle */
	FRONT_OP(pc);
	FRONT_OP(active_mask);
	FRONT_OP(issue);
	FRONT_OP(commit);
	FRONT_OP(read);   /* with commit.delay only; NULL: nothing is read late */
	FRONT_OP(queued); /* 0 */
	/* faults and output */
	FRONT_OP(fault);       /* there never is one */
	FRONT_OP(raise_fault); /* needed where idempotence is recorded */
	FRONT_OP(clear_fault);
	FRONT_OP(fault_text);
	FRONT_OP(take_printf);
	/* textures */
	FRONT_OP(bind_texture); /* an error, as for the two below */
	FRONT_OP(texture_object);
	FRONT_OP(surface_object);
	/* going back in time */
	FRONT_OP(host_save); /* everything is in the arena */
	FRONT_OP(host_restore);
	/* inspection */
	FRONT_OP(check_state); /* true */
	FRONT_OP(stack);       /* one entry, made of pc and active_mask */
	FRONT_OP(warp_hash);   /* of pc and active_mask */
	FRONT_OP(deep_hash);   /* 0 */
	FRONT_OP(read_reg);    /* 0: it has no values */
	FRONT_OP(stored);      /* false */
	FRONT_OP(write_reg);   /* false */
	FRONT_OP(read_local);  /* false */
	FRONT_OP(lock);        /* NULL */
	FRONT_OP(heap);        /* false */
	FRONT_OP(heap_block);  /* false */
	FRONT_OP(shared);      /* NULL */
	/* mbarriers: no front end says DYN_PHASE, DYN_AWAIT or DYN_COPY_ARRIVE without them */
	FRONT_OP(mbarriers);     /* 0 */
	FRONT_OP(mbarrier_wait); /* false */
	FRONT_OP(mbarrier_poll);
	FRONT_OP(copies_arrive);
};
#undef FRONT_OP
#endif
