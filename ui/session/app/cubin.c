/* Tables of a cubin that describe kernels: symbols, the sections .text.NAME and .nv.shared.NAME, .nv.info and
 * .nv.info.NAME. Entries are copied out of the bytes, which need not be aligned, and are checked before use. */
#include "session/app/cubin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define EM_CUDA_MACHINE 190
#define STO_KERNEL 0x10 /* in a symbol's st_other */
/* From sm_90 on the system has this much of a CTA's shared memory; .nv.shared.NAME has it, too. */
#define SYSTEM_SHARED 1024
#define SYSTEM_SECTION ".nv.shared.reserved.0"

/* Attributes of .nv.info: u8 format, u8 attribute, then u16: a value, or how many bytes follow. */
enum { FORMAT_FIRST = 1, FORMAT_BYTES = 4 };
enum {
	ATTR_MAX_THREADS = 0x05, /* x, y, z: of .maxntid */
	ATTR_REQ_THREADS = 0x10, /* x, y, z: of .reqntid */
	ATTR_FRAME = 0x11,       /* symbol, bytes; so the next */
	ATTR_MIN_STACK = 0x12,
	ATTR_REGS = 0x2f,
};

struct reader {
	const u8 *p;
	size_t len;
	Elf64_Ehdr h;
	struct cubin *c;
	u32 *symbol; /* of each kernel */
	struct err *e;
};

static bool within(const struct reader *r, u64 at, u64 len)
{
	return at <= r->len && len <= r->len - at;
}

