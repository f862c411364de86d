// What becomes of a fault: a pointer into memory that is not there, a failing division.
//
// Go takes the signals of faults and ends the program with the stacks of all its own threads, also
// where the fault is the program's. Here a fault ends the program by its own signal, as it would
// without the library, and in the library with one line before.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "bridge.h"

// The call of the library that this thread is in; NULL: it runs code of the program. The place of the
// variable is fixed, so that a handler of signals can read it.
__thread struct bridge_call bridge_call __attribute__((tls_model("initial-exec")));

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
enum { COUNT = sizeof signals / sizeof *signals };

static struct sigaction before[COUNT]; // what the program had when the library was loaded
static struct sigaction go[COUNT];     // what Go has made of it

// Priority 101 is before the start of Go, which is a constructor too.
__attribute__((constructor(101))) static void remember(void)
{
	for (int i = 0; i < COUNT; i++) sigaction(signals[i], NULL, &before[i]);
}

// recoverable reports whether Go makes an error of a fault in its code, which the call then returns: a
// pointer without a value, or a division by zero.
static bool recoverable(int signal, const siginfo_t *info)
{
	if (signal == SIGFPE) return info->si_code > 0;
	return signal == SIGSEGV && (info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR) && (uintptr_t)info->si_addr < 4096;
}

static void fault(int signal, siginfo_t *info, void *context)
{
	if (bridge_call.function && recoverable(signal, info)) {
		for (int i = 0; i < COUNT; i++) {
			if (signals[i] == signal) go[i].sa_sigaction(signal, info, context);
		}
		return;
	}
	bool sent = info->si_code <= 0; // by kill, not by an instruction
	if (bridge_call.function && !sent) {
		char line[512];
		int length = snprintf(line, sizeof line,
			"libpdi: %s%s%.200s%s uses memory at %p, which is not there: the program shared a wrong pointer, freed the memory, or declares a larger type than it has\n",
			bridge_call.function, bridge_call.name ? " of `" : "", bridge_call.name ? bridge_call.name : "", bridge_call.name ? "`" : "", info->si_addr);
		(void)!write(STDERR_FILENO, line, length); // the name is cut, so it fits
	}
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigaction(signal, &plain, NULL);
	if (sent) raise(signal); // else the instruction fails again, now for good
}

void bridge_guard(void)
{
	static bool guarded;
	if (guarded) return;
	guarded = true;
	Dl_info self, theirs;
	if (!dladdr((void *)fault, &self)) return;
	for (int i = 0; i < COUNT; i++) {
		if (before[i].sa_handler != SIG_DFL) continue; // Go hands on to it what is not Go's
		if (sigaction(signals[i], NULL, &go[i]) || !dladdr((void *)go[i].sa_sigaction, &theirs) || theirs.dli_fbase != self.dli_fbase)
			continue; // the program has taken the signal since
		struct sigaction ours = {.sa_sigaction = fault, .sa_flags = go[i].sa_flags, .sa_mask = go[i].sa_mask};
		sigaction(signals[i], &ours, NULL);
	}
}
