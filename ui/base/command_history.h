/* command_history: the command lines of earlier sessions, in readline's history. The plain console and the screen share
 * one file: $XDG_STATE_HOME/warpdbg_history (or ~/.local/state), or ~/.warpdbg_history if that directory is missing.
 * Without a home directory, or if the file cannot be used, the history lives as long as the session. */
#ifndef UI_BASE_COMMAND_HISTORY_H
#define UI_BASE_COMMAND_HISTORY_H
void command_history_load(void);
/* Adds a line unless it is blank or the same as the last one. */
void command_history_add(const char *line);
void command_history_save(void);
#endif
