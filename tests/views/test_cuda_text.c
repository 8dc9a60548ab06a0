/* The CUDA lines that .loc directives name: where their files are found, files of all kinds, `list` and the source
 * view. The program is ./warpdbg, or what WARPDBG names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>

#include "views/cuda_text.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/screen_rig.h"

static char dir[] = "/tmp/test_cuda_text.XXXXXX";
static char ptx[64], cu[64];

enum { FIRST = 7, SECOND, WITH_CODE, FAR, NO_FILE, NO_LOC }; /* lines of the PTX */

/* named: what .file says of k.cu. */
static void write_ptx(const char *named)
{
	FILE *f = fopen(ptx, "w");
	assert_non_null(f);
	fprintf(f,
	        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .u32 %%r<9>;\n"
	        ".loc\t1 2 0\n  .loc 1 3 5, function_name k_, inlined_at 1 1 1\n.loc 1 2 0 mov.u32 %%r1, 7;\n.loc 1 99 0\n"
	        ".loc 2 1 0\n// .loc 1 2 0\nadd.u32 %%r1, %%r1, 1;\nbar.sync 0;\nret;\n}\n.file 1 \"%s\"\n",
	        named);
	fclose(f);
}

static void write_cu(const char *text, size_t n)
{
	FILE *f = fopen(cu, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

static const char three[] = "__global__ void k(int *p)\n\t  int two = 2; \n\tint three = 3;\n";

static void open_kernel(struct rig *r)
{
	char *argv[] = {"warpdbg", "debug", ptx, "--kernel", "k", "--grid", "1", "--block", "32", "--arg", "u64=0", NULL};
	rig_open(r, argv);
}

static void is_line(struct cuda_text *t, const struct module *m, u32 line, u32 number, const char *text)
{
	struct cuda_line o;
	assert_true(cuda_line_of(t, m, line, &o));
	assert_string_equal(o.file, "k.cu");
	assert_int_equal(o.number, number);
	if (!text) {
		assert_null(o.text);
		return;
	}
	assert_non_null(o.text);
	assert_int_equal(o.len, strlen(text));
	assert_memory_equal(o.text, text, o.len);
}

/* What the second line of the file is, with the file as it is now; NULL = it has none. */
static void second_is(const struct module *m, const char *text)
{
	struct cuda_text t = {0};
	is_line(&t, m, FIRST, 2, text);
	cuda_text_release(&t);
}

static void directives(void **state)
{
	struct rig r;
	struct cuda_line o;
	struct cuda_text t = {0};
	write_ptx(cu);
	write_cu(three, strlen(three));
	open_kernel(&r);
	const struct module *m = sim_module(r.s->sim, 0);
	is_line(&t, m, FIRST, 2, "int two = 2;");
	is_line(&t, m, SECOND, 3, "int three = 3;");
	is_line(&t, m, FAR, 99, NULL);
	assert_false(cuda_line_of(&t, m, NO_FILE, &o));
	assert_false(cuda_line_of(&t, m, NO_LOC, &o));
	assert_false(cuda_line_of(&t, m, 0, &o));
	assert_false(cuda_line_of(&t, m, m->nlines + 1, &o));
	write_cu("", 0);
	is_line(&t, m, FIRST, 2, "int two = 2;"); /* as it was read */
	cuda_text_release(&t);
	is_line(&t, m, FIRST, 2, NULL);
	cuda_text_release(&t);
	rig_close(&r);
}

static void beside_the_ptx(void **state)
{
	struct rig r;
	write_ptx("/nonexistent/k.cu");
	write_cu(three, strlen(three));
	open_kernel(&r);
	second_is(sim_module(r.s->sim, 0), "int two = 2;");
	rig_close(&r);
}

static void strange_files(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *second;
	} files[] = {
	    {"", 0, NULL},           {"one", 3, NULL},
	    {"one\n", 4, NULL},      {"one\n\n", 5, ""},
	    {"one\ntwo", 7, "two"},  {"one\r\n two\r\n", 11, "two"},
	    {"one\rtwo\r", 8, NULL}, {"\n\t\xff\x1b[2J\t.\n", 9, "\xff\x1b[2J\t."},
	};
	struct rig r;
	struct cuda_line o;
	struct cuda_text t = {0};
	write_ptx(cu);
	open_kernel(&r);
	const struct module *m = sim_module(r.s->sim, 0);
	for (u32 i = 0; i < ARRAY_LEN(files); i++) {
		write_cu(files[i].bytes, files[i].n);
		second_is(m, files[i].second);
	}
	char *much = xmalloc(100000); /* its beginning is enough for any screen */
	memset(much, 'x', 100000);
	much[0] = '\n';
	write_cu(much, 100000);
	assert_true(cuda_line_of(&t, m, FIRST, &o));
	assert_in_range(o.len, 400, 4000);
	assert_int_equal(strspn(o.text, "x"), 99999);
	cuda_text_release(&t);
	free(much);
	assert_int_equal(truncate(cu, 16 << 20), 0);
	assert_true(cuda_line_of(&t, m, FIRST, &o) && o.text);
	cuda_text_release(&t);
	assert_int_equal(truncate(cu, (16 << 20) + 1), 0);
	second_is(m, NULL);
	rig_close(&r);
}

/* A pipe's writer is not let go. */
static void no_files(void **state)
{
	struct rig r;
	write_ptx(cu);
	open_kernel(&r);
	const struct module *m = sim_module(r.s->sim, 0);
	unlink(cu);
	second_is(m, NULL);
	assert_int_equal(mkdir(cu, 0700), 0);
	second_is(m, NULL);
	rmdir(cu);
	assert_int_equal(mkfifo(cu, 0600), 0);
	pid_t writer = fork();
	if (!writer)
		_exit(open(cu, O_WRONLY) < 0);
	usleep(100000);
	second_is(m, NULL);
	usleep(100000);
	assert_int_equal(waitpid(writer, NULL, WNOHANG), 0);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	unlink(cu);
	rig_close(&r);
}

/* `list` tells them; a script, which may use no files, does not get them; `run` reads them again. */
static void listed(void **state)
{
	struct rig r;
	write_ptx(cu);
	write_cu(three, strlen(three));
	open_kernel(&r);
	rig_has(&r, "list 8", "// k.cu:2: int two = 2;\n");
	rig_has(&r, "lua print((dbg.execute('list 8')))", ".loc\t1 2 0\n");
	assert_null(strstr(strbuf_str(&r.out), "two"));
	write_cu("\nint other;\n", 12);
	rig_has(&r, "list 8", "// k.cu:2: int two = 2;\n");
	rig_say(&r, "run");
	rig_has(&r, "list 8", "// k.cu:2: int other;\n");
	rig_close(&r);
}

/* In the view a line stands in place of its directive, with u the directive; one with code behind it stays. */
static void on_screen(void **state)
{
	const char *p = getenv("WARPDBG");
	char *argv[] = {(char *)(p && *p ? p : "./warpdbg"),
	                "debug",
	                ptx,
	                "--kernel",
	                "k",
	                "--grid",
	                "1",
	                "--block",
	                "32",
	                "--arg",
	                "u64=0",
	                NULL};
	const char *const env[] = {"HOME=/nonexistent", "XDG_STATE_HOME=/nonexistent", "INPUTRC=/dev/null", NULL};
	struct vt v;
	write_ptx(cu);
	write_cu(three, strlen(three));
	vt_spawn(&v, 30, 100, argv, env);
	assert_shown(&v, "(wd)");
	vt_settle(&v, 150, WAIT);
	type(&v, "step 5\r");
	type(&v, "\t8");
	assert_shown(&v, " 7  k.cu:2  int two = 2;");
	assert_shown(&v, " 8  k.cu:3  int three = 3;");
	assert_shown(&v, "mov.u32 %r1, 7;");
	assert_shown(&v, "1 99 0");
	assert_int_equal(vt_find(&v, "1 3 5"), -1);
	type(&v, "/CU:3\r");
	assert_true(vt_cell(&v, vt_find(&v, " 8  k.cu:3"), 12).attrs.reverse);
	assert_int_equal(vt_find(&v, "not found"), -1);
	type(&v, "u");
	assert_shown(&v, "1 3 5, function_name");
	assert_int_equal(vt_find(&v, "int three"), -1);
	stop(&v);
}

static int make_dir(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(ptx, sizeof(ptx), "%s/k.ptx", dir);
	snprintf(cu, sizeof(cu), "%s/k.cu", dir);
	return 0;
}

static int remove_dir(void **state)
{
	unlink(ptx);
	unlink(cu);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(directives), cmocka_unit_test(beside_the_ptx), cmocka_unit_test(strange_files),
	    cmocka_unit_test(no_files),   cmocka_unit_test(listed),         cmocka_unit_test(on_screen),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
