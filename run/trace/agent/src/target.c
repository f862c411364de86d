/* OpenMP's work on devices: target regions, data movement, kernels, and the
 * devices themselves. A runtime that has these callbacks calls them at the begin
 * and at the end of each (EMI); older callbacks without ends are not used.
 *
 * The callbacks are always enabled, because these events are rare and expensive anyway. */
#include "ompt.h"

enum {
	TARGET = 8, DATA_OP = 9, DEVICE_INITIALIZE = 12, DEVICE_FINALIZE, DEVICE_LOAD, DEVICE_UNLOAD,
	TARGET_EMI = 33, DATA_OP_EMI, SUBMIT_EMI, MAP_EMI,
};

/* wanted is traced for an event that also has an older name. */
static int wanted(struct thread *t, unsigned event, unsigned older) { return t && (traced(t, event) || (older && traced(t, older))); }

static uint64_t target_id(const data *target) { return target ? target->value : 0; }

static void target_emi(int kind, int endpoint, int device, data *task, data *target_task, data *target, const void *code)
{
	(void)target_task;
	struct thread *t = awake();
	if (t && endpoint == BEGIN_OF && target)
		target->value = new_task(t) >> SCOPE_BITS;
	if (wanted(t, TARGET_EMI, TARGET))
		OMP(t, endpoint == END_OF ? R_target_end : R_target_begin, kind, device, task_id(task), target_id(target), relative(code));
}

static void data_op_emi(int endpoint, data *target_task, data *target, uint64_t *operation, int kind, void *from, int from_device, void *to, int to_device, size_t bytes, const void *code)
{
	(void)target_task, (void)operation;
	struct thread *t = awake();
	if (wanted(t, DATA_OP_EMI, DATA_OP))
		OMP(t, endpoint == END_OF ? R_target_data_op_end : R_target_data_op_begin, target_id(target), kind, (uint64_t)from, from_device, (uint64_t)to, to_device, bytes, code ? relative(code) : 0);
}

static void submit_emi(int endpoint, data *target, uint64_t *operation, unsigned teams)
{
	(void)operation;
	struct thread *t = awake();
	if (wanted(t, SUBMIT_EMI, 0))
		OMP(t, endpoint == END_OF ? R_target_submit_end : R_target_submit_begin, target_id(target), teams);
}

static void map_emi(data *target, unsigned count, void **host, void **device, size_t *bytes, unsigned *flags, const void *code)
{
	(void)host, (void)device, (void)flags;
	struct thread *t = awake();
	uint64_t sum = 0;
	if (!wanted(t, MAP_EMI, 0))
		return;
	for (unsigned i = 0; bytes && i < count; i++)
		sum += bytes[i];
	OMP(t, R_target_map, target_id(target), count, sum, code ? relative(code) : 0);
}

static void device_initialize(int device, const char *type, void *handle, function (*find)(const char *), const char *documentation)
{
	(void)handle, (void)find, (void)documentation;
	struct thread *t = awake();
	if (!wanted(t, DEVICE_INITIALIZE, 0))
		return;
	uint64_t hash = name_hash(type ? type : "");
	introduce(t, type ? type : "", hash);
	OMP(t, R_device_initialize, device, hash);
}

static void device_finalize(int device)
{
	struct thread *t = awake();
	if (wanted(t, DEVICE_FINALIZE, 0))
		OMP(t, R_device_finalize, device);
}

static void device_load(int device, const char *file, int64_t offset, void *at, size_t bytes, void *host, void *on_device, uint64_t module)
{
	(void)file, (void)offset, (void)at, (void)host, (void)on_device;
	struct thread *t = awake();
	if (wanted(t, DEVICE_LOAD, 0))
		OMP(t, R_device_load, device, module, bytes);
}

static void device_unload(int device, uint64_t module)
{
	struct thread *t = awake();
	if (wanted(t, DEVICE_UNLOAD, 0))
		OMP(t, R_device_unload, device, module);
}

void listen_to_targets(set_callback set)
{
	static const struct { int event, older; function call; } list[] = {
		{TARGET_EMI, TARGET, (function)target_emi}, {DATA_OP_EMI, DATA_OP, (function)data_op_emi},
		{SUBMIT_EMI, SUBMIT_EMI, (function)submit_emi}, {MAP_EMI, MAP_EMI, (function)map_emi},
		{DEVICE_INITIALIZE, DEVICE_INITIALIZE, (function)device_initialize}, {DEVICE_FINALIZE, DEVICE_FINALIZE, (function)device_finalize},
		{DEVICE_LOAD, DEVICE_LOAD, (function)device_load}, {DEVICE_UNLOAD, DEVICE_UNLOAD, (function)device_unload},
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (set(list[i].event, list[i].call) > 1)
			atomic_fetch_or(&session->offered, 1ull << list[i].event | 1ull << list[i].older);
}
