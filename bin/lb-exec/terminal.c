/* terminal.c - our terminal, lent to what runs inside. */
#include <signal.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "exec.h"

static struct {
	struct termios old;
	bool is_raw;
	int resized; /* readable when our size is another one */
} terminal = {.resized = -1};

static void on_resize(int fd, uint32_t events, void *arg)
{
	struct lb_box_run **run = arg;
	struct signalfd_siginfo info;

	(void)events;
	if (read(fd, &info, sizeof(info)) == sizeof(info) && *run)
		lb_box_resize(*run);
}

void terminal_lend(struct lb_loop *loop, struct lb_box_run **run)
{
	struct termios raw;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	terminal.resized = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (terminal.resized >= 0)
		lb_loop_watch(loop, terminal.resized, EPOLLIN, on_resize, run);
	if (tcgetattr(STDIN_FILENO, &terminal.old) < 0)
		return;
	/* Keys go through as they are; what they mean is decided inside. */
	raw = terminal.old;
	cfmakeraw(&raw);
	terminal.is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

void terminal_take_back(struct lb_loop *loop)
{
	if (terminal.resized >= 0) {
		lb_loop_watch(loop, terminal.resized, 0, NULL, NULL);
		close(terminal.resized);
		terminal.resized = -1;
	}
	if (terminal.is_raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.old);
	terminal.is_raw = false;
}
