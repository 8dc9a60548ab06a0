/* The reference of policies in Lua: the module policy and what their functions are given. */
#include "lua/lua.h"

#define SLOT "w: integer, a warp slot of this scheduler that is not empty; "
#define SLOT_ERRORS "a slot that is another scheduler's, or empty"
#define KERNEL "k: integer, a launch that runs; "
#define KERNEL_ERRORS "a launch that does not run"
#define WORD "i: integer, 1 to 16; n: integer"

const struct lua_doc lua_policy_docs[] = {
    {"policy.warp", "policy.warp{name=, pick=function(sm, ready) -> warp}",
     "sm: object, one a scheduler; ready: integer, a mask with one bit a warp slot; warp: integer, one of those in "
     "`ready`, or nil for none. Optional: issued=function(sm, warp, unit), unit \"sp\", \"sfu\", \"dp\", \"tensor\" or \"lsu\"; "
     "warps_started=function(sm, mask), warps_gone=function(sm, mask); explain=function(sm, ready, warp) -> place, text; "
     "stateless=boolean",
     "in a file for --warp-sched lua:FILE: chooses among the ready warps whenever the scheduler can issue. stateless "
     "= true promises that choices depend only on the arguments and sm's methods. Then there is no sm.state, and "
     "going back in time works. If the file's variables, global names, tables or random numbers have changed since it "
     "was loaded, going back is an error. "
     "explain is asked by `why pick` for each warp of ready, before pick: place is a number, the least is picked, or nil "
     "for a warp that pick would not take; text says why. It must change nothing; what it puts into words is lost",
     "an unknown field; a second policy.warp in the file. A warp that is not ready, an error or a used-up budget of "
     "10^6 instructions stops the machine"},
    {"policy.cta", "policy.cta{name=, next=function(k, sm) -> id}",
     "k: object, one a launch; sm: integer, the SM with room; id: integer, the CTA it gets, or nil for none. Optional: "
     "init=function(k), done=function(k, sm, cta), explain=function(k, sm) -> text, stateless=boolean",
     "in a file for --cta-sched lua:FILE: chooses the next CTA of an SM; is asked again when a CTA has finished or "
     "been "
     "placed. Ids in any order, but none 30,720 or more beyond k:first(). explain is asked by `why dispatch` before "
     "next: what decides. It must change nothing",
     "an unknown field; a second policy.cta in the file. An id that there is not or that is gone, an error or a "
     "used-up "
     "budget stops the machine"},
    {"policy.partition", "policy.partition{name=, plan=function(m) -> cycle}",
     "m: object, the machine; cycle: integer, when it wants to be asked next, or nil. Optional: "
     "explain=function(m, kernel) -> text, stateless=boolean",
     "in a file for --partition lua:FILE: says how many CTAs of each kernel an SM may hold (m:set). It is asked when a "
     "kernel has begun or ended, a CTA has ended, and at the cycle it returned; what it does not set stays as it was, for "
     "a new kernel as many as fit. explain is asked by `why partition` behind plan, for each launch: what gives it its "
     "quotas. What it sets is lost",
     "an unknown field; a second policy.partition in the file. A cycle that is not to come, an error or a used-up budget "
     "stops the machine"},
    {"policy.warps", "policy.warps(mask) -> iterator", "mask: integer",
     "for w in policy.warps(mask): the warps of a mask, "
     "ascending",
     ""},
    {"policy.next", "policy.next(mask[, from]) -> warp",
     "mask: integer; from: integer, 0 to 64 (0); warp: integer, nil for "
     "an empty mask",
     "the first warp of a mask at or after `from`, wrapping round", "`from` out of range"},
    {"policy.count", "policy.count(mask) -> n", "mask, n: integers", "how many warps a mask has", ""},
    {"policy.has", "policy.has(mask, warp) -> boolean", "mask: integer; warp: integer or nil, which is in none",
     "is the warp in the mask?", ""},
    {"sm.index", "sm.index, sm.scheduler, sm.mask", "integers: SM, scheduler of the SM, mask of its warp slots",
     "which scheduler this is", ""},
    {"sm.state", "sm.state", "table",
     "a table of the scheduler's own, which no snapshot has: a policy with it cannot go back in time; nil for a "
     "stateless policy, which may not give sm other fields either",
     "a stateless policy sets a field of sm"},
    {"sm:last", "sm:last() -> warp", "warp: integer or nil",
     "the warp picked last, nil when there is none or its CTA is gone", ""},
    {"sm:oldest", "sm:oldest(mask) -> warp", "mask: integer; warp: integer, nil for an empty mask",
     "the warp of a mask that was dispatched first", "the mask has " SLOT_ERRORS},
    {"sm:age", "sm:age(w) -> n", SLOT "n: integer", "order of dispatch, smaller = older", SLOT_ERRORS},
    {"sm:pc", "sm:pc(w) -> pc", SLOT "pc: integer, an instruction's index", "its next instruction", SLOT_ERRORS},
    {"sm:cta", "sm:cta(w) -> id", SLOT "id: integer", "its linear CTA id", SLOT_ERRORS},
    {"sm:kernel", "sm:kernel(w) -> launch", SLOT "launch: integer", "its launch", SLOT_ERRORS},
    {"sm:insts", "sm:insts(w) -> n", SLOT "n: integer", "instructions it has issued", SLOT_ERRORS},
    {"sm:since", "sm:since(w) -> cycle", SLOT "cycle: integer", "when its state changed last", SLOT_ERRORS},
    {"sm:loads", "sm:loads(w) -> n", SLOT "n: integer", "its loads in flight", SLOT_ERRORS},
    {"sm:state_of", "sm:state_of(w) -> name", "w: integer, a warp slot of this scheduler; name: string",
     "its state, as `info warps` shows it; \"empty\" for an empty slot", "a slot that is another scheduler's"},
    {"sm:in_state", "sm:in_state(name) -> mask",
     "name: string, ready memory short barrier fence sleep fetch done; mask: integer",
     "the scheduler's warps in a state", "no such state"},
    {"sm:cycle", "sm:cycle() -> cycle", "cycle: integer", "the present cycle", ""},
    {"sm:get", "sm:get(i) -> n", WORD,
     "one of the scheduler's 16 words, 0 at first; they go back in time with the machine", "no such word"},
    {"sm:put", "sm:put(i, n)", WORD, "sets one of the scheduler's words", "no such word"},
    {"k.kernel", "k.kernel, k.ctas, k.sms, k.name",
     "integers: launch, CTAs of the grid, SMs; string: the kernel's name", "which launch this is", ""},
    {"k.state", "k.state", "table", "a table of the launch's own; otherwise as sm.state",
     "a stateless policy sets a field of k"},
    {"k:first", "k:first() -> id", "id: integer", "the lowest id not dispatched, k.ctas when all are", ""},
    {"k:gone", "k:gone(id) -> boolean", "id: integer, 0 and more", "has the CTA been dispatched?", "a negative id"},
    {"k:dispatched", "k:dispatched() -> n", "n: integer", "CTAs dispatched so far", ""},
    {"k:resident", "k:resident(sm) -> n", "sm: integer, from 0; n: integer", "CTAs of the kernel on an SM",
     "no such SM"},
    {"k:cycle", "k:cycle() -> cycle", "cycle: integer", "the present cycle", ""},
    {"k:get", "k:get(i) -> n", WORD, "one of the launch's 16 words, 0 at first; they go back in time with the machine",
     "no such word"},
    {"k:put", "k:put(i, n)", WORD, "sets one of the launch's words", "no such word"},
    {"m.sms", "m.sms", "integer", "SMs of the machine", ""},
    {"m.state", "m.state", "table", "a table of the policy's own; otherwise as sm.state",
     "a stateless policy sets a field of m"},
    {"m:kernels", "m:kernels() -> {launch...}", "launch: integer",
     "the launches that run, in the order in which they are served: by priority, then as launched", ""},
    {"m:name", "m:name(k) -> name", KERNEL "name: string", "the kernel's name", KERNEL_ERRORS},
    {"m:program", "m:program(k) -> n", KERNEL "n: integer, from 0", "the host program that launched it", KERNEL_ERRORS},
    {"m:priority", "m:priority(k) -> n", KERNEL "n: integer, -5 to 5", "its stream's priority: the least comes first",
     KERNEL_ERRORS},
    {"m:left", "m:left(k) -> n", KERNEL "n: integer",
     "its CTAs that are to come: not dispatched yet, or taken off an SM and to come back", KERNEL_ERRORS},
    {"m:resident", "m:resident(k[, sm]) -> n", KERNEL "sm: integer, from 0; n: integer",
     "its CTAs on an SM, or on all of them", KERNEL_ERRORS "; no such SM"},
    {"m:most", "m:most(k) -> n", KERNEL "n: integer", "its CTAs that an empty SM can hold", KERNEL_ERRORS},
    {"m:limit", "m:limit(k) -> n", KERNEL "n: integer or nil",
     "the lowest limit that the CTA scheduler has set for an SM; nil: none yet", KERNEL_ERRORS},
    {"m:cta", "m:cta(k) -> {warps=, regs=, shared=}", KERNEL "integers: warps, registers, bytes",
     "what one of its CTAs takes of an SM", KERNEL_ERRORS},
    {"m:quota", "m:quota(k, sm) -> n", KERNEL "sm: integer, from 0; n: integer or nil",
     "how many CTAs of it an SM may hold; nil: as many as fit", KERNEL_ERRORS "; no such SM"},
    {"m:set", "m:set(k, sm[, n[, keep]])",
     KERNEL "sm: integer, from 0; n, keep: integers, 0 to 32 (cta-virtual=vt: 160), or nil",
     "from now on an SM may hold n CTAs of the kernel (nil: as many as fit). With `keep`, all but that many leave at "
     "once, by the preemption policy in use (with `none` they run to their end)",
     KERNEL_ERRORS "; no such SM; a number out of range"},
    {"m:order", "m:order{launch...}", "launch: integer", "the order in which the kernels are served from now on",
     "not the launches that run, each once"},
    {"m:pick", "m:pick(k, n) -> {sm...}", KERNEL "n, sm: integers",
     "of the SMs with CTAs of the kernel the n whose loss costs least, as the preemption policy in use estimates it",
     KERNEL_ERRORS "; more than there are SMs"},
    {"m:tell", "m:tell(k, before, after[, leave])", KERNEL "before, after, leave: integers, 0 and more; leave: 0",
     "emits the event `repartition`: a kernel's share was `before` and is now `after`; `leave` CTAs have to leave",
     KERNEL_ERRORS "; a number below 0"},
    {"m:cycle", "m:cycle() -> cycle", "cycle: integer", "the present cycle", ""},
    {"m:get", "m:get(i) -> n", WORD, "one of the policy's 16 words, 0 at first; they go back in time with the machine",
     "no such word"},
    {"m:put", "m:put(i, n)", WORD, "sets one of the policy's words", "no such word"},
    {NULL, NULL, NULL, NULL, NULL}};
