/* Damaged and random input for every reader, and random commands for the debugger, with a seed: fuzz_inputs ROUNDS
 * [SEED [ONLY]], ONLY: one kind of input. It must answer each with success or an error message; a crash, a sanitizer
 * report or a hang is the failure, and of the debugger a wrong result or a cycle that is not what it was. Run it from
 * the top directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands/commands.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "dbg/debugger.h"
#include "tests/rig/fuzz_words.h"
#include "session/catalog.h"
#include "session/machine.h"
#include "session/cmdline.h"
#include "front/ptx/ptx.h"
#include "passes/idempotence.h"
#include "passes/phases.h"
#include "passes/points.h"
#include "session/session.h"

static u64 rng;
static u64 accepted, refused, lines_done, lines_refused;

static u64 below(u64 n)
{
	return n ? rng_next(&rng) % n : 0;
}

static unsigned rnd(unsigned n)
{
	return (unsigned)below(n);
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

/* Operands of the right form, whatever they name. */
static void add_operands(struct strbuf *to, u32 depth)
{
	static const char *const words[] = {
	    "%r1",   "%zz9.b0", "-%r2.h1", "!%p7",    "_",  "7",      "-0x1f", "0f3f800000",
	    "sym+4", "a|%p",    "WARP_SZ", "1 + 2*3", "~5", "%tid.x", "1.5e3", "0d3ff0000000000000"};
	const u32 n = 1 + rnd(4);
	for (u32 i = 0; i < n; i++) {
		const u32 kind = depth < 4 ? rnd(10) : 0;
		strbuf_adds(to, i ? ", " : "");
		if (kind < 7) {
			strbuf_adds(to, words[rnd(ARRAY_LEN(words))]);
			continue;
		}
		strbuf_addc(to, "[{("[kind - 7]);
		add_operands(to, depth + 1);
		strbuf_addc(to, "]})"[kind - 7]);
	}
}
static void add_unsupported(struct strbuf *to)
{
	static const char *const opcodes[] = {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
	                                      "cp.async.ca.shared.global",
	                                      "frob",
	                                      "add.frob.u32",
	                                      "ld.shared::cluster.u32",
	                                      "wgmma.fence.sync.aligned",
	                                      "bra.frob",
	                                      "call.frob",
	                                      "brx.frob",
	                                      "ret.frob",
	                                      "red.async.relaxed.cluster",
	                                      "tcgen05.ld.sync"};
	switch (rnd(10)) {
	case 0: strbuf_adds(to, "{ .reg .b128 %zq; mov.b128 %zq, {1, 2}; }\n"); return;
	case 1: strbuf_adds(to, "{ .reg .v4 .f32 %zv; add.f32 %zv.x, %zv.y, 0f00000000; }\n"); return;
	case 2: strbuf_adds(to, "{ .reg .b32 %z; ex2.approx.ftz.f16x2 %z, %z; mov.u32 %z, %clusterid.x; }\n"); return;
	case 3: strbuf_adds(to, ".frob 4, sym;\n"); return;
	default: break;
	}
	const bool guarded = rnd(2);
	strbuf_adds(to, guarded ? "{ .reg .pred %zp; @!%zp " : "");
	strbuf_addf(to, "%s ", opcodes[rnd(ARRAY_LEN(opcodes))]);
	if (rnd(8))
		add_operands(to, 0);
	strbuf_adds(to, guarded ? "; }\n" : ";\n");
}

/* A bundled text with instructions that are not supported before some of its lines, or in their places. */
static u32 plant(const struct strbuf *from, struct strbuf *to)
{
	const u64 every = 1 + below(60);
	u32 planted = 0;
	strbuf_clear(to);
	for (const char *p = strbuf_str(from); *p;) {
		const char *end = strchr(p, '\n');
		const size_t len = end ? (size_t)(end - p) + 1 : strlen(p);
		const bool inst = len > 3 && *p == '\t' && p[1] >= 'a' && p[1] <= 'z' && p[len - 2] == ';' &&
		                  !memchr(p, ':', len) && strncmp(p + 1, "call", 4);
		const bool here = inst && !below(every);
		if (here) {
			add_unsupported(to);
			planted++;
		}
		if (!here || rnd(3))
			strbuf_add(to, p, len);
		p += len;
	}
	return planted;
}

/* Its form is right: it is loaded and placed. What reaches a planted instruction is refused by name when it is
 * launched, analyses bear all of it. */
