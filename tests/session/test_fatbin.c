/* Fat binaries: what is in them, and what is said of damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/rig/fatbin_writer.h"
#include "tests/rig/rounds.h"
#include "session/app/cubin.h"

#define HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"
#define TEXT HEAD ".visible .entry k()\n{\nret;\n}\n"

static char *unpacked(const struct fatbin *f, u32 i, size_t *len)
{
	struct err e = {0};
	char *t = fatbin_unpack(f, &f->m[i], len, &e);
	if (!t)
		fail_msg("%s", e.msg);
	return t;
}

static void reads(struct fatbin *f, const struct strbuf *b)
{
	struct err e = {0};
	if (!fatbin_read(f, "app", b->buf, b->len, &e))
		fail_msg("%s", e.msg);
}

/* Two containers with padding between them; the second one's members are plain, LZ4 and zstd. */
static void reads_what_was_written(void **state)
{
	static const char machine_code[9] = "\x7f"
	                                    "ELF\0\1\2\3";
	char long_text[9000];
	snprintf(long_text, sizeof long_text, TEXT "//%8000d", 7);
	const struct member_spec first[] = {{.kind = FATBIN_PTX, .sm = 75, .data = TEXT}};
	const struct member_spec second[] = {
	    {.kind = FATBIN_CUBIN, .sm = 90, .flags = FATBIN_CHIP | FATBIN_ZSTD, .data = machine_code, .len = 9},
	    {.kind = FATBIN_PTX, .sm = 80, .flags = FATBIN_LZ4, .data = long_text, .options = " -maxrregcount=40 "},
	    {.kind = FATBIN_PTX, .sm = 100, .flags = FATBIN_ZSTD | FATBIN_FAMILY, .data = long_text, .name = "dir/a.cu "},
	    {.kind = 77, .sm = 60, .data = "other"}};
	static const char *const labels[] = {
	    "container 0, member 0 (PTX for sm_75)", "container 1, member 0 (cubin for sm_90a)",
	    "container 1, member 1 (PTX for sm_80)", "container 1, member 2 (PTX for sm_100f)",
	    "container 1, member 3 (kind 77 for sm_60)"};
	static const size_t lens[] = {sizeof TEXT - 1, 9, 0, 0, 8};
	struct strbuf b = STRBUF_INIT;
	struct fatbin f;
	container_write(&b, first, 1);
	assert_int_equal(fatbin_container_bytes(b.buf), b.len);
	put_zeros(&b, 8);
	container_write(&b, second, 4);
	put_zeros(&b, 3);
	reads(&f, &b);
	assert_int_equal(f.n, 5);
	assert_int_equal(f.containers, 2);
	for (u32 i = 0; i < f.n; i++) {
		struct strbuf label = STRBUF_INIT;
		size_t len;
		char *t = unpacked(&f, i, &len);
		fatbin_member_label(&f.m[i], &label);
		assert_string_equal(label.buf, labels[i]);
		assert_int_equal(len, lens[i] ? lens[i] : strlen(long_text));
		assert_int_equal(t[len], 0);
		assert_memory_equal(t, i ? second[i - 1].data : TEXT, i == 4 ? 5 : len);
		strbuf_release(&label);
		free(t);
	}
	assert_string_equal(f.m[2].options, "-maxrregcount=40");
	assert_null(f.m[3].options);
	assert_string_equal(f.m[3].name, "dir/a.cu");
	assert_null(f.m[1].name);
	fatbin_release(&f);
	strbuf_release(&b);
}

/* One number of a sound fat binary is another: what is said. Places count from the second member, unless `at` is
 * negative: then from the container, at -at - 1. */
