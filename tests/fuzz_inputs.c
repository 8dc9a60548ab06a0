/* Damaged and random input for every reader, with a seed: fuzz_inputs ROUNDS [SEED]. It must answer each with success
 * or an error message; a crash, a sanitizer report or a hang is the failure. Run it from the top directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "session/catalog.h"
#include "session/cmdline.h"
#include "front/ptx/ptx.h"
#include "session/session.h"

static u64 rng;
static u64 accepted, refused;

static u64 below(u64 n)
{
	return n ? rng_next(&rng) % n : 0;
}

static void count(bool ok, const struct err *e)
{
	if (!ok && !e->set) {
		fprintf(stderr, "refused without a message\n");
		abort();
	}
	if (ok)
		accepted++;
	else
		refused++;
}

/* A few edits: bytes changed, pieces removed, doubled or moved, the tail cut off. */
static void damage(const struct strbuf *from, struct strbuf *to)
{
	strbuf_clear(to);
	strbuf_add(to, strbuf_str(from), from->len);
	for (u64 edits = 1 + below(4); edits && to->len; edits--) {
		u64 at = below(to->len), len = 1 + below(40);
		len = MIN(len, to->len - at);
		switch (below(5)) {
		case 0: to->buf[at] = (char)below(256); break;
		case 1:
			memmove(to->buf + at, to->buf + at + len, to->len - at - len);
			to->len -= len;
			break;
		case 2: {
			char *copy = xstrndup(to->buf + at, len);
			strbuf_add(to, copy, len);
			free(copy);
			break;
		}
		case 3: to->len = at; break;
		case 4: {
			u64 other = below(to->len - len + 1);
			memmove(to->buf + other, to->buf + at, len);
			break;
		}
		}
		to->buf[to->len] = 0;
	}
}

/* --- sources to damage -------------------------------------------------------------------------------------------- */

struct corpus {
	struct strbuf *text;
	u32 n;
};

static void add_file(struct corpus *c, const char *path)
{
	struct err e = {0};
	c->text = xrealloc(c->text, (c->n + 1) * sizeof *c->text);
	c->text[c->n] = (struct strbuf){0};
	if (!strbuf_read_file(&c->text[c->n], path, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		exit(2);
	}
	c->n++;
}

static struct corpus load(const char *data_dir, const char *sub, const char *file_sub, const char *ending)
{
	struct corpus c = {0};
	struct file_names names = catalog_names(data_dir, sub);
	struct strbuf path = STRBUF_INIT;
	for (u32 i = 0; i < names.n; i++) {
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/%s/%s%s", data_dir, file_sub, names.name[i], ending);
		if (!access(path.buf, R_OK))
			add_file(&c, path.buf);
	}
	strbuf_release(&path);
	catalog_release(&names);
	return c;
}

static void write_file(const char *path, const struct strbuf *text)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(strbuf_str(text), 1, text->len, f) != text->len || fclose(f)) {
		perror(path);
		exit(2);
	}
}

/* --- readers ------------------------------------------------------------------------------------------------------ */

static struct corpus ptx, machines, workloads;
static struct strbuf text;
static char file[64];
static const char *data_dir;

static void fuzz_ptx(void)
{
	struct err e = {0};
	struct conf c;
	struct schedule_params schedule;
	conf_defaults(&c);
	schedule_params_of(&schedule, &c);
	damage(&ptx.text[below(ptx.n)], &text);
	struct module *m = ptx_load_for("fuzz.ptx", text.buf, text.len, &schedule, &e);
	count(m, &e);
	if (m)
		module_free(m);
}

static void fuzz_machine(void)
{
	struct conf c;
	struct err e = {0};
	damage(&machines.text[below(machines.n)], &text);
	write_file(file, &text);
	count(catalog_conf(&c, data_dir, file, NULL, 0, &e), &e);
}

static void fuzz_workload(void)
{
	struct options o = {.command = "run", .workload = file, .size = "small", .max_cycles = 2000};
	struct err e = {0};
	damage(&workloads.text[below(workloads.n)], &text);
	write_file(file, &text);
	struct session *s = session_open(&o, console_modules, &e);
	if (s && session_run(s, NEVER, &e) != SS_HOST_ERROR)
		e.set = false;
	count(s && !e.set, &e);
	session_close(s);
}

static void fuzz_command_line(void)
{
	static const char *const words[] = {"run",
	                                    "debug",
	                                    "list",
	                                    "explain",
	                                    "hotspot",
	                                    "x.ptx",
	                                    "--gpu",
	                                    "--set",
	                                    "l1d.ways=4",
	                                    "--set=",
	                                    "--grid",
	                                    "1,2,3",
	                                    ",,,",
	                                    "--block=0",
	                                    "--arg",
	                                    "f32[4]=iota",
	                                    "--out",
	                                    "0=x",
	                                    "--print",
	                                    "0:",
	                                    "-ex",
	                                    "-x",
	                                    "--batch",
	                                    "--seed",
	                                    "18446744073709551616",
	                                    "--max-cycles=1k",
	                                    "--param",
	                                    "n",
	                                    "=",
	                                    "-",
	                                    "--",
	                                    "---",
	                                    "--w",
	                                    "--format",
	                                    "json",
	                                    "\xff\xfe",
	                                    "--help",
	                                    "-h",
	                                    "--size"};
	char *argv[10] = {"warpdbg"}, copies[10][40];
	struct options o;
	struct err e = {0};
	int argc = 1 + (int)below(8);
	for (int i = 1; i < argc; i++) {
		snprintf(copies[i], sizeof copies[i], "%s", words[below(ARRAY_LEN(words))]);
		if (!below(8) && copies[i][0])
			copies[i][below(strlen(copies[i]))] = (char)(1 + below(255));
		argv[i] = copies[i];
	}
	count(cmdline_parse(&o, argc, argv, &e) != CMDLINE_ERROR, &e);
	cmdline_free(&o);
}

int main(int argc, char **argv)
{
	static void (*const readers[])(void) = {fuzz_ptx,     fuzz_ptx,          fuzz_ptx,
	                                        fuzz_machine, fuzz_command_line, fuzz_command_line};
	u64 rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	rng = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct err e = {0};
	data_dir = catalog_data_dir(&e);
	if (!data_dir) {
		fprintf(stderr, "%s\n", e.msg);
		return 2;
	}
	ptx = load(data_dir, "scripts/workloads", "configs/kernels", ".ptx");
	machines = load(data_dir, "configs/gpus", "configs/gpus", ".lua");
	workloads = load(data_dir, "scripts/workloads", "scripts/workloads", ".lua");
	snprintf(file, sizeof file, "/tmp/warpdbg-fuzz-%d.lua", (int)getpid());
	for (u64 i = 0; i < rounds; i++) {
		alarm(60); /* a hang ends the program by a signal */
		readers[below(ARRAY_LEN(readers))]();
		if (i % 100 == 0) /* building a machine costs more than all the others together */
			fuzz_workload();
	}
	unlink(file);
	printf("%llu rounds: %llu accepted, %llu refused with a message\n", (unsigned long long)rounds,
	       (unsigned long long)accepted, (unsigned long long)refused);
	return 0;
}
