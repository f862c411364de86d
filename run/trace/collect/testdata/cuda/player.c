/* player SEED STEPS THREADS [fork|together|nvtx|modules|time|scripts COUNT]: plays a script of calls generated from the seed, and
 * prints how often it did what. With THREADS 0 it never uses CUDA. With `fork` two processes play one after the
 * other, with `together` at the same time. `nvtx` makes ranges, `modules` unloads a module between two kernels, `time`
 * measures STEPS launches, and `scripts` plays COUNT scripts, with ranges among the calls. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "standin.h"

enum { KERNELS = 4, KINDS = 12 };
static struct standin_function kernels[KERNELS] = {
	{"_Z4axpyifPKfPf"}, {"_ZN3app5scaleIfEEvPT_"}, {"_ZN3app5scaleIdEEvPT_"}, {"plain"},
};
static const char *const counted[KERNELS + KINDS] = {
	"axpy", "app::scale<float>", "app::scale<double>", "plain", "CUDA_memcpy_HtoD", "CUDA_memcpy_DtoH", "CUDA_memcpy_DtoD", "CUDA_memcpy_async", "CUDA_memset",
	"CUDA_malloc", "CUDA_free", "CUDA_event_record", "CUDA_stream_synchronize", "CUDA_device_synchronize", "CUDA_graph_launch",
};
static unsigned long counts[KERNELS + KINDS];

struct player { unsigned long seed; int steps; pthread_t thread; };

/* NVTX as its header implements it: a table of functions that a tool may replace. */
enum { MARK = 2, START_EX = 4, START = 5, END = 7, PUSH_EX = 8, PUSH = 9, POP = 11, CORE_SIZE = 16 };
typedef void (*function)(void);
static function core[CORE_SIZE];
static function *core_table[CORE_SIZE];
static _Atomic uint64_t started; /* a range, which any thread may end */

static int module(int number, function ***table, unsigned *size)
{
	*table = core_table, *size = CORE_SIZE;
	return number == 1;
}

static const struct { size_t size; int (*module)(int, function ***, unsigned *); } callbacks = {sizeof callbacks, module};
static const void *find(uint32_t what) { return what == 1 ? &callbacks : NULL; }

static int begin_nvtx(void)
{
	for (int i = 0; i < CORE_SIZE; i++)
		core_table[i] = &core[i];
	void *tool = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_NOW);
	int (*initialize)(const void *(*)(uint32_t)) = tool ? (int (*)(const void *(*)(uint32_t)))dlsym(tool, "InitializeInjectionNvtx2") : NULL;
	return initialize && initialize(find);
}

static void play_range(unsigned what)
{
	if (!core[START])
		return;
	switch (what % 4) {
	case 0: ((int (*)(const char *))core[PUSH])("pushed"); break;
	case 1: ((int (*)(void))core[POP])(); break;
	case 2: ((void (*)(const char *))core[MARK])("marked"); break;
	case 3: ((void (*)(uint64_t))core[END])(__atomic_exchange_n(&started, ((uint64_t (*)(const char *))core[START])("started"), __ATOMIC_RELAXED)); break;
	}
}

static unsigned next(unsigned long *seed) { return (*seed = *seed * 6364136223846793005ul + 1442695040888963407ul) >> 33; }

/* What a compiler makes of a launch: the runtime, linked into the program and with
 * some internal calls, and before it a function with the symbol of the kernel. */
static __attribute__((noinline)) int libcudart_static_call(int further, struct standin_function *f, void *stream)
{
	int failed = further ? libcudart_static_call(further - 1, f, stream) : (int)cuLaunchKernel(f, 4, 2, 1, 256, 1, 1, 0, stream, NULL, NULL);
	return failed ? failed : 0;
}

static __attribute__((noinline)) int cudaLaunchKernel(struct standin_function *f, void *stream)
{
	int failed = libcudart_static_call(9, f, stream);
	return failed ? failed : 0;
}

__attribute__((noinline)) int _Z4axpyifPKfPf(void *stream)
{
	int failed = cudaLaunchKernel(&kernels[0], stream);
	return failed ? failed : 0;
}

static __attribute__((noinline)) int __wrapper__device_stub_plain(void *stream) /* as before a template */
{
	int failed = cudaLaunchKernel(&kernels[3], stream);
	return failed ? failed : 0;
}

/* An optimising compiler inlines both into the function that launches. */
static inline __attribute__((always_inline)) int cudaLaunchKernelExC(struct standin_function *f, void *stream)
{
	return cuLaunchKernel(f, 4, 2, 1, 256, 1, 1, 0, stream, NULL, NULL);
}

static inline __attribute__((always_inline)) int _ZN3app5scaleIdEEvPT_(void *stream) { return cudaLaunchKernelExC(&kernels[2], stream); }

