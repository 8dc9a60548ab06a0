/* Cubins: what is read of kernels in those up to sm_89 and in later ones, and what is said of damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/rig/fatbin_writer.h"
#include "session/app/cubin.h"

static const struct kernel_spec kernels[] = {
    {.name = "_Z5saxpyPf", .regs = 12, .shared_bytes = 1200, .max_threads = 256},
    {.name = "helper", .regs = 99, .function = true},
    {.name = "deep", .regs = 255, .frame_bytes = 40, .stack_bytes = 48, .max_threads = 64, .exact = true},
    {.name = "plain", .regs = 1, .frame_bytes = 16},
};

static void numbers_of_kernels(void **state)
{
	static const u32 chips[] = {50, 75, 89, 90, 100};
	for (u32 i = 0; i < ARRAY_LEN(chips); i++) {
		struct strbuf b = STRBUF_INIT;
		struct cubin c;
		struct err e = {0};
		cubin_write(&b, kernels, ARRAY_LEN(kernels), chips[i]);
		if (!cubin_read(&c, "app", b.buf, b.len, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(c.n, 3);
		assert_null(cubin_kernel(&c, "helper"));
		for (u32 k = 0; k < ARRAY_LEN(kernels); k++) {
			const struct kernel_spec *want = &kernels[k];
			const struct cubin_kernel *got = cubin_kernel(&c, want->name);
			if (want->function)
				continue;
			assert_non_null(got);
			assert_int_equal(got->regs, want->regs);
			assert_int_equal(got->shared_bytes, want->shared_bytes);
			assert_int_equal(got->frame_bytes, want->frame_bytes);
			assert_int_equal(got->stack_bytes, MAX(want->stack_bytes, want->frame_bytes));
			assert_int_equal(got->max_threads[0], want->max_threads);
			assert_int_equal(got->max_threads[2], want->max_threads ? 1 : 0);
			assert_int_equal(got->exact_threads, want->exact);
		}
		cubin_release(&c);
		strbuf_release(&b);
	}
}

/* Where a section's header, or an entry of a table, is in what cubin_write() makes. */
static size_t header_at(const struct strbuf *b, u32 section)
{
	Elf64_Ehdr h;
	memcpy(&h, b->buf, sizeof h);
	return h.e_shoff + section * sizeof(Elf64_Shdr);
}

static size_t bytes_at(const struct strbuf *b, u32 section)
{
	Elf64_Shdr s;
	memcpy(&s, b->buf + header_at(b, section), sizeof s);
	return s.sh_offset;
}

#define OF_HEADER(s, field) 1, s, offsetof(Elf64_Shdr, field), sizeof(((Elf64_Shdr *)0)->field)
#define OF_BYTES(s, at, n) 2, s, at, n
#define OF_FILE(field) 0, 0, offsetof(Elf64_Ehdr, field), sizeof(((Elf64_Ehdr *)0)->field)

