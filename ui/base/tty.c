#include "base/tty.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct {
	volatile sig_atomic_t kept;
	struct termios saved;
	const char *reset;
} tty;

void tty_keep(const char *reset)
{
	if (tcgetattr(STDIN_FILENO, &tty.saved))
		return;
	tty.reset = reset;
	tty.kept = 1;
}

void tty_kept_no_more(void)
{
	tty.kept = 0;
}

static bool send(const char *text)
{
	return write(STDOUT_FILENO, text, strlen(text)) == (ssize_t)strlen(text);
}

/* CAN ends an escape sequence of which the terminal has got only the beginning. */
static void send_reset(void)
{
	if (send("\030") && send(tty.reset))
		return;
	tcflush(STDOUT_FILENO, TCOFLUSH); /* its buffer is full of what nobody reads any more */
	send("\030");
	send(tty.reset);
}

void tty_give_back(void)
{
	if (!tty.kept)
		return;
	tty.kept = 0;
	signal(SIGTTOU, SIG_IGN); /* in the background tcsetattr would stop the process */
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	if (flags >= 0 && *tty.reset) {
		fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
		send_reset();
		fcntl(STDOUT_FILENO, F_SETFL, flags); /* others have this terminal too */
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &tty.saved);
}

void tty_end_by(int sig)
{
	sigset_t set;
	tty_give_back();
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}
