/* fatbin_writer: fat binaries and cubins as nvcc 13 writes them, made here: containers with PTX and cubins, plain or
 * compressed, and cubins with the tables that describe kernels. Behind cmocka.h. */
#ifndef TESTS_RIG_FATBIN_WRITER_H
#define TESTS_RIG_FATBIN_WRITER_H
#include <elf.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bits.h"
#include "base/strbuf.h"
#include "session/app/fatbin.h"

struct member_spec {
	u32 kind, sm;
	u64 flags; /* FATBIN_LZ4 or FATBIN_ZSTD: it is compressed so */
	const char *name, *options;
	const void *data; /* PTX: a text */
	size_t len;       /* 0: of the text */
};

static inline void put_number(u8 *p, u64 v, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++)
		p[i] = (u8)(v >> 8 * i);
}

static inline void put_zeros(struct strbuf *out, size_t n)
{
	while (n--)
		strbuf_addc(out, 0);
}

static inline size_t packed(const struct member_spec *m, const void *data, size_t len, char *out, size_t room)
{
	if (m->flags & FATBIN_LZ4)
		return (size_t)LZ4_compress_default(data, out, (int)len, (int)room);
	if (m->flags & FATBIN_ZSTD)
		return ZSTD_compress(out, room, data, len, 3);
	memcpy(out, data, len);
	return len;
}

static inline void member_write(struct strbuf *out, const struct member_spec *m)
{
	const size_t len = m->len ? m->len : strlen(m->data) + 1, room = len + len / 8 + 1024;
	const size_t name_len = m->name ? strlen(m->name) : 0, options_len = m->options ? strlen(m->options) : 0;
	const u32 name_at = 64, options_at = name_at + (u32)round_up(name_len, 8);
	const u32 head_len = options_at + (m->kind == FATBIN_PTX ? 8 + (u32)round_up(options_len, 8) : 0);
	char *bytes = xcalloc(room, 1);
	size_t n = packed(m, m->data, len, bytes, room);
	u8 *head = xcalloc(head_len, 1);
	bool plain = !(m->flags & (FATBIN_LZ4 | FATBIN_ZSTD));
	put_number(head, m->kind, 2);
	put_number(head + 2, 0x101, 2);
	put_number(head + 4, head_len, 4);
	put_number(head + 8, round_up(n, 8), 8);
	put_number(head + 16, plain ? 0 : n, 4);
	put_number(head + 28, m->sm, 4);
	put_number(head + 40, m->flags | FATBIN_64BIT, 8);
	put_number(head + 56, plain ? 0 : len, 8);
	if (m->name) {
		put_number(head + 32, name_at, 4);
		put_number(head + 36, name_len, 4);
		memcpy(head + name_at, m->name, name_len);
	}
	if (m->kind == FATBIN_PTX) {
		put_number(head + 20, options_at, 4);
		put_number(head + options_at, options_at + 8, 4);
		put_number(head + options_at + 4, options_len, 4);
		memcpy(head + options_at + 8, m->options ? m->options : "", options_len);
	}
	strbuf_add(out, (char *)head, head_len);
	strbuf_add(out, bytes, n);
	put_zeros(out, round_up(n, 8) - n);
	free(head);
	free(bytes);
}

/* A container with these members, at the end of *out. */
static inline void container_write(struct strbuf *out, const struct member_spec *m, u32 n)
{
	u8 head[FATBIN_HEAD] = {0};
	size_t at = out->len;
	strbuf_add(out, (char *)head, sizeof head);
	for (u32 i = 0; i < n; i++)
		member_write(out, &m[i]);
	put_number((u8 *)out->buf + at, FATBIN_MAGIC, 4);
	put_number((u8 *)out->buf + at + 4, 1, 2);
	put_number((u8 *)out->buf + at + 6, FATBIN_HEAD, 2);
	put_number((u8 *)out->buf + at + 8, out->len - at - FATBIN_HEAD, 8);
}

/* --- cubins ------------------------------------------------------------------------------------------------------- */

struct kernel_spec {
	const char *name;
	u32 regs, shared_bytes, frame_bytes, stack_bytes;
	u32 max_threads; /* 0: not given */
	bool exact;
	bool function; /* no kernel */
};

struct section_spec {
	Elf64_Shdr h;
	char name[200];
	struct strbuf bytes;
};

struct cubin_writer {
	struct section_spec s[64];
	u32 n;
};

static inline struct section_spec *section_add(struct cubin_writer *w, u32 type, const char *prefix, const char *name)
{
	BUG_ON(w->n == ARRAY_LEN(w->s));
	struct section_spec *s = &w->s[w->n++];
	s->h.sh_type = type;
	snprintf(s->name, sizeof s->name, "%s%s", prefix, name);
	return s;
}

