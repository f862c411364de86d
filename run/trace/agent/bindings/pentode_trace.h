/* Regions and marks of your own in a trace, and knobs of the trace configuration.
 *
 * Without `pentode trace record` every call returns at once. Link no library: the
 * functions are weak symbols, which the tracer defines.
 */
#ifndef PENTODE_TRACE_H
#define PENTODE_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

#pragma weak pentode_trace_region_begin
#pragma weak pentode_trace_region_end
#pragma weak pentode_trace_mark
#pragma weak pentode_trace_knob_int
#pragma weak pentode_trace_knob_double
#pragma weak pentode_trace_knob_string
void pentode_trace_region_begin(const char *name);
void pentode_trace_region_end(const char *name);
void pentode_trace_mark(const char *name);
int pentode_trace_knob_int(const char *name, int otherwise);
double pentode_trace_knob_double(const char *name, double otherwise);
const char *pentode_trace_knob_string(const char *name, const char *otherwise);

static inline void pentode_region_begin(const char *name)
{
	if (pentode_trace_region_begin)
		pentode_trace_region_begin(name);
}

static inline void pentode_region_end(const char *name)
{
	if (pentode_trace_region_end)
		pentode_trace_region_end(name);
}

/* A moment, such as a checkpoint. */
static inline void pentode_mark(const char *name)
{
	if (pentode_trace_mark)
		pentode_trace_mark(name);
}

static inline int pentode_knob_int(const char *name, int otherwise)
{
	return pentode_trace_knob_int ? pentode_trace_knob_int(name, otherwise) : otherwise;
}

static inline double pentode_knob_double(const char *name, double otherwise)
{
	return pentode_trace_knob_double ? pentode_trace_knob_double(name, otherwise) : otherwise;
}

static inline const char *pentode_knob_string(const char *name, const char *otherwise)
{
	return pentode_trace_knob_string ? pentode_trace_knob_string(name, otherwise) : otherwise;
}

#ifdef __cplusplus
}

namespace pentode {
/* A region that ends where its variable goes out of scope, also by an exception:
 *
 *     pentode::region step("step");
 */
class region {
	const char *name_;

public:
	explicit region(const char *name) : name_(name) { pentode_region_begin(name_); }
	~region() { pentode_region_end(name_); }
	region(const region &) = delete;
	region &operator=(const region &) = delete;
};
} // namespace pentode
#endif
#endif