static void damages(void **state)
{
	static const struct {
		u32 of, section, at, bytes;
		u64 value;
		const char *says;
	} t[] = {
	    {OF_FILE(e_ident[0]), 0, "app: is no ELF file ("},
	    {OF_FILE(e_ident[EI_CLASS]), ELFCLASS32, "app: is no ELF file of 64 bits, little-endian"},
	    {OF_FILE(e_ident[EI_DATA]), ELFDATA2MSB, "app: is no ELF file of 64 bits, little-endian"},
	    {OF_FILE(e_machine), EM_X86_64, "app: is for ELF machine 62, not for CUDA (190)"},
	    {OF_FILE(e_shoff), UINT64_MAX - 9, "app: its table of 14 sections at 18446744073709551606 reaches beyond its "},
	    {OF_FILE(e_shnum), 60000, "app: its table of 60000 sections at "},
	    {OF_FILE(e_shentsize), 40, "app: its table of 14 sections at "},
	    {OF_FILE(e_shstrndx), 14, "app: section 14 of 14 is named"},
	    {OF_FILE(e_shstrndx), CUBIN_SYMBOLS, "is not in section 3"},
	    {OF_HEADER(CUBIN_INFO, sh_offset), UINT64_MAX, "app: section 4 ("},
	    {OF_HEADER(CUBIN_INFO, sh_size), 1 << 20, "app: section 4 (1048576 B at "},
	    {OF_HEADER(CUBIN_INFO, sh_name), 1 << 20, "app: the name at 1048576 is not in section 1"},
	    {OF_HEADER(CUBIN_SYMBOLS, sh_link), 99, "app: section 99 of 14 is named"},
	    {OF_HEADER(CUBIN_SYMBOLS, sh_size), 1 << 20, "app: section 3 (1048576 B at "},
	    {OF_HEADER(CUBIN_STRINGS, sh_size), 3, "app: the name at 1 is not in section 2"},
	    {OF_BYTES(CUBIN_SYMBOLS, 24, 4), 7000, "app: the name at 7000 is not in section 2"},
	    {OF_BYTES(CUBIN_SYMBOLS, 30, 2), 77, "app: section 77 of 14 is named"},
	    {OF_BYTES(CUBIN_INFO, 0, 1), 9, "app: .nv.info: attribute 0x11 (format 9, 0 B) is damaged: "},
	    {OF_BYTES(CUBIN_INFO, 2, 2), 999, "app: .nv.info: attribute 0x11 (format 4, 999 B) is damaged: "},
	    {OF_BYTES(6, 6, 2), 13, "app: .nv.info._Z5saxpyPf: attribute 0x05 (format 4, 13 B) is damaged: 12 B are left"},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		struct strbuf b = STRBUF_INIT;
		struct cubin c;
		struct err e = {0};
		cubin_write(&b, kernels, ARRAY_LEN(kernels), 75);
		const size_t from = t[i].of == 1 ? header_at(&b, t[i].section) : t[i].of == 2 ? bytes_at(&b, t[i].section) : 0;
		put_number((u8 *)b.buf + from + t[i].at, t[i].value, t[i].bytes);
		if (cubin_read(&c, "app", b.buf, b.len, &e))
			fail_msg("damage %u was not seen; '%s' was to be said", i, t[i].says);
		if (!strstr(e.msg, t[i].says))
			fail_msg("damage %u: '%s' was said, not '%s'", i, e.msg, t[i].says);
		strbuf_release(&b);
	}
}

/* A symbol that is no kernel's, sections whose bytes are not in the file, no kernels at all: nothing is wrong. */
static void what_is_of_others(void **state)
{
	struct strbuf b = STRBUF_INIT;
	struct cubin c;
	struct err e = {0};
	cubin_write(&b, kernels, ARRAY_LEN(kernels), 90);
	put_number((u8 *)b.buf + bytes_at(&b, CUBIN_INFO) + 4, 7000, 4); /* registers of the first kernel: of whom? */
	put_number((u8 *)b.buf + header_at(&b, 7) + offsetof(Elf64_Shdr, sh_type), SHT_LOPROC + 10,
	           4); /* .nv.shared: no bytes */
	put_number((u8 *)b.buf + header_at(&b, 7) + offsetof(Elf64_Shdr, sh_size), 1 << 20, 8);
	assert_true(cubin_read(&c, "app", b.buf, b.len, &e));
	assert_int_equal(cubin_kernel(&c, "_Z5saxpyPf")->regs, 0);
	assert_int_equal(cubin_kernel(&c, "_Z5saxpyPf")->shared_bytes, (1 << 20) - 1024);
	assert_int_equal(cubin_kernel(&c, "deep")->regs, 255);
	cubin_release(&c);
	strbuf_clear(&b);
	cubin_write(&b, NULL, 0, 75);
	assert_true(cubin_read(&c, "app", b.buf, b.len, &e));
	assert_int_equal(c.n, 0);
	cubin_release(&c);
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_of_kernels), cmocka_unit_test(damages),
	                                   cmocka_unit_test(what_is_of_others)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
