/*
 * This object is linked into each program that is built with coverage. It gives each
 * process a directory of its own below GIT_AGENT_COVERAGE for its profile, notes there
 * which program it is and how it ends, and writes the profile even if a signal ends the
 * process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void __gcov_dump(void);
extern void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

static char dir[4096];
static char stack[1 << 18];

static void put(const char *name, const char *text, size_t size)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return;
	if (write(fd, text, size) < 0)
		unlink(path);
	close(fd);
}

static void put_exit(int code)
{
	char text[16];

	put("exit", text, (size_t)snprintf(text, sizeof(text), "%d", code));
}

static void on_signal(int sig)
{
	signal(sig, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	put_exit(128 + sig);
	alarm(5); /* the profile may wait for a lock that the process holds */
	__gcov_dump();
	exit(128 + sig); /* libraries write their profiles at exit */
}

static void on_death(void)
{
	put_exit(1);
	__gcov_dump();
}

#ifdef __GLIBC__
static void at_exit(int code, void *unused)
{
	(void)unused;
	put_exit(code);
}
#endif

__attribute__((constructor)) static void begin(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGTERM};
	const char *to = getenv("GIT_AGENT_COVERAGE");
	struct sigaction act;
	stack_t alt;
	char text[4096];
	ssize_t n;
	size_t i;

	if (!to || snprintf(dir, sizeof(dir), "%s/process-XXXXXX", to) >= (int)sizeof(dir) || !mkdtemp(dir))
		return;
	setenv("GCOV_PREFIX", dir, 1);
	unsetenv("GCOV_PREFIX_STRIP");
	n = readlink("/proc/self/exe", text, sizeof(text));
	if (n > 0)
		put("program", text, (size_t)n);
	if (getcwd(text, sizeof(text)))
		put("cwd", text, strlen(text));
	memset(&alt, 0, sizeof(alt));
	alt.ss_sp = stack;
	alt.ss_size = sizeof(stack);
	sigaltstack(&alt, NULL);
	memset(&act, 0, sizeof(act));
	act.sa_handler = on_signal;
	act.sa_flags = SA_ONSTACK;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &act, NULL);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(on_death);
#ifdef __GLIBC__
	on_exit(at_exit, NULL);
#endif
}
