#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "monitor.h"

enum { PAGE = 4096, ROWS = PAGE / sizeof(struct monitored) };

/* monitor_room allocates memory for a row and the rows before it. It allocates page by page, so
 * that a full /dev/shm is detected here, and not by a signal at the first write. */
int monitor_room(struct thread *t, uint32_t row)
{
	off_t at = session->rings_at + (off_t)session->slots * session->ring_bytes + (off_t)slot_number(t) * MONITORED_BYTES;
	if (row >= MONITORED_BYTES / sizeof(struct monitored))
		return 0;
	if (!t->monitored) {
		void *mapped = mmap(NULL, MONITORED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, shared_memory(), at);
		if (mapped == MAP_FAILED)
			return 0;
		t->monitored = mapped;
	}
	while (row >= t->monitored_rows) {
		char *page = (char *)(t->monitored + t->monitored_rows);
		if (posix_fallocate(shared_memory(), at + (page - (char *)t->monitored), PAGE))
			return 0;
		memset(page, 0, PAGE); /* a previous thread may have used the slot */
		t->monitored_rows += ROWS;
		__atomic_store_n(&t->monitored->count, t->monitored_rows, __ATOMIC_RELEASE);
	}
	return 1;
}
