// How faults end the program: an access to unmapped memory, a failing division.
//
// Go handles the signals of faults and ends the program with the stacks of its own threads, even if
// the fault is the program's. The code here makes a fault end the program with its own signal, as it
// would without the library. If the fault is in the library, one line is written first.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "bridge.h"

// The library function that this thread is executing; NULL while it runs code of the program. The variable
// has a fixed address, so that a signal handler can read it.
__thread struct bridge_call bridge_call __attribute__((tls_model("initial-exec")));

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
enum { COUNT = sizeof signals / sizeof *signals };

static struct sigaction before[COUNT]; // the program's actions when the library was loaded
static struct sigaction go[COUNT];     // the actions that Go has set

// Priority 101 runs this constructor before the one that starts Go.
__attribute__((constructor(101))) static void remember(void)
{
	for (int i = 0; i < COUNT; i++) sigaction(signals[i], NULL, &before[i]);
}

// recoverable reports whether Go turns a fault in its code into an error, which the call then returns:
// a nil pointer or a division by zero.
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
			"libpdi: %s%s%.200s%s uses memory at %p, which does not exist: the program shared a wrong pointer, freed the memory, or declares a larger type than it has\n",
			bridge_call.function, bridge_call.name ? " of `" : "", bridge_call.name ? bridge_call.name : "", bridge_call.name ? "`" : "", info->si_addr);
		(void)!write(STDERR_FILENO, line, length); // a long name is truncated, so the line fits
	}
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigaction(signal, &plain, NULL);
	if (sent) raise(signal); // otherwise the instruction fails again, and now ends the program
}

void bridge_guard(void)
{
	static bool guarded;
	if (guarded) return;
	guarded = true;
	Dl_info self, theirs;
	if (!dladdr((void *)fault, &self)) return;
	for (int i = 0; i < COUNT; i++) {
		if (before[i].sa_handler != SIG_DFL) continue; // Go passes signals of other code on to it
		if (sigaction(signals[i], NULL, &go[i]) || !dladdr((void *)go[i].sa_sigaction, &theirs) || theirs.dli_fbase != self.dli_fbase)
			continue; // the program has set its own action since
		struct sigaction ours = {.sa_sigaction = fault, .sa_flags = go[i].sa_flags, .sa_mask = go[i].sa_mask};
		sigaction(signals[i], &ours, NULL);
	}
}