static void damages(void **state)
{
	static const struct {
		int at;
		u32 bytes;
		u64 value;
		u64 flags; /* how the member is compressed */
		const char *says;
	} t[] = {
	    {-1, 4, 0x464c457f, 0, "container 0, at byte 0: begins with 0x464c457f, not with 0xba55ed50"},
	    {-5, 2, 2, 0, "container 0: version 2, known is 1"},
	    {-7, 2, 8, 0, "container 0: a header of 8 B and "},
	    {-9, 8, UINT64_MAX, 0, "container 0: a header of 16 B and 18446744073709551615 B of members; there are "},
	    {-9, 8, 100000, 0, "container 0: a header of 16 B and 100000 B of members; there are "},
	    {4, 4, 63, 0, "container 0, member 1 (PTX for sm_80): its header of 63 B is not within 64.."},
	    {4, 4, UINT32_MAX, 0, "(PTX for sm_80): its header of 4294967295 B is not within 64.."},
	    {8, 8, 1 << 20, 0, "(PTX for sm_80): its 1048576 B reach beyond the container, which has "},
	    {8, 8, UINT64_MAX - 60, 0, "(PTX for sm_80): its 18446744073709551555 B reach beyond the container"},
	    {16, 4, 10000, FATBIN_LZ4, "(PTX for sm_80): 10000 compressed B are more than the "},
	    {36, 4, 7000, 0, "(PTX for sm_80): its name's bytes (7000 B at 64) reach beyond its header of "},
	    {32, 4, UINT32_MAX, 0, "(PTX for sm_80): its name's bytes (4 B at 4294967295) reach beyond its header of "},
	    {20, 4, 81, 0, "(PTX for sm_80): the place of its options (81) is beyond its header of "},
	    {76, 4, 90, 0, "(PTX for sm_80): its options (90 B at 80) reach beyond its header of "},
	    {56, 8, 257u << 20, FATBIN_ZSTD, " B, or 269484032 B unpacked, are more than 256 MiB"},
	    {56, 8, UINT64_MAX, FATBIN_ZSTD, " B, or 18446744073709551615 B unpacked, are more than 256 MiB"},
	    {56, 8, 255u << 20, FATBIN_LZ4, " B of LZ4 data cannot become 267386880 B"},
	    {56, 8, 255u << 20, FATBIN_ZSTD, "zstd gives 1043 B, its header says 267386880"},
	    {56, 8, 1042, FATBIN_LZ4, " B are no sound LZ4 data"},
	    {56, 8, 1044, FATBIN_LZ4, "LZ4 gives 1043 B, its header says 1044"},
	    {56, 8, 0, FATBIN_LZ4, " B that become 0 B"},
	    {16, 4, 15, FATBIN_ZSTD, "its 15 B are no sound zstd data: "},
	    {16, 4, 0, FATBIN_ZSTD, "it is marked as compressed, with 0 B that become 1043 B"},
	    {90, 4, UINT32_MAX, FATBIN_ZSTD, "zstd"},
	    {40, 8, FATBIN_ZSTD | FATBIN_LZ4, FATBIN_LZ4, "it is marked as LZ4 and as zstd (flags 0xa000)"},
	    {40, 8, 0x1011, FATBIN_LZ4,
	     "it is compressed in an unknown way (flags 0x1011); LZ4 and zstd are known. "
	     "Compile it with CUDA 11 or later, or with nvcc's option --no-compress"},
	    {40, 8, FATBIN_ZSTD, FATBIN_LZ4, "do not begin as zstd data"},
	    {100, 1, 0, 0, "its text has a zero at byte 12 of "},
	    {88, 1, 0, 0, "its text has a zero at byte 0 of "},
	};
	char text[1100];
	snprintf(text, sizeof text, "%-*d", 1042, 5); /* with its end: 1043 B */
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		const struct member_spec m[] = {
		    {.kind = FATBIN_CUBIN, .sm = 75, .data = "12345678", .len = 8},
		    {.kind = FATBIN_PTX, .sm = 80, .flags = t[i].flags, .data = text, .name = "a.cu", .options = "-g"}};
		struct strbuf b = STRBUF_INIT;
		struct err e = {0};
		struct fatbin f;
		container_write(&b, m, 2);
		const size_t second = FATBIN_HEAD + 64 + 8;
		put_number((u8 *)b.buf + (t[i].at < 0 ? (size_t)(-t[i].at - 1) : second + (size_t)t[i].at), t[i].value,
		           t[i].bytes);
		if (fatbin_read(&f, "app", b.buf, b.len, &e)) {
			size_t len;
			char *out = fatbin_unpack(&f, &f.m[1], &len, &e);
			if (out)
				fail_msg("damage %u was not seen; '%s' was to be said", i, t[i].says);
			fatbin_release(&f);
		}
		if (!strstr(e.msg, t[i].says) || strncmp(e.msg, "fat binary of app: container 0", 30))
			fail_msg("damage %u: '%s' was said, not '%s'", i, e.msg, t[i].says);
		strbuf_release(&b);
	}
}