static void fuzz_unsupported(void)
{
	struct err e = {0};
	struct conf c;
	conf_defaults(&c);
	const u32 planted = plant(&ptx.text[below(ptx.n)], &text);
	struct sim *s = sim_create(&c, &e);
	struct module *m = s ? sim_load_text(s, "fuzz.ptx", strbuf_str(&text), text.len, &e) : NULL;
	if (!m || (planted != 0) != (m->nunsupported != 0)) {
		fprintf(stderr, "%s (%u planted, %u found)\n%s", e.msg, planted, m ? m->nunsupported : 0, strbuf_str(&text));
		abort();
	}
	for (u32 i = 0; i < m->nfuncs; i++) {
		const struct func *f = &m->funcs[i];
		char *why = func_unsupported(m, f);
		static const u8 params[PARAM_BYTES_MAX];
		const struct launch_spec l = {
		    .mod = m, .fn = f, .grid = {1, 1, 1}, .block = {1, 1, 1}, .params = params, .param_bytes = f->param_bytes};
		struct err refusal = {0};
		if (f->is_kernel && sim_launch(s, &l, &refusal) < 0 && (!why || !strstr(refusal.msg, why))) {
			fprintf(stderr, "%s: %s\n", f->name, refusal.msg);
			abort();
		}
		if (f->is_kernel && why && !refusal.set)
			abort();
		free(why);
		struct phases ph;
		struct points po;
		struct idempotence id;
		struct phase_params pp;
		const struct point_params qp = {.max_points = c.elf_max_points, .max_score = c.elf_max_score};
		const struct idem_params ip = {.params_may_alias = rnd(2)};
		if (f->entry == f->end)
			continue;
		phase_params_of(&pp, &c);
		phases_find(&ph, m, f, &pp);
		phases_release(&ph);
		points_find(&po, m, f, &qp);
		points_release(&po);
		if (f->is_kernel && idempotence_find(&id, m, f, &ip, NULL))
			idempotence_release(&id);
	}
	count(true, &e);
	sim_destroy(s);
}

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
	count(machine_conf(&c, data_dir, file, NULL, 0, &e), &e);
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
	                                    "--size",
	                                    "--dynamic-idempotence",
	                                    "--preempt",
	                                    "--cta-virtual=vt",
	                                    "--cta-sched=steal",
	                                    "--partition",
	                                    "spatial",
	                                    "--again",
	                                    "--alone",
	                                    "--priority",
	                                    "-5",
	                                    "bfs",
	                                    "analyze",
	                                    "dependencies"};
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

/* --- any machine, any policies ------------------------------------------------------------------------------------ */

#define WORDS_MAX 40
struct command_line {
	char word[WORDS_MAX][200];
	char *argv[WORDS_MAX + 1];
	int n;
};

static void add(struct command_line *c, const char *word)
{
	if (c->n == WORDS_MAX)
		return;
	snprintf(c->word[c->n], sizeof(c->word[0]), "%s", word);
	c->argv[c->n] = c->word[c->n];
	c->argv[++c->n] = NULL;
}

/* A workload on a machine with random settings and policies, most of which go together. */
static void some_machine(struct command_line *c, const char *command)
{
	static const char *const names[] = {"vecadd", "reduction", "hotspot", "bfs", "transpose", "ikra_steal"};
	static const char *const pairs[] = {"a=vecadd", "a=reduction", "a=transpose", "a=histogram"};
	static const char *const others[] = {"b=vecadd", "b=reduction", "b=hotspot"};
	static const char *const gpus[] = {"gtx480", "gtx480", "gtx480v3", "kepler", "gtx980", "fermi30", "apu15"};
	static const char *const priorities[] = {"-5", "-1", "0", "3"};
	char option[200], *space;
	c->n = 0;
	add(c, "warpdbg");
	add(c, command);
	const u64 kind = below(4);
	add(c, "--size");
	add(c, "small");
	if (kind < 2) {
		add(c, FUZZ_PICK(names));
	} else if (kind < 3) { /* programs that share the machine */
		for (u64 i = 2 + below(2); i; i--) {
			add(c, FUZZ_PICK(names));
			if (below(3))
				continue;
			add(c, "--priority");
			add(c, FUZZ_PICK(priorities));
		}
		if (below(2))
			add(c, "--again");
	} else {
		add(c, "concurrent/pair");
		add(c, "--param");
		add(c, FUZZ_PICK(pairs));
		add(c, "--param");
		add(c, FUZZ_PICK(others));
	}
	add(c, "--gpu");
	add(c, FUZZ_PICK(gpus));
	if (below(2))
		add(c, "--dynamic-idempotence");
	for (u64 i = below(6); i; i--) {
		fuzz_option(rnd, option, sizeof(option));
		space = strchr(option, ' ');
		if (space)
			*space++ = 0;
		add(c, option);
		if (space)
			add(c, space);
	}
}

static struct session *open_machine(struct command_line *c, struct options *o, struct err *e)
{
	struct session *s = NULL;
	if (cmdline_parse(o, c->n, c->argv, e) == CMDLINE_OK)
		s = session_open(o, console_modules, e);
	count(s, e);
	return s;
}

static void fail_with(const struct command_line *c, const char *lines, const char *what)
{
	fprintf(stderr, "fuzz_inputs: %s\n", what);
	for (int i = 0; i < c->n; i++)
		fprintf(stderr, " %s", c->argv[i]);
	fprintf(stderr, "\n%s", lines);
	abort();
}

static void fuzz_conf(void)
{
	struct command_line c;
	struct options o;
	struct err e = {0};
	some_machine(&c, "run");
	add(&c, "--max-cycles");
	add(&c, "6000");
	struct session *s = open_machine(&c, &o, &e);
	if (s && session_run(s, NEVER, &e) == SS_FINISHED && s->check == CHECK_FAIL)
		fail_with(&c, "", "wrong results");
	session_close(s);
	cmdline_free(&o);
}

