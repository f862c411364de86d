#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER pentode_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./bench_lttng.h"
#if !defined(BENCH_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(pentode_bench, two, LTTNG_UST_TP_ARGS(int, flags, long, code),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, flags, flags) lttng_ust_field_integer(long, code, code)))
#endif
#include <lttng/tracepoint-event.h>
