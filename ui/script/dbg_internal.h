/* What the files of the module dbg share. */
#ifndef UI_SCRIPT_DBG_INTERNAL_H
#define UI_SCRIPT_DBG_INTERNAL_H
#include "script/dbg.h"

/* The event whose name is at a stack index, and its filter, a table or nothing; errors name what is wrong. */
enum event_type lua_dbg_check_event(lua_State *L, int at);
void lua_dbg_check_filter(lua_State *L, int at, enum event_type t, struct event_filter *f);
/* For what goes to other cycles: a Lua error where that may not be, or while a run is under way. */
void lua_dbg_check_standing(lua_State *L, const char *what);
/* Rows of the module, documented in dbg.c. */
int lua_dbg_on(lua_State *L);
int lua_dbg_off(lua_State *L);
int lua_dbg_break_on(lua_State *L);
int lua_dbg_step(lua_State *L);
int lua_dbg_continue(lua_State *L);
int lua_dbg_run_until(lua_State *L);
int lua_dbg_execute(lua_State *L);
int lua_dbg_inspect(lua_State *L);
int lua_dbg_preempt(lua_State *L);
int lua_dbg_give_back(lua_State *L);
int lua_dbg_goto_cycle(lua_State *L);
int lua_dbg_pause_cta(lua_State *L);
int lua_dbg_resume_cta(lua_State *L);
int lua_dbg_halt_cta(lua_State *L);
int lua_dbg_drop_cta(lua_State *L);
int lua_dbg_save_cta(lua_State *L);
int lua_dbg_restore_cta(lua_State *L);
int lua_dbg_snapshot(lua_State *L);
int lua_dbg_events(lua_State *L);
int lua_dbg_over(lua_State *L);
int lua_dbg_series(lua_State *L);
int lua_dbg_lanes(lua_State *L);
int lua_dbg_figure(lua_State *L);
int lua_dbg_findings(lua_State *L);
int lua_dbg_swaps(lua_State *L);
int lua_dbg_moves(lua_State *L);
int lua_dbg_programs(lua_State *L);
int lua_dbg_counters(lua_State *L);
int lua_dbg_diagnose(lua_State *L);
int lua_dbg_whatif(lua_State *L);
int lua_dbg_follow(lua_State *L);
int lua_dbg_latency(lua_State *L);
int lua_dbg_reuse(lua_State *L);
int lua_dbg_roofline(lua_State *L);
int lua_dbg_cachemap(lua_State *L);
int lua_dbg_why_pick(lua_State *L);
int lua_dbg_why_dispatch(lua_State *L);
#endif
