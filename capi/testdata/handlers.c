// Error handlers: each thread has its own, and a handler may leave with longjmp any
// number of times.
#include "check.h"

#include <pthread.h>
#include <setjmp.h>

static jmp_buf back;
static int calls;

static void leap(PDI_status_t status, const char *message, void *context)
{
	(void)message;
	EXPECT(context == &calls);
	EXPECT(status == PDI_ERR_STATE);
	calls++;
	longjmp(back, 1);
}

static void *in_thread(void *unused)
{
	(void)unused;
	PDI_errhandler(PDI_NULL_HANDLER); // does not affect the other thread
	EXPECT(!strcmp(PDI_errmsg(), ""));
	for (int i = 0; i < 1000; i++) {
		int v = i;
		EXPECT(PDI_expose("m", &v, PDI_OUT) == PDI_OK);
		EXPECT(PDI_reclaim("d") == PDI_ERR_STATE);
		EXPECT(strstr(PDI_errmsg(), "`d'"));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 20000;
	begin("logging: error\nmetadata: {m: int}\ndata: {d: int}");
	PDI_errhandler_t mine = {leap, &calls};
	EXPECT(PDI_errhandler(mine).func == PDI_NULL_HANDLER.func);
	for (volatile int i = 0; i < times; i++) {
		if (!setjmp(back)) {
			PDI_reclaim("d");
			EXPECT(!"reached");
		}
	}
	EXPECT(calls == times);

	pthread_t threads[4];
	for (int i = 0; i < 4; i++) EXPECT(!pthread_create(&threads[i], NULL, in_thread, NULL));
	for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
	EXPECT(calls == times);

	EXPECT(PDI_errhandler(PDI_WARN_HANDLER).func == leap);
	EXPECT(PDI_reclaim("d") == PDI_ERR_STATE);
	PDI_errhandler(PDI_ASSERT_HANDLER);
	PDI_reclaim("d"); // ends the program with the status
	return 0;
}