/* --- the debugger ------------------------------------------------------------------------------------------------- */

#define PATIENCE 1500 /* ms for one command; then it is interrupted, as by Ctrl-C */

static u64 now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static bool say(struct debugger *d, const char *line, struct strbuf *out)
{
	struct err e = {0};
	strbuf_clear(out);
	bool ok = debugger_execute(d, line, out, &e);
	if (!ok && !e.set) {
		fprintf(stderr, "'%s' is refused without a message\n", line);
		abort();
	}
	for (u64 end = now_ms() + PATIENCE; debugger_running(d);) {
		debugger_run_slice(d, 2000, out);
		if (debugger_running(d) && now_ms() > end)
			debugger_interrupt(d);
	}
	debugger_clear_interrupt(d);
	*(ok ? &lines_done : &lines_refused) += 1;
	return ok;
}

/* What a cycle is: as a text to be compared. */
static char *state(struct debugger *d, struct strbuf *out)
{
	say(d, "print gpu.cycle", out);
	char *cycle = xstrdup(strbuf_str(out));
	say(d, "print gpu.hash", out);
	strbuf_addf(out, "cycle %s", cycle);
	free(cycle);
	return xstrdup(strbuf_str(out));
}

static void there_and_back(struct debugger *d, struct strbuf *out, const struct command_line *c, const char *lines)
{
	char line[60], *was = state(d, out), *is;
	u64 here = sim_cycle(d->s->sim);
	snprintf(line, sizeof(line), "reverse-step %u", 1 + rnd(60));
	if (!say(d, line, out) || sim_cycle(d->s->sim) >= here) {
		free(was);
		return;
	}
	snprintf(line, sizeof(line), "goto %llu", (unsigned long long)here);
	bool ok = say(d, line, out);
	is = state(d, out);
	if (ok && sim_cycle(d->s->sim) == here && strcmp(was, is)) {
		fprintf(stderr, "%s then %s", was, is);
		fail_with(c, lines, "a cycle is not what it was");
	}
	free(was);
	free(is);
}

static void fuzz_debugger(void)
{
	struct command_line c;
	struct options o;
	struct err e = {0};
	struct strbuf out = STRBUF_INIT, lines = STRBUF_INIT;
	char line[400];
	some_machine(&c, "debug");
	struct session *s = open_machine(&c, &o, &e);
	if (s) {
		struct debugger *d = debugger_new(s, &console_words);
		bool there = debugger_start(d, &out, &e);
		for (u32 i = 0; there && i < 60 && d->run.state != DBG_QUIT; i++) {
			fuzz_line(rnd, line, sizeof(line));
			strbuf_addf(&lines, "%s\n", line);
			if (getenv("FUZZ_SHOW"))
				fprintf(stderr, "%s\n", line);
			say(d, line, &out);
			if (i % 10 == 9 && (d->run.state == DBG_STOPPED || d->run.state == DBG_FINISHED))
				there_and_back(d, &out, &c, strbuf_str(&lines));
			if (d->s->check == CHECK_FAIL)
				fail_with(&c, strbuf_str(&lines), "wrong results");
		}
		debugger_free(d);
	}
	session_close(s);
	cmdline_free(&o);
	strbuf_release(&out);
	strbuf_release(&lines);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
		u32 every; /* one in so many rounds: building a machine costs more than all the others together */
	} readers[] = {{"ptx", fuzz_ptx, 2},
	               {"unsupported", fuzz_unsupported, 8},
	               {"machine", fuzz_machine, 6},
	               {"command-line", fuzz_command_line, 3},
	               {"workload", fuzz_workload, 100},
	               {"conf", fuzz_conf, 100},
	               {"debugger", fuzz_debugger, 200}};
	u64 rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000, tried[ARRAY_LEN(readers)] = {0};
	const char *only = argc > 3 ? argv[3] : NULL;
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
	for (u64 i = 0; i < rounds; i++)
		for (u32 k = 0; k < ARRAY_LEN(readers); k++) {
			if (only ? strcmp(only, readers[k].name) != 0 : below(readers[k].every) != 0)
				continue;
			u64 at = rng;
			if (getenv("FUZZ_SHOW"))
				fprintf(stderr, "%s: seed %llu\n", readers[k].name, (unsigned long long)at);
			alarm(180); /* a hang ends the program by a signal */
			readers[k].fn();
			tried[k]++;
		}
	unlink(file);
	printf("%llu rounds: %llu accepted, %llu refused with a message (", (unsigned long long)rounds,
	       (unsigned long long)accepted, (unsigned long long)refused);
	for (u32 k = 0; k < ARRAY_LEN(readers); k++)
		printf("%s%s %llu", k ? ", " : "", readers[k].name, (unsigned long long)tried[k]);
	printf("); commands: %llu done, %llu refused\n", (unsigned long long)lines_done, (unsigned long long)lines_refused);
	return 0;
}