/* Cut short at any byte it is an error, but where nothing of the container is left out. */
static void cut_short(void **state)
{
	const struct member_spec m[] = {{.kind = FATBIN_PTX, .sm = 75, .data = TEXT}};
	struct strbuf b = STRBUF_INIT;
	container_write(&b, m, 1);
	const size_t first = b.len;
	container_write(&b, m, 1);
	for (size_t n = 0; n < b.len; n++) {
		struct err e = {0};
		struct fatbin f;
		char *copy = malloc(n ? n : 1); /* its end is the sanitizer's */
		memcpy(copy, b.buf, n);
		const bool ok = fatbin_read(&f, "app", copy, n, &e);
		assert_int_equal(ok, n == first);
		if (ok)
			fatbin_release(&f);
		else
			assert_non_null(strstr(e.msg, !n ? "is empty" : n < first ? "container 0: " : "container 1: "));
		free(copy);
	}
	strbuf_release(&b);
}

/* --- damage at random --------------------------------------------------------------------------------------------- */

static u64 seed = 88172645463325252ull;
static u64 draw(u64 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* Everything in it is looked at; what fails says why. */
static void look_at(const char *bytes, size_t len, u32 *sound)
{
	struct err e = {0};
	struct fatbin f;
	if (!fatbin_read(&f, "app", bytes, len, &e)) {
		assert_true(e.set);
		return;
	}
	for (u32 i = 0; i < f.n; i++) {
		struct err why = {0};
		struct cubin c;
		size_t n = 0;
		char *t = fatbin_unpack(&f, &f.m[i], &n, &why);
		fatbin_choose_ptx(&f, f.m[i].container, 80, NULL, NULL);
		if (t && f.m[i].kind == FATBIN_CUBIN && cubin_read(&c, "cubin", t, n, &why)) {
			++*sound;
			cubin_release(&c);
		}
		assert_true(why.set || t);
		free(t);
	}
	fatbin_release(&f);
}

static void any_damage(void **state)
{
	const struct kernel_spec k[] = {{.name = "a", .regs = 20, .shared_bytes = 100, .max_threads = 128},
	                                {.name = "b", .regs = 200, .frame_bytes = 8}};
	struct strbuf cubin[2] = {STRBUF_INIT, STRBUF_INIT}, b = STRBUF_INIT;
	cubin_write(&cubin[0], k, 2, 75);
	cubin_write(&cubin[1], k, 2, 90);
	const struct member_spec m[] = {
	    {.kind = FATBIN_CUBIN, .sm = 75, .data = cubin[0].buf, .len = cubin[0].len},
	    {.kind = FATBIN_CUBIN, .sm = 90, .flags = FATBIN_ZSTD, .data = cubin[1].buf, .len = cubin[1].len},
	    {.kind = FATBIN_PTX, .sm = 75, .flags = FATBIN_LZ4, .data = TEXT TEXT TEXT, .name = "a.cu", .options = "-g"}};
	container_write(&b, m, 1);
	container_write(&b, m + 1, 2);
	u32 sound = 0, looked = rounds("WARPDBG_DAMAGES", 20000, 5000);
	static const u64 odd[] = {0, 1, 8, 64, UINT32_MAX, INT32_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 7};
	for (u32 i = 0; i < looked; i++) {
		const size_t len = draw(4) ? b.len : draw(b.len);
		char *copy = malloc(b.len);
		memcpy(copy, b.buf, b.len);
		for (u64 changes = 1 + draw(4); changes; changes--) {
			const size_t at = draw(b.len - 8);
			if (draw(2))
				copy[at] ^= (char)(1 << draw(8));
			else
				put_number((u8 *)copy + at, odd[draw(ARRAY_LEN(odd))], draw(2) ? 8 : 4);
		}
		copy = realloc(copy, len ? len : 1);
		look_at(copy, len, &sound);
		free(copy);
	}
	assert_in_range(sound, looked / 20, 2 * looked); /* damage comes to the cubins, too */
	strbuf_release(&b);
	strbuf_release(&cubin[0]);
	strbuf_release(&cubin[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(reads_what_was_written), cmocka_unit_test(damages),
	                                   cmocka_unit_test(cut_short), cmocka_unit_test(any_damage)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
