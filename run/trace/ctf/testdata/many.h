// An LTTng tracepoint with fields of all types.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER many
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "many.h"

#if !defined(MANY_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define MANY_H
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_ENUM(many, color, LTTNG_UST_TP_ENUM_VALUES(
	lttng_ust_field_enum_value("red", 1)
	lttng_ust_field_enum_range("several", 2, 5)
	lttng_ust_field_enum_value("negative", -3)))

LTTNG_UST_TRACEPOINT_EVENT(many, types,
	LTTNG_UST_TP_ARGS(int, n, const char *, s, double, d, short *, a, size_t, length),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, n, n)
		lttng_ust_field_integer(unsigned char, small, (unsigned char)n)
		lttng_ust_field_integer_hex(unsigned long, address, (unsigned long)n * 77)
		lttng_ust_field_string(text, s)
		lttng_ust_field_float(double, real, d)
		lttng_ust_field_float(float, single, d)
		lttng_ust_field_array(short, array, a, 3)
		lttng_ust_field_sequence(short, sequence, a, size_t, length)
		lttng_ust_field_array_text(char, letters, s, 4)
		lttng_ust_field_sequence_text(char, more, s, size_t, length)
		lttng_ust_field_integer_network(int, network, n)
		lttng_ust_field_enum(many, color, int, color, n % 7 - 3)))

LTTNG_UST_TRACEPOINT_EVENT(many, work_begin, LTTNG_UST_TP_ARGS(int, n), LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, n, n)))
LTTNG_UST_TRACEPOINT_EVENT(many, work_end, LTTNG_UST_TP_ARGS(int, n), LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, n, n)))
#endif

#include <lttng/tracepoint-event.h>
