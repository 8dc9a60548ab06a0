/* All that an application's host does to the machine or asks of it. Each answer is put on record, and comes from there
 * while the application is fed: the machine has been through that already. */
#include <string.h>

#include "obs/stats/dependencies.h"
#include "session/app/app.h"
#include "session/host/launch_log.h"

static void note(struct app_host *h, u64 value)
{
	if (h->records_on)
		record_add(&h->records, RECORD_VALUE, value, NULL, 0);
}

static void lose(struct app_host *h, const struct err *e)
{
	if (!h->lost.set)
		err_pass(&h->lost, e);
}

/* While feeding, the recorded value. One that is not there ends the feeding (app_host.c looks at h->lost). */
static bool fed(struct app_host *h, u64 *value)
{
	struct err e = {0};
	if (!h->records.feeding)
		return false;
	const struct record *r = record_next(&h->records, RECORD_VALUE, &e);
	if (!r)
		lose(h, &e);
	*value = r ? r->value : 0;
	return true;
}

/* --- memory --- */

u64 machine_allocate(struct session *s, struct app_host *h, u64 bytes, const char *name, struct err *e)
{
	u64 addr;
	if (!fed(h, &addr)) {
		addr = devmem_alloc_for_host(sim_devmem(s->sim), bytes, name, e);
		note(h, addr);
		if (addr)
			launch_log_alloc(s->launch_log, addr, bytes);
	}
	return addr;
}

bool machine_free(struct session *s, struct app_host *h, u64 addr, struct err *e)
{
	u64 ok;
	if (!fed(h, &ok)) {
		ok = devmem_free(sim_devmem(s->sim), addr, e);
		note(h, ok);
		if (ok)
			launch_log_free(s->launch_log, addr);
	}
	return ok;
}

bool machine_may_copy(struct session *s, struct app_host *h, u64 addr, u64 n, bool write)
{
	u64 ok;
	if (!fed(h, &ok)) {
		const struct alloc *a = devmem_find(sim_devmem(s->sim), addr);
		ok = a && !a->freed && n <= a->addr + a->size - addr &&
		     (!write || !n || devmem_may_write(sim_devmem(s->sim), addr, n, NULL));
		note(h, ok);
	}
	return ok;
}

void machine_write(struct session *s, struct app_host *h, u64 addr, const void *data, u64 n, u64 following)
{
	struct err e = {0};
	if (h->records.feeding || !n)
		return;
	if (!devmem_write(sim_devmem(s->sim), addr, data, n, &e)) { /* freed while the copy waited */
		app_tell(s, h, e.msg);
		return;
	}
	sim_copied(s->sim, addr, n, following);
	dependencies_host_wrote(s->dependencies, addr, n);
	launch_log_write(s->launch_log, addr, data, n);
}

void machine_read(struct session *s, struct app_host *h, u64 addr, void *out, u64 n)
{
	struct err e = {0};
	if (h->records.feeding) {
		const struct record *r = record_next(&h->records, RECORD_BYTES, &e);
		if (r)
			memcpy(out, r->data, MIN(n, r->n));
		else
			lose(h, &e);
		return;
	}
	if (n && !devmem_read(sim_devmem(s->sim), addr, out, n, &e)) {
		app_tell(s, h, e.msg);
		memset(out, 0, n);
	}
	if (h->records_on)
		record_add(&h->records, RECORD_BYTES, 0, out, n);
}

void machine_memory(struct session *s, struct app_host *h, u64 *left, u64 *all)
{
	if (!fed(h, left)) {
		*left = devmem_room(sim_devmem(s->sim));
		note(h, *left);
	}
	*all = (u64)s->conf.heap_mb << 20;
}

/* --- code --- */

static u64 number_of(struct session *s, const struct module *m)
{
	for (u32 i = sim_num_modules(s->sim); m && i-- > 0;)
		if (sim_module(s->sim, i) == m)
			return i + 1;
	return 0;
}

/* The machine keeps a module: in the past it is there by its number. */
struct module *machine_load(struct session *s, struct app_host *h, const struct source_text *texts, u32 n,
                            struct err *e)
{
	u64 number;
	if (fed(h, &number))
		return number && number <= sim_num_modules(s->sim) ? sim_module(s->sim, (u32)number - 1) : NULL;
	struct module *m = sim_load_linked_text(s->sim, texts, n, e);
	if (m)
		launch_log_module(s->launch_log, m);
	note(h, number_of(s, m));
	return m;
}

u64 machine_texture(struct session *s, struct app_host *h, const struct texture *t, bool surface, struct err *e)
{
	u64 handle;
	if (!fed(h, &handle)) {
		handle =
		    surface ? front_surface_object(sim_front(s->sim), t, e) : front_texture_object(sim_front(s->sim), t, e);
		launch_log_leave_out(s->launch_log, "textures");
		note(h, handle);
	}
	return handle;
}

/* --- launches --- */

s32 machine_launch(struct session *s, struct app_host *h, const struct launch_spec *l, struct err *e)
{
	u64 id;
	if (!fed(h, &id)) {
		id = (u64)(s64)sim_launch(s->sim, l, e);
		if ((s32)id >= 0)
			launch_log_launch(s->launch_log, l);
		note(h, id);
	}
	return (s32)id;
}

void machine_printed(struct session *s, struct app_host *h, struct strbuf *out)
{
	u64 n;
	struct err e = {0};
	if (!fed(h, &n)) {
		n = h->printed.len;
		note(h, n);
		if (n && h->records_on)
			record_add(&h->records, RECORD_BYTES, 0, h->printed.buf, n);
		strbuf_add(out, strbuf_str(&h->printed), n);
		strbuf_clear(&h->printed);
	} else if (n) {
		const struct record *r = record_next(&h->records, RECORD_BYTES, &e);
		if (r)
			strbuf_add(out, r->data, r->n);
		else
			lose(h, &e);
	}
}

u64 machine_measured(struct app_host *h, u32 kind, u64 measured)
{
	u64 was;
	if (fed(h, &was)) {
		h->clock_ahead[kind] = was - measured;
		return was;
	}
	measured += h->clock_ahead[kind];
	note(h, measured);
	return measured;
}

bool machine_nudged(struct app_host *h, bool nudged)
{
	u64 was;
	if (fed(h, &was))
		return was;
	note(h, nudged);
	return nudged;
}

u64 app_ns(const struct session *s, u64 cycle)
{
	return (u64)((double)cycle * 1000 / s->conf.core_clock);
}

/* --- time: `look` asks beside the record --- */

bool machine_stream_idle(struct session *s, struct app_host *h, u32 stream, bool look)
{
	u64 idle;
	if (!look && fed(h, &idle))
		return idle;
	idle = sim_stream_idle(s->sim, h->program, stream);
	if (!look)
		note(h, idle);
	return idle;
}

u64 machine_ended_at(struct session *s, struct app_host *h, s32 launch, bool look)
{
	u64 at;
	if (!look && fed(h, &at))
		return at;
	at = gpu_kernel_ended(sim_gpu(s->sim), (u32)launch);
	if (!look)
		note(h, at);
	return at;
}

u64 machine_cycle(struct session *s, struct app_host *h, bool look)
{
	u64 now;
	if (!look && fed(h, &now))
		return now;
	now = sim_cycle(s->sim);
	if (!look)
		note(h, now);
	return now;
}
