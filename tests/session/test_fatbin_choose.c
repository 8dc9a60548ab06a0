/* Which member of a fat binary is for a chip, what is said if none is, and PTX of several containers in one module. */
#include "tests/rig/machine.h"

#include "tests/rig/fatbin_writer.h"

#define HEAD ".version 9.0\n.target sm_75\n.address_size 64\n"

static void reads(struct fatbin *f, const struct strbuf *b)
{
	struct err e = {0};
	if (!fatbin_read(f, "app", b->buf, b->len, &e))
		fail_msg("%s", e.msg);
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */

/* "75 80 90a 100f" as members of a kind; their contents say which one it is. */
static u32 members_of(const char *list, u32 kind, struct member_spec *m)
{
	u32 n = 0;
	for (const char *p = list; *p; n++) {
		char *end;
		m[n] = (struct member_spec){.kind = kind, .sm = (u32)strtoul(p, &end, 10), .data = "text"};
		m[n].flags = *end == 'a' ? FATBIN_CHIP : *end == 'f' ? FATBIN_FAMILY : 0;
		p = end + (*end == 'a' || *end == 'f');
		p += *p == ' ';
	}
	return n;
}

static void chooses_for_a_chip(void **state)
{
	static const struct {
		const char *ptx, *cubins;
		u32 sm;
		const char *takes_ptx, *takes_cubin; /* NULL: none */
		const char *note;                    /* "": none is made */
	} t[] = {
	    {"75", "75", 75, "75", "75", ""},
	    {"75 80 90", "80 75", 86, "80", "80",
	     "app has no machine code for sm_86; registers are those of its code for sm_80"},
	    {"90 80 75", "90 86 75", 86, "80", "86", ""},
	    {"52 61", "61 52", 20, "52", "52",
	     "app has no PTX for sm_20 (PTX is for sm_52, sm_61); that for sm_52 runs, which such a chip would refuse; app has no "
	     "machine code for sm_20; registers are those of its code for sm_52"},
	    {"100 90", "", 75, "90", NULL,
	     "app has no PTX for sm_75 (PTX is for sm_90, sm_100); that for sm_90 runs, which such a chip would refuse"},
	    {"90a 90", "90a", 90, "90", "90a", ""},
	    {"90a 80", "90a", 100, "80", "90a",
	     "app has no machine code for sm_100; registers are those of its code for sm_90"},
	    {"90a 80", "100", 90, "90a", "100",
	     "app has no machine code for sm_90; registers are those of its code for sm_100"},
	    {"90a", "90", 100, "90a", "90",
	     "app has no PTX for sm_100 (PTX is for sm_90); that for sm_90a runs, which such a chip would refuse; app has no "
	     "machine code for sm_100; registers are those of its code for sm_90"},
	    {"100f 90", "103", 103, "100f", "103", ""},
	    {"100f 90", "121", 121, "90", "121", ""},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		struct member_spec m[12], other = {.kind = FATBIN_PTX, .sm = t[i].sm, .data = "other"};
		u32 n = members_of(t[i].ptx, FATBIN_PTX, m);
		n += members_of(t[i].cubins, FATBIN_CUBIN, m + n);
		struct strbuf b = STRBUF_INIT, note = STRBUF_INIT;
		struct err e = {0};
		struct fatbin f;
		container_write(&b, &other, 1); /* another container's does not count */
		container_write(&b, m, n);
		reads(&f, &b);
		const struct fatbin_member *got[] = {fatbin_choose_ptx(&f, 1, t[i].sm, &note, &e),
		                                     fatbin_choose_cubin(&f, 1, t[i].sm, &note)};
		const char *want[] = {t[i].takes_ptx, t[i].takes_cubin};
		for (u32 k = 0; k < 2; k++) {
			char name[16] = "none";
			if (got[k])
				snprintf(name, sizeof name, "%u%s", got[k]->sm,
				         got[k]->flags & FATBIN_CHIP     ? "a"
				         : got[k]->flags & FATBIN_FAMILY ? "f"
				                                         : "");
			if (strcmp(name, want[k] ? want[k] : "none"))
				fail_msg("case %u: %s is taken, not %s", i, name, want[k]);
			assert_true(!got[k] || got[k]->kind == (k ? FATBIN_CUBIN : FATBIN_PTX));
		}
		assert_string_equal(strbuf_str(&note), t[i].note);
		fatbin_release(&f);
		strbuf_release(&note);
		strbuf_release(&b);
	}
}

static void no_ptx_says_how(void **state)
{
	static const struct {
		const char *members;
		u32 kind, sm;
		const char *says;
	} t[] = {
	    {"86 75 86", FATBIN_CUBIN, 80,
	     "fat binary of app: container 0 has machine code for sm_75, sm_86 and no PTX; the simulator runs PTX. Compile the "
	     "program with -gencode arch=compute_75,code=compute_75"},
	    {"86 75", FATBIN_CUBIN, 35,
	     "fat binary of app: container 0 has machine code for sm_75, sm_86 and no PTX; the simulator runs PTX. Compile the "
	     "program with -gencode arch=compute_75,code=compute_75"},
	    {"90", FATBIN_LTO, 90,
	     "fat binary of app: container 0 has LTO IR for sm_90 and no PTX; the simulator runs PTX. Compile the program with "
	     "-gencode arch=compute_90,code=compute_90"},
	    {"90", 77, 90, "fat binary of app: container 0 has neither PTX nor machine code"},
	};
	for (u32 i = 0; i < ARRAY_LEN(t); i++) {
		struct member_spec m[4];
		struct strbuf b = STRBUF_INIT;
		struct err e = {0};
		struct fatbin f;
		container_write(&b, m, members_of(t[i].members, t[i].kind, m));
		reads(&f, &b);
		assert_null(fatbin_choose_ptx(&f, 0, t[i].sm, NULL, &e));
		assert_string_equal(e.msg, t[i].says);
		fatbin_release(&f);
		strbuf_release(&b);
	}
}

/* --- several containers, one module ------------------------------------------------------------------------------- */

#define SIG ".func (.param .b32 r) f ()"
#define CALLER                                                                                                         \
	HEAD ".extern " SIG ";\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"                 \
	     "ld.param.u64 %d0, [p];\ncvta.to.global.u64 %d1, %d0;\ncall (%r0), f;\nst.global.u32 [%d1], %r0;\nret;\n}\n"
#define CALLED HEAD ".visible " SIG "\n{\n.reg .b32 %r;\nmov.b32 %r, 77;\nst.param.b32 [r], %r;\nret;\n}\n"

/* As an -rdc program has them: a kernel in one translation unit calls a function of another. */
static void linked_from_memory(void **state)
{
	const struct member_spec a = {.kind = FATBIN_PTX, .sm = 75, .flags = FATBIN_ZSTD, .data = CALLER},
	                         c = {.kind = FATBIN_PTX, .sm = 75, .flags = FATBIN_LZ4, .data = CALLED};
	struct strbuf b = STRBUF_INIT;
	struct source_text part[2];
	struct err e = {0};
	struct fatbin f;
	container_write(&b, &a, 1);
	container_write(&b, &c, 1);
	reads(&f, &b);
	for (u32 i = 0; i < 2; i++) {
		part[i].text = fatbin_unpack(&f, &f.m[i], &part[i].len, &e);
		assert_non_null(part[i].text);
		part[i].name = i ? "app:called" : "app:caller";
	}
	struct sim *s = machine(NULL);
	struct module *m = sim_load_linked_text(s, part, 2, &e);
	if (!m)
		fail_msg("%s", e.msg);
	u64 at = devmem_alloc(sim_devmem(s), 64, "out", &e);
	u32 value = 0;
	struct launch_spec l = {
	    .mod = m, .fn = module_func(m, "k", true), .grid = {1}, .block = {32}, .params = &at, .param_bytes = 8};
	struct stop st;
	assert_int_equal(sim_launch(s, &l, &e), 0);
	assert_int_equal(sim_run(s, NEVER, &st), STOP_IDLE);
	assert_true(devmem_read(sim_devmem(s), at, &value, 4, &e));
	assert_int_equal(value, 77);
	/* Messages name the part. */
	struct source_text twice[] = {part[0], {.name = "app:again", .text = part[0].text, .len = part[0].len}};
	assert_null(sim_load_linked_text(s, twice, 2, &e));
	assert_string_equal(e.msg, "app:again:5:17: 'k' is defined twice (first at app:caller:5:17)");
	sim_destroy(s);
	for (u32 i = 0; i < 2; i++)
		free((char *)part[i].text);
	fatbin_release(&f);
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(chooses_for_a_chip), cmocka_unit_test(no_ptx_says_how),
	                                   cmocka_unit_test(linked_from_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
