#include "obs/why/jam.h"

#include <string.h>

#include "base/words.h"
#include "obs/why/why_text.h"

static s32 next_port(const struct gpu *g, u32 port)
{
	struct port_info p;
	mem_port(gpu_mem(g), port, &p);
	return p.waits_for;
}

/* A way that does not end within as many steps as there are ports never does. */
static bool runs_into_circle(const struct gpu *g, u32 port)
{
	s32 p = (s32)port;
	for (u32 i = 0; p >= 0 && i < mem_num_ports(gpu_mem(g)); i++)
		p = next_port(g, (u32)p);
	return p >= 0;
}

void jam_find(const struct gpu *g, struct jam *j)
{
	const u32 ports = mem_num_ports(gpu_mem(g)), sms = gpu_conf(g)->num_sms;
	memset(j, 0, sizeof *j);
	j->n = mem_cycle(gpu_mem(g), j->port, JAM_PORTS);
	for (u32 p = 0; j->n && p < ports; p++) {
		j->shut[p] = runs_into_circle(g, p);
		if (j->shut[p])
			gpu_port_warps(g, p, j->warps);
		if (j->shut[p] && p < sms)
			j->warps[p] |= gpu_unsent_warps(g, p);
	}
}

/* --- text --- */

static void name(const struct port_info *p, struct strbuf *out)
{
	strbuf_addf(out, "%s %u's port", p->slice ? "L2 slice" : "SM", p->number);
}

/* "4 of 4 places hold replies" */
static void tell_places(const struct port_info *p, struct strbuf *out)
{
	const u32 held = p->requests + p->replies, more = held - MIN(held, p->places);
	const u32 replies = p->replies - (p->slice ? more : 0);
	strbuf_addf(out, "%u of %u place%s ", MIN(held, p->places), p->places, by_number(p->places, " holds", "s hold"));
	if (p->requests && replies)
		strbuf_addf(out, "%u request%s and %u repl%s", p->requests, plural(p->requests), replies,
		            by_number(replies, "y", "ies"));
	else
		strbuf_adds(out, p->requests ? "requests" : "replies");
	if (more && !p->slice)
		strbuf_adds(out, ", 1 more came with it: a miss and the dirty line it replaces");
	else if (more)
		strbuf_addf(out, ", %u more repl%s came from DRAM", more, by_number(more, "y", "ies"));
	if (p->piped)
		strbuf_addf(out, ", %u request%s in its pipeline", p->piped, by_number(p->piped, " is", "s are"));
}

static void tell_head(const struct gpu *g, const struct port_info *p, struct strbuf *out)
{
	const struct port_head *h = &p->head;
	const u64 warps = gpu_head_warps(g, h);
	struct warp_info w;
	strbuf_addf(out, "its head (%s%s of 0x%llx", p->slice ? "reply to the " : "", h->what, (unsigned long long)h->addr);
	if (warps) {
		strbuf_adds(out, " for ");
		gpu_warp_info(g, h->sm, bit_first(warps), &w);
		why_place(g, h->sm, bit_first(warps), &w, out);
	} else {
		strbuf_addf(out, " of SM %u", h->sm);
	}
	if (bit_count(warps) > 1)
		strbuf_addf(out, " and %u more", bit_count(warps) - 1);
	strbuf_addc(out, ')');
}

static void tell_port(const struct gpu *g, u32 port, struct strbuf *out, u32 depth)
{
	struct port_info p, next;
	mem_port(gpu_mem(g), port, &p);
	mem_port(gpu_mem(g), (u32)p.waits_for, &next);
	why_indent(out, depth);
	name(&p, out);
	strbuf_adds(out, ": ");
	tell_places(&p, out);
	strbuf_adds(out, "; ");
	tell_head(g, &p, out);
	strbuf_adds(out, " waits for a place at ");
	name(&next, out);
	strbuf_addc(out, '\n');
}

void jam_tell(const struct gpu *g, struct jam *j, struct strbuf *out)
{
	const u32 sms = gpu_conf(g)->num_sms;
	u32 behind[2] = {0, 0}, warps = 0, on = 0;
	if (!j->n)
		return;
	j->told = true;
	strbuf_adds(out,
	            "full queues wait for each other (requests and replies share noc.shared_buffer places at a port):\n");
	for (u32 i = 0; i < j->n; i++)
		tell_port(g, j->port[i], out, 1);
	why_indent(out, 1);
	strbuf_adds(out, "that is a cycle of full queues: none of them ever moves again\n");
	for (u32 p = 0; p < mem_num_ports(gpu_mem(g)); p++)
		behind[p >= sms] += j->shut[p];
	for (u32 i = 0; i < j->n; i++)
		behind[j->port[i] >= sms]--;
	for (u32 sm = 0; sm < sms; sm++) {
		warps += bit_count(j->warps[sm]);
		on += j->warps[sm] != 0;
	}
	why_indent(out, 1);
	strbuf_addf(out, "behind it: the ports of %u more SM%s and %u more L2 slice%s; caught: %u warp%s of %u SM%s\n",
	            behind[0], plural(behind[0]), behind[1], plural(behind[1]), warps, plural(warps), on, plural(on));
}

/* The port in which the warp's own packet is; its SM's when it cannot send. */
static u32 first_port(const struct gpu *g, const struct jam *j, u32 sm, u32 warp)
{
	if (j->shut[sm])
		return sm;
	for (u32 p = 0; p < mem_num_ports(gpu_mem(g)); p++) {
		u64 by_sm[CONF_MAX_SMS] = {0};
		if (j->shut[p])
			gpu_port_warps(g, p, by_sm);
		if (by_sm[sm] >> warp & 1)
			return p;
	}
	return sm;
}

static bool in_circle(const struct jam *j, u32 port)
{
	for (u32 i = 0; i < j->n; i++)
		if (j->port[i] == port)
			return true;
	return false;
}

void jam_tell_warp(const struct gpu *g, const struct jam *j, u32 sm, u32 warp, struct strbuf *out, u32 depth)
{
	bool told[JAM_PORTS] = {false};
	struct port_info at;
	if (!j->n || !(j->warps[sm] >> warp & 1))
		return;
	u32 p = first_port(g, j, sm, warp);
	why_indent(out, depth);
	strbuf_adds(out, gpu_unsent_warps(g, sm) >> warp & 1 ? "it cannot send: full queues wait for each other\n"
	                                                     : "what it waits for stands in full queues\n");
	for (; !told[p] && !(j->told && in_circle(j, p)); p = (u32)next_port(g, p)) {
		told[p] = true;
		tell_port(g, p, out, depth + 1);
	}
	mem_port(gpu_mem(g), p, &at);
	why_indent(out, depth + 1);
	name(&at, out);
	strbuf_adds(out, told[p] ? ": we have been there, a cycle of full queues; none of them ever moves again\n"
	                         : " is in the cycle of full queues told above\n");
}
