/*
 * This object is linked into each program and library that is built with coverage. It
 * gives each process a directory of its own below GIT_AGENT_COVERAGE, in which it notes
 * the program, its arguments and its end, and in which the profiles go. They are written
 * even if a signal ends the process.
 *
 * With GIT_AGENT_SPLIT the process also writes a profile each time it prints a line that
 * may say how a test ended. The profile of a line holds what ran since the line before.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

extern void __gcov_dump(void);
extern void __gcov_reset(void);
extern void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

/* Each program and library has counters of its own, and functions that write them. */
struct module {
	void (*dump)(void);
	void (*reset)(void);
	struct module *next;
};

struct process {
	struct module *modules;
	int pieces;
	char dir[3800];
};

static struct module self = {__gcov_dump, __gcov_reset, NULL};
static struct process *process;
static char stack[1 << 18];

enum { MAX_PIECES = 1000, MAX_LINE = 1000 };

static void put(const char *name, const char *text, size_t size)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", process->dir, name);
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

static void dump_all(void)
{
	struct module *m;

	for (m = process->modules; m; m = m->next)
		m->dump();
}

static void on_signal(int sig)
{
	signal(sig, SIG_DFL);
	put_exit(128 + sig);
	alarm(5); /* the profile may wait for a lock that the process holds */
	dump_all();
	alarm(0);
	raise(sig);
}

static void on_death(void)
{
	put_exit(1);
	dump_all();
}

/* prefix makes the profiles go to a directory of the process. */
static void prefix(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", process->dir, name);
	mkdir(path, 0700);
	setenv("GCOV_PREFIX", path, 1);
}

#ifdef __GLIBC__
static void at_exit(int code, void *unused)
{
	(void)unused;
	put_exit(code);
}

/* A stream copies what is written to a descriptor, and collects its lines. */
struct stream {
	int fd;
	size_t length;
	char line[MAX_LINE];
};

static int may_tell(const char *line)
{
	static const char *const words[] = {"ok", "OK", "PASS", "FAIL", "pass", "fail", "Pass", "Fail"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(line, words[i]))
			return 1;
	return 0;
}

static void end_line(struct stream *s)
{
	struct module *m;
	char name[64];

	s->line[s->length] = '\0';
	if (may_tell(s->line) && process->pieces < MAX_PIECES) {
		snprintf(name, sizeof(name), "piece-%04d", ++process->pieces);
		prefix(name);
		dump_all();
		for (m = process->modules; m; m = m->next)
			m->reset();
		prefix("rest");
		strcat(name, "/line");
		put(name, s->line, s->length);
	}
	s->length = 0;
}

static ssize_t on_write(void *cookie, const char *text, size_t size)
{
	struct stream *s = cookie;
	size_t i, done = 0;

	while (done < size) {
		ssize_t n = write(s->fd, text + done, size - done);
		if (n < 0)
			return 0;
		done += (size_t)n;
	}
	for (i = 0; i < size; i++) {
		if (text[i] == '\n')
			end_line(s);
		else if (s->length < MAX_LINE - 1)
			s->line[s->length++] = text[i];
	}
	return (ssize_t)size;
}

/* watch returns a stream that stands for the one of a descriptor. */
static FILE *watch(FILE *old, int fd, int mode)
{
	static struct stream streams[3];
	cookie_io_functions_t io = {.write = on_write};
	FILE *f;

	streams[fd].fd = fd;
	f = fopencookie(&streams[fd], "w", io);
	if (!f)
		return old;
	setvbuf(f, NULL, mode, 0);
	f->_fileno = fd; /* for fileno */
	return f;
}
#endif

/*
 * joined returns the process if another module of it was here first. The variable names
 * its address, and bytes that are different after each exec.
 */
static struct process *joined(char *mark, size_t size)
{
	const char *known = getenv("GIT_AGENT_PROCESS");
	unsigned long long random = 0;
	void *at = NULL;

#ifdef __linux__
	if (getauxval(AT_RANDOM))
		memcpy(&random, (const void *)(uintptr_t)getauxval(AT_RANDOM), sizeof(random));
#endif
	snprintf(mark, size, "%llx-%ld:", random, (long)getpid());
	if (known && strncmp(known, mark, strlen(mark)) == 0 && sscanf(known + strlen(mark), "%p", &at) == 1)
		return at;
	return NULL;
}

static void note_program(void)
{
	static char text[1 << 16];
	ssize_t n;
	int fd;

	n = readlink("/proc/self/exe", text, sizeof(text));
	if (n > 0)
		put("program", text, (size_t)n);
	if (getcwd(text, sizeof(text)))
		put("cwd", text, strlen(text));
	fd = open("/proc/self/cmdline", O_RDONLY);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text));
		if (n > 0)
			put("args", text, (size_t)n);
		close(fd);
	}
}

static void catch_signals(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGTERM};
	struct sigaction act;
	stack_t alt;
	size_t i;

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
}

__attribute__((constructor)) static void begin(void)
{
	const char *to = getenv("GIT_AGENT_COVERAGE");
	char mark[128];

	if (!to)
		return;
	process = joined(mark, sizeof(mark));
	if (!process) {
		process = calloc(1, sizeof(*process));
		if (!process)
			return;
		if (snprintf(process->dir, sizeof(process->dir), "%s/process-XXXXXX", to) >= (int)sizeof(process->dir) || !mkdtemp(process->dir)) {
			process = NULL;
			return;
		}
		snprintf(mark + strlen(mark), sizeof(mark) - strlen(mark), "%p", (void *)process);
		setenv("GIT_AGENT_PROCESS", mark, 1);
		unsetenv("GCOV_PREFIX_STRIP");
		prefix("rest");
		note_program();
		catch_signals();
#ifdef __GLIBC__
		on_exit(at_exit, NULL);
		if (getenv("GIT_AGENT_SPLIT")) {
			stdout = watch(stdout, 1, _IOLBF);
			stderr = watch(stderr, 2, _IONBF);
		}
#endif
	}
	self.next = process->modules;
	process->modules = &self;
}

__attribute__((destructor)) static void finish(void)
{
	struct module **m;

	if (!process)
		return;
	for (m = &process->modules; *m; m = &(*m)->next)
		if (*m == &self) {
			*m = self.next;
			return;
		}
}
