/* elf_storage: the hardware that ELF and ELF++ add to an SM, sized by the configuration (Park 2016, table 3.3). */
#ifndef SM_SCHED_ELF_STORAGE_H
#define SM_SCHED_ELF_STORAGE_H
#include "sm/sched/sched.h"

/* Fills out[POLICY_STORAGE_MAX]; plus: with NewCAR. Returns how many. */
u32 elf_storage(const struct conf *c, bool plus, struct policy_storage *out);
#endif
