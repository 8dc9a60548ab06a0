/* Shared variables by name, as the CUDA source calls them: x, watch, and what print says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <unistd.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

static void open_hotspot(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", NULL};
	rig_open(r, argv);
	rig_say(r, "step 700");
}

/* hotspot.cu: `now`, `next`, `heat`, 1024 bytes each, in this order. */
static void names_are_offsets(void **state)
{
	static const char *const same[][2] = {
	    {"x/4xw shared:now", "x/4xw shared:0"},
	    {"x/4xw shared:_ZZ7hotspotE3now", "x/4xw shared:0"},
	    {"x/4xw shared:heat", "x/4xw shared:2048"},
	    {"x/2xw shared:next+8", "x/2xw shared:1032"},
	    {"x/2xw shared:heat + 0x10", "x/2xw shared:2064"},
	};
	struct rig r;
	open_hotspot(&r);
	for (u32 i = 0; i < ARRAY_LEN(same); i++) {
		char *by_name = xstrdup(rig_say(&r, same[i][0]));
		assert_string_equal(by_name, rig_say(&r, same[i][1]));
		free(by_name);
	}
	assert_non_null(strstr(rig_say(&r, "x/1xw shared:heat"), "0x0800"));
	rig_fails(&r, "x shared:eat", "is not an address");
	rig_fails(&r, "x shared:heat+x", "heat");
	rig_fails(&r, "x shared:heat+1024", "outside the CTA's 3072 bytes");
	rig_fails(&r, "print heat", "`watch shared:heat`");
	rig_fails(&r, "watch heat", "`watch shared:heat`");
	rig_say(&r, "lua n = 4");
	assert_non_null(strstr(rig_say(&r, "x/1xw shared:n"), "0x0004")); /* expressions as ever */
	rig_close(&r);
}

static void watched(void **state)
{
	struct rig r, s;
	open_hotspot(&r);
	open_hotspot(&s);
	rig_has(&r, "watch shared:now+400", "shared:now+400");
	rig_say(&s, "watch shared:400");
	for (u32 i = 0; i < 2; i++) {
		rig_has(&r, "continue", "shared:now+400: 0x");
		rig_has(&s, "continue", "shared:400: 0x");
		assert_int_equal(sim_cycle(r.s->sim), sim_cycle(s.s->sim));
		rig_say(&r, "reverse-step 3");
		rig_say(&s, "reverse-step 3");
	}
	rig_close(&r);
	rig_close(&s);
}

/* Two kernels, a dynamic array behind the variables of each: names are those of the focused one. */
static const char two_kernels[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                  ".extern .shared .align 16 .b8 dyn[];\n"
                                  ".visible .entry a(.param .u64 p)\n{\n.reg .u32 %r<3>;\n"
                                  ".shared .align 4 .b8 _ZZ1aE4heat[512];\n"
                                  "st.shared.u32 [_ZZ1aE4heat], 7;\nmov.u32 %r2, dyn;\nst.shared.u32 [%r2], 8;\n"
                                  "bar.sync 0;\nret;\n}\n"
                                  ".visible .entry b(.param .u64 p)\n{\n.reg .u32 %r<3>;\n"
                                  ".shared .align 4 .b8 _ZZ1bE4cool[256];\n"
                                  "st.shared.u32 [_ZZ1bE4cool], 9;\nmov.u32 %r2, dyn;\nst.shared.u32 [%r2], 10;\n"
                                  "bar.sync 0;\nret;\n}\n";

static void of_the_kernel(void **state)
{
	static const char *const names[][3] = {/* kernel, its variable, another's */
	                                       {"a", "heat", "cool"},
	                                       {"b", "cool", "heat"}};
	char path[] = "/tmp/test_shared_names.XXXXXX.ptx", line[64];
	int fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, two_kernels, strlen(two_kernels)), strlen(two_kernels));
	close(fd);
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		char *argv[] = {"warpdbg", "debug", path,      "--kernel", (char *)names[i][0],
		                "--grid",  "1",     "--block", "32",       "--shared",
		                "64",      "--arg", "u64=0",   NULL};
		struct rig r;
		rig_open(&r, argv);
		rig_say(&r, i ? "break 23" : "break 13");
		rig_has(&r, "continue", "ret;");
		snprintf(line, sizeof(line), "x/1dw shared:%s", names[i][1]);
		rig_has(&r, line, i ? "shared:0x0000:  9" : "shared:0x0000:  7");
		rig_has(&r, "x/1dw shared:dyn", i ? "shared:0x0100:  10" : "shared:0x0200:  8");
		snprintf(line, sizeof(line), "x shared:%s", names[i][2]);
		rig_fails(&r, line, "is not an address");
		rig_close(&r);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_are_offsets),
	    cmocka_unit_test(watched),
	    cmocka_unit_test(of_the_kernel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