static inline void attribute_write(struct section_spec *s, u8 attribute, const u32 *words, u32 n)
{
	u8 head[4] = {4, attribute, (u8)(4 * n), 0};
	strbuf_add(&s->bytes, (char *)head, 4);
	strbuf_add(&s->bytes, (const char *)words, 4 * n);
}

enum { CUBIN_NAMES = 1, CUBIN_STRINGS, CUBIN_SYMBOLS, CUBIN_INFO };

static inline void kernel_write(struct cubin_writer *w, const struct kernel_spec *k, u32 sm)
{
	struct strbuf *strings = &w->s[CUBIN_STRINGS].bytes, *symbols = &w->s[CUBIN_SYMBOLS].bytes;
	const u32 symbol = (u32)(symbols->len / sizeof(Elf64_Sym));
	const u8 half[] = {3, 0x1b, 0xff, 0};
	Elf64_Sym sym = {.st_name = (u32)strings->len,
	                 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	                 .st_other = k->function ? 0 : 0x10,
	                 .st_shndx = (u16)w->n,
	                 .st_size = 16};
	strbuf_add(strings, k->name, strlen(k->name) + 1);
	strbuf_add(symbols, (char *)&sym, sizeof sym);
	struct section_spec *code = section_add(w, SHT_PROGBITS, ".text.", k->name);
	code->h.sh_info = symbol | (sm < 90 ? k->regs << 24 : 0);
	put_zeros(&code->bytes, 16);
	if (sm >= 90)
		attribute_write(&w->s[CUBIN_INFO], 0x2f, (u32[]){symbol, k->regs}, 2);
	attribute_write(&w->s[CUBIN_INFO], 0x11, (u32[]){symbol, k->frame_bytes}, 2);
	if (k->stack_bytes)
		attribute_write(&w->s[CUBIN_INFO], 0x12, (u32[]){symbol, k->stack_bytes}, 2);
	struct section_spec *info = section_add(w, SHT_LOPROC, ".nv.info.", k->name);
	strbuf_add(&info->bytes, (const char *)half, sizeof half);
	info->h.sh_link = CUBIN_SYMBOLS;
	if (k->max_threads)
		attribute_write(info, k->exact ? 0x10 : 0x05, (u32[]){k->max_threads, 1, 1}, 3);
	if (k->shared_bytes)
		section_add(w, SHT_NOBITS, ".nv.shared.", k->name)->h.sh_size = k->shared_bytes + (sm >= 90 ? 1024 : 0);
}

/* A cubin for sm: its section headers come last, as ptxas writes them. */
static inline void cubin_write(struct strbuf *out, const struct kernel_spec *k, u32 n, u32 sm)
{
	struct cubin_writer w = {.n = 1};
	section_add(&w, SHT_STRTAB, ".shstrtab", "");
	section_add(&w, SHT_STRTAB, ".strtab", "");
	section_add(&w, SHT_SYMTAB, ".symtab", "")->h.sh_link = CUBIN_STRINGS;
	section_add(&w, SHT_LOPROC, ".nv.info", "")->h.sh_link = CUBIN_SYMBOLS;
	put_zeros(&w.s[CUBIN_STRINGS].bytes, 1);
	put_zeros(&w.s[CUBIN_SYMBOLS].bytes, sizeof(Elf64_Sym));
	for (u32 i = 0; i < n; i++)
		kernel_write(&w, &k[i], sm);
	if (sm >= 90)
		section_add(&w, SHT_NOBITS, ".nv.shared.reserved.0", "");
	for (u32 i = 0; i < w.n; i++) {
		w.s[i].h.sh_name = (u32)w.s[CUBIN_NAMES].bytes.len;
		strbuf_add(&w.s[CUBIN_NAMES].bytes, w.s[i].name, strlen(w.s[i].name) + 1);
	}
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	                .e_machine = 190,
	                .e_shentsize = sizeof(Elf64_Shdr),
	                .e_shnum = (u16)w.n,
	                .e_shstrndx = CUBIN_NAMES};
	const size_t begin = out->len;
	strbuf_add(out, (char *)&h, sizeof h);
	for (u32 i = 0; i < w.n; i++) {
		struct section_spec *s = &w.s[i];
		s->h.sh_offset = out->len - begin;
		s->h.sh_size = s->bytes.len ? s->bytes.len : s->h.sh_size;
		strbuf_add(out, strbuf_str(&s->bytes), s->bytes.len);
		strbuf_release(&s->bytes);
	}
	put_zeros(out, round_up(out->len - begin, 8) - (out->len - begin));
	h.e_shoff = out->len - begin;
	memcpy(out->buf + begin, &h, sizeof h);
	for (u32 i = 0; i < w.n; i++)
		strbuf_add(out, (char *)&w.s[i].h, sizeof w.s[i].h);
}
#endif
