/* The modelled chip as CUDA programs are told of it. */
#include <stdio.h>

#include "session/app/app.h"

/* The most that a CTA may have by default: 48 KB since Fermi (CUDA C++ Programming Guide, technical specifications). */
#define SHARED_USUAL 49152u

void device_of(const struct session *s, struct wire_device *d)
{
	const struct conf *c = &s->conf;
	*d = (struct wire_device){.major = c->cuda_capability / 10,
	                          .minor = c->cuda_capability % 10,
	                          .sms = c->num_sms,
	                          .warp_size = WARP_SIZE,
	                          .threads_per_sm = c->sm_threads,
	                          .ctas_per_sm = c->sm_ctas,
	                          .threads_per_cta = MIN(c->sm_threads, 1024u),
	                          .regs_per_sm = c->sm_regs,
	                          .regs_per_cta = MIN(c->sm_regs, 65536u),
	                          .regs_per_thread = c->sm_max_regs_thread,
	                          .shared_per_sm = c->sm_shared,
	                          .shared_per_cta = MIN(conf_cta_shared(c), SHARED_USUAL),
	                          .shared_per_cta_optin = conf_cta_shared(c),
	                          .core_khz = (u32)(c->core_clock * 1000),
	                          .memory_khz = (u32)(c->dram_clock * 1000),
	                          .bus_bits = c->partitions * c->dram_bus * 8,
	                          .l2_bytes = c->l2_sets * c->l2_ways * c->l2_line * c->partitions * c->l2_slices,
	                          .texture_pitch = 32,
	                          .texture_alignment = 512,
	                          .memory_bytes = (u64)c->heap_mb << 20,
	                          .constant_bytes = 65536,
	                          .first_address = DEVMEM_BASE,
	                          .last_address = DEVMEM_BASE + ((u64)c->heap_mb << 20)};
	snprintf(d->name, sizeof d->name, "%.127s", c->cuda_name);
}