static u32 word(const u8 *p)
{
	return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

static bool section(const struct reader *r, u32 i, Elf64_Shdr *out)
{
	if (i >= r->h.e_shnum)
		return err_set(r->e, "section %u of %u is named", i, r->h.e_shnum);
	memcpy(out, r->p + r->h.e_shoff + (u64)i * sizeof *out, sizeof *out);
	return true;
}

/* Are its bytes in the file? For sections that are read: those of shared memory, SHT_NOBITS or not, have none. */
static bool has_bytes(const struct reader *r, u32 i, const Elf64_Shdr *s)
{
	return within(r, s->sh_offset, s->sh_size) ||
	       err_set(r->e, "section %u (%llu B at %llu) reaches beyond its %zu B", i, (unsigned long long)s->sh_size,
	               (unsigned long long)s->sh_offset, r->len);
}

/* A text of a section of strings; NULL with an error if it does not end there. */
static const char *text(const struct reader *r, u32 strings, u32 at)
{
	Elf64_Shdr s;
	if (!section(r, strings, &s) || (s.sh_type == SHT_STRTAB && !has_bytes(r, strings, &s)))
		return NULL;
	const char *t = s.sh_type == SHT_STRTAB && at < s.sh_size ? (const char *)r->p + s.sh_offset + at : NULL;
	if (t && memchr(t, 0, s.sh_size - at))
		return t;
	err_set(r->e, "the name at %u is not in section %u", at, strings);
	return NULL;
}

static bool read_header(struct reader *r)
{
	if (r->len < sizeof r->h || memcmp(r->p, ELFMAG, SELFMAG))
		return err_set(r->e, "is no ELF file (%zu B)", r->len);
	memcpy(&r->h, r->p, sizeof r->h);
	if (r->h.e_ident[EI_CLASS] != ELFCLASS64 || r->h.e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(r->e, "is no ELF file of 64 bits, little-endian");
	if (r->h.e_machine != EM_CUDA_MACHINE)
		return err_set(r->e, "is for ELF machine %u, not for CUDA (%u)", r->h.e_machine, EM_CUDA_MACHINE);
	if (r->h.e_shentsize != sizeof(Elf64_Shdr) || !within(r, r->h.e_shoff, (u64)r->h.e_shnum * sizeof(Elf64_Shdr)))
		return err_set(r->e, "its table of %u sections at %llu reaches beyond its %zu B", r->h.e_shnum,
		               (unsigned long long)r->h.e_shoff, r->len);
	return true;
}

/* Calls each for every section with its name. */
static bool for_sections(struct reader *r, bool (*each)(struct reader *r, u32 i, const char *name, const Elf64_Shdr *s))
{
	bool ok = true;
	for (u32 i = 0; ok && i < r->h.e_shnum; i++) {
		Elf64_Shdr s;
		const char *name = section(r, i, &s) ? text(r, r->h.e_shstrndx, s.sh_name) : NULL;
		ok = name && each(r, i, name, &s);
	}
	return ok;
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */

/* Up to sm_89 the registers are in the upper byte of a code section's sh_info; later it is 0, and attributes say it. */
static bool add_kernel(struct reader *r, u32 symbol, const Elf64_Sym *s, u32 strings)
{
	struct cubin *c = r->c;
	Elf64_Shdr code;
	const char *name = section(r, s->st_shndx, &code) ? text(r, strings, s->st_name) : NULL;
	if (!name)
		return false;
	if (!(c->n & (c->n - 1))) { /* a power of two, or none yet */
		c->k = xrealloc(c->k, MAX(2 * c->n, 1u) * sizeof *c->k);
		r->symbol = xrealloc(r->symbol, MAX(2 * c->n, 1u) * sizeof *r->symbol);
	}
	r->symbol[c->n] = symbol;
	c->k[c->n++] = (struct cubin_kernel){.name = xstrdup(name), .regs = code.sh_info >> 24};
	return true;
}

static bool read_symbols(struct reader *r)
{
	for (u32 i = 0; i < r->h.e_shnum; i++) {
		Elf64_Shdr table;
		if (!section(r, i, &table) || (table.sh_type == SHT_SYMTAB && !has_bytes(r, i, &table)))
			return false;
		for (u64 k = 0; table.sh_type == SHT_SYMTAB && k < table.sh_size / sizeof(Elf64_Sym); k++) {
			Elf64_Sym s;
			memcpy(&s, r->p + table.sh_offset + k * sizeof s, sizeof s);
			bool kernel = ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_other & STO_KERNEL && s.st_shndx != SHN_UNDEF;
			if (kernel && !add_kernel(r, (u32)k, &s, table.sh_link))
				return false;
		}
		if (table.sh_type == SHT_SYMTAB) /* there is one */
			return true;
	}
	return true;
}

static struct cubin_kernel *find(const struct cubin *c, const char *name)
{
	for (u32 i = 0; i < c->n; i++)
		if (!strcmp(c->k[i].name, name))
			return &c->k[i];
	return NULL;
}

/* The kernel of a section that is called PREFIX.KERNEL; NULL: another section. */
static struct cubin_kernel *kernel_of(const struct reader *r, const char *section_name, const char *prefix)
{
	size_t n = strlen(prefix);
	return strncmp(section_name, prefix, n) ? NULL : find(r->c, section_name + n);
}

/* --- .nv.info ----------------------------------------------------------------------------------------------------- */

static void attribute_of_symbol(struct reader *r, u8 attr, u32 symbol, u32 value)
{
	for (u32 i = 0; i < r->c->n; i++) {
		struct cubin_kernel *k = &r->c->k[i];
		if (r->symbol[i] != symbol) /* also of functions and variables */
			continue;
		if (attr == ATTR_REGS)
			k->regs = value;
		else if (attr == ATTR_FRAME)
			k->frame_bytes = value;
		else if (attr == ATTR_MIN_STACK)
			k->stack_bytes = value;
	}
}

static void attribute_of_kernel(struct cubin_kernel *k, u8 attr, const u8 *v)
{
	if (attr != ATTR_MAX_THREADS && attr != ATTR_REQ_THREADS)
		return;
	for (u32 i = 0; i < 3; i++)
		k->max_threads[i] = word(v + 4 * i);
	k->exact_threads |= attr == ATTR_REQ_THREADS;
}

/* k: the kernel whose section it is; NULL: the attributes name symbols. */
static bool read_info(struct reader *r, const char *name, const Elf64_Shdr *info, struct cubin_kernel *k)
{
	const u8 *p = r->p + info->sh_offset;
	size_t left = info->sh_size;
	while (left >= 4) {
		size_t n = p[0] == FORMAT_BYTES ? p[2] | (size_t)p[3] << 8 : 0;
		if (p[0] < FORMAT_FIRST || p[0] > FORMAT_BYTES || n > left - 4)
			return err_set(r->e, "%s: attribute 0x%02x (format %u, %zu B) is damaged: %zu B are left", name, p[1], p[0],
			               n, left - 4);
		if (k && n >= 12)
			attribute_of_kernel(k, p[1], p + 4);
		else if (!k && n >= 8)
			attribute_of_symbol(r, p[1], word(p + 4), word(p + 8));
		n = MIN(round_up(n, 4) + 4, left);
		p += n;
		left -= n;
	}
	return true;
}

static bool info_section(struct reader *r, u32 i, const char *name, const Elf64_Shdr *s)
{
	struct cubin_kernel *k = kernel_of(r, name, ".nv.info.");
	bool is_info = k || !strcmp(name, ".nv.info");
	return !is_info || (has_bytes(r, i, s) && read_info(r, name, s, k));
}

static bool shared_section(struct reader *r, u32 i, const char *name, const Elf64_Shdr *s)
{
	struct cubin_kernel *k = kernel_of(r, name, ".nv.shared.");
	if (k)
		k->shared_bytes = (u32)MIN(s->sh_size, UINT32_MAX);
	return true;
}

static bool system_section(struct reader *r, u32 i, const char *name, const Elf64_Shdr *s)
{
	for (u32 k = 0; k < r->c->n && !strcmp(name, SYSTEM_SECTION); k++)
		r->c->k[k].shared_bytes -= MIN(r->c->k[k].shared_bytes, SYSTEM_SHARED);
	return true;
}

bool cubin_read(struct cubin *c, const char *label, const void *bytes, size_t len, struct err *e)
{
	struct err why = {0};
	struct reader r = {.p = bytes, .len = len, .c = c, .e = &why};
	*c = (struct cubin){0};
	bool ok = read_header(&r) && read_symbols(&r) && for_sections(&r, info_section) &&
	          for_sections(&r, shared_section) && for_sections(&r, system_section);
	free(r.symbol);
	for (u32 i = 0; i < c->n; i++)
		c->k[i].stack_bytes = MAX(c->k[i].stack_bytes, c->k[i].frame_bytes);
	if (ok)
		return true;
	err_set(e, "%s: %s", label, why.msg);
	cubin_release(c);
	return false;
}

void cubin_release(struct cubin *c)
{
	for (u32 i = 0; i < c->n; i++)
		free(c->k[i].name);
	free(c->k);
	*c = (struct cubin){0};
}

const struct cubin_kernel *cubin_kernel(const struct cubin *c, const char *name)
{
	return find(c, name);
}