static __attribute__((noinline)) void launch(unsigned kernel, void *stream)
{
	if (kernel == 0)
		_Z4axpyifPKfPf(stream); /* axpy is launched here */
	else if (kernel == 3)
		__wrapper__device_stub_plain(stream); /* plain here */
	else if (kernel == 2)
		_ZN3app5scaleIdEEvPT_(stream); /* scale<double> here */
	else
		cuLaunchKernel(&kernels[kernel], 4, 2, 1, 256, 1, 1, 0, stream, NULL, NULL); /* the others here */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void *play(void *argument)
{
	struct player *p = argument;
	char host[64];
	for (int i = 0; i < p->steps; i++) {
		unsigned what = next(&p->seed) % 20;
		void *stream = (void *)(unsigned long)(next(&p->seed) % 4);
		uint64_t a = 1 << 20, b = (1 << 20) + 64;
		switch (what) {
		default:
			what = next(&p->seed) % KERNELS;
			launch(what, stream);
			break;
		case 4: cuMemcpyHtoD_v2(a, host, 64); break;
		case 5: cuMemcpyDtoH_v2(host, a, 64); break;
		case 6: cuMemcpy(a, b, 64); break;
		case 7: cuMemcpyHtoDAsync_v2(a, host, 64, stream); break;
		case 8: cuMemsetD8Async(a, 1, 64, stream); break;
		case 9: cuMemAlloc_v2(&a, 64); break;
		case 10: cuMemFree_v2(a); break;
		case 11: cuEventRecord(&counts, stream); break;
		case 12: cuStreamSynchronize(stream); break;
		case 13: cuCtxSynchronize_v2(NULL); break;
		case 14: cuGraphLaunch(&counts, stream); break;
		case 15: play_range(next(&p->seed)); break;
		}
		__atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *end_range(void *id)
{
	((void (*)(uint64_t))core[END])((uint64_t)(unsigned long)id);
	((void (*)(uint64_t))core[END])((uint64_t)(unsigned long)id); /* once too often */
	((void (*)(uint64_t))core[END])(12345); /* a range that was never started */
	return NULL;
}

static int ranges(int times)
{
	if (!begin_nvtx())
		return 1;
	struct { uint16_t version, size; uint32_t more[5]; uint64_t payload; int32_t type; const char *message; } inner = {2, 48, {0}, 0, 1, "inner"};
	for (int i = 0; i < times; i++) {
		((int (*)(const char *))core[PUSH])("outer");
		((int (*)(const void *))core[PUSH_EX])(&inner);
		((void (*)(const char *))core[MARK])("here");
		uint64_t id = ((uint64_t (*)(const char *))core[START])("across");
		pthread_t other;
		((int (*)(void))core[POP])();
		((int (*)(void))core[POP])();
		((uint64_t (*)(const char *))core[START])("never ended");
		pthread_create(&other, NULL, end_range, (void *)(unsigned long)id);
		pthread_join(other, NULL);
	}
	return 0;
}

/* A kernel whose name is at the address of another kernel's name, whose module was unloaded before. */
static void modules(int times)
{
	char name[8] = "first";
	struct standin_function kernel = {name};
	for (int i = 0; i < times; i++)
		cuLaunchKernel(&kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
	cuModuleUnload(NULL);
	strcpy(name, "second");
	for (int i = 0; i < 2 * times; i++)
		cuLaunchKernel(&kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

int main(int argc, char **argv)
{
	unsigned long seed = strtoul(argv[1], NULL, 10);
	int steps = atoi(argv[2]), threads = atoi(argv[3]);
	struct player players[16];
	const char *how = argc > 4 ? argv[4] : "";
	int together = !strcmp(how, "together"), status = 0;
	pid_t child = together || !strcmp(how, "fork") ? fork() : 0;
	if (child && !together && (waitpid(child, &status, 0) != child || status))
		return 1;
	if (!strcmp(how, "nvtx"))
		return ranges(steps);
	if (threads)
		cuInit(0);
	if (!strcmp(how, "modules"))
		return modules(steps), 0;
	if (!strcmp(how, "time")) {
		double empty, own;
		standin_time(&kernels[0], steps, &empty, &own);
		return printf("%.2f %.2f\n", empty, own) < 0;
	}
	int scripts = strcmp(how, "scripts") ? 1 : begin_nvtx() * atoi(argv[5]);
	for (int s = 0; s < scripts; s++) {
		for (int i = 0; i < threads; i++) {
			players[i] = (struct player){.seed = seed + s * threads + i, .steps = steps};
			pthread_create(&players[i].thread, NULL, play, &players[i]);
		}
		for (int i = 0; i < threads; i++)
			pthread_join(players[i].thread, NULL);
	}
	if (threads)
		cuCtxSynchronize_v2(NULL), counts[13]++;
	for (int i = 0; i < KERNELS + KINDS; i++)
		if (counted[i])
			printf("%s=%lu\n", counted[i], counts[i]);
	if (threads)
		printf("device=%lu\nrecords=%lu\n", standin_ran(), standin_kept());
	fflush(stdout);
	if (child && together)
		waitpid(child, &status, 0);
	return status != 0;
}
