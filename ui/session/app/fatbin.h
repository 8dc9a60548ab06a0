/* fatbin: fat binaries, in which nvcc embeds a program's device code.
 *
 * A fat binary is one container or several, one behind the other (the section .nv_fatbin; __nv_relfatbin of -rdc
 * programs). A container has members: PTX, cubins (machine code) and others, each for one chip, as they are or
 * compressed. A container is what one translation unit embeds: one of its members is run.
 *
 *   struct fatbin f;
 *   if (!fatbin_read(&f, "app", bytes, len, &e)) ...
 *   const struct fatbin_member *m = fatbin_choose_ptx(&f, 0, 75, &note, &e);
 *   char *text = m ? fatbin_unpack(&f, m, &text_len, &e) : NULL;
 *
 * Reading looks at headers only; fatbin_unpack() decompresses one member. */
#ifndef UI_SESSION_APP_FATBIN_H
#define UI_SESSION_APP_FATBIN_H
#include "base/base.h"
#include "base/err.h"
#include "base/strbuf.h"

#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_HEAD 16 /* B that say how long a container is */
/* No member is unpacked to more. */
#define FATBIN_UNPACKED_MAX (256u << 20)

enum fatbin_kind {
	FATBIN_PTX = 1,
	FATBIN_CUBIN = 2,
	FATBIN_LTO = 8, /* NVVM IR for linking: neither text nor machine code */
};                  /* others are kept by their number */
enum fatbin_flags {
	FATBIN_64BIT = 1 << 0,
	FATBIN_DEBUG = 1 << 1,
	FATBIN_LZ4 = 1 << 13,
	FATBIN_ZSTD = 1 << 15,
	FATBIN_CHIP = 1 << 20,   /* sm_90a: for that chip alone */
	FATBIN_FAMILY = 1 << 21, /* sm_100f: for that chip and later ones of its major version */
};
struct fatbin_member {
	u32 kind;             /* enum fatbin_kind */
	u32 sm;               /* 75: compute capability 7.5 */
	u64 flags;            /* enum fatbin_flags, and others */
	u32 container, index; /* where it is, from 0 */
	char *name;           /* of the source file; NULL: not written (nvcc writes it with -g) */
	char *options;        /* PTX: ptxas's options, as "-maxrregcount=40"; NULL: none */
	const u8 *packed;     /* in the bytes that were read */
	size_t packed_len;
	size_t len; /* unpacked; of PTX with what follows the text */
};
struct fatbin {
	char *label; /* what is read, for messages: a program's name */
	struct fatbin_member *m;
	u32 n, containers;
};

/* The length of a container, from its first FATBIN_HEAD bytes; 0: no container begins there. A program's wrapper
 * (__cudaRegisterFatBinary) has an address only. */
u64 fatbin_container_bytes(const void *head);

/* Reads the members' headers. `bytes` must live as long as *f. False with *e, which names the container, the member and
 * what is wrong with it; *f needs no release then. Zeros between and behind containers are padding. */
bool fatbin_read(struct fatbin *f, const char *label, const void *bytes, size_t len, struct err *e);
void fatbin_release(struct fatbin *f);

/* "container 0, member 2 (PTX for sm_90a)" */
void fatbin_member_label(const struct fatbin_member *m, struct strbuf *out);

/* A member's contents, decompressed, with a zero behind them: PTX without what follows the text, others as they are.
 * To be freed by the caller. NULL with *e: damaged, compressed in an unknown way, larger than FATBIN_UNPACKED_MAX. */
char *fatbin_unpack(const struct fatbin *f, const struct fatbin_member *m, size_t *len, struct err *e);

/* The PTX of a container for a chip of compute capability `sm`: the one for the highest chip up to `sm`, as the CUDA
 * driver chooses. Of several for that chip it is the one without special instructions (sm_90 before sm_90a). If there
 * is none, the nearest that the driver would refuse: the simulator runs it. Then *note (NULL is allowed) gets a
 * sentence that says so, without a full stop, behind "; " if there is text already. NULL with *e: there is no PTX. The
 * message names the chips of its machine code and says how to compile. */
const struct fatbin_member *fatbin_choose_ptx(const struct fatbin *f, u32 container, u32 sm, struct strbuf *note,
                                              struct err *e);
/* The cubin that says most of how a compiler fits the code to that chip (cubin.h): the chip's own, else that of the
 * nearest chip below, else of the nearest above. *note gets a sentence likewise, unless it is the chip's own. NULL: no
 * cubin. */
const struct fatbin_member *fatbin_choose_cubin(const struct fatbin *f, u32 container, u32 sm, struct strbuf *note);
#endif
