/* tty: restores the terminal as it was, also from the handler of a signal that ends the process. */
#ifndef UI_BASE_TTY_H
#define UI_BASE_TTY_H

/* From here on the terminal on standard input is to be given back with the settings it has now, and `reset` (a string
 * constant) sent before that. */
void tty_keep(const char *reset);
/* Whoever changed it has put it back himself. */
void tty_kept_no_more(void);
/* Never waits: not for a terminal that takes nothing, nor for one that belongs to another job. Safe in a handler. */
void tty_give_back(void);
/* Gives it back and ends the process by the signal's default action; for handlers of any flags. */
void tty_end_by(int sig);
#endif
