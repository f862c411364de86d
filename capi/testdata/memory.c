// Tests who owns which memory. A memory checker finds the errors.
#include "check.h"

int main(void)
{
	begin("logging: error\n"
	      "metadata: {n: int, part: {type: array, subtype: int, size: [4, 4], subsize: [2, 2], start: [1, 1]}}\n"
	      "data: {d: int, made: {type: array, subtype: int, size: 3}, copy: {type: array, subtype: int, size: 3}, from: {type: array, subtype: int, size: 3}}\n"
	      "plugins:\n"
	      "  serialize: {from: copy}\n"
	      "  set_value: {on_event: {make: [{share: [made: [1, 2, 3]]}]}}\n");

	// Released memory belongs to the store, which calls free() for it.
	int *mine = malloc(sizeof *mine);
	*mine = 5;
	EXPECT(PDI_share("d", mine, PDI_OUT) == PDI_OK);
	EXPECT(PDI_release("d") == PDI_OK);
	mine = malloc(sizeof *mine);
	*mine = 6;
	EXPECT(PDI_share("n", mine, PDI_OUT) == PDI_OK);
	EXPECT(PDI_release("n") == PDI_OK); // metadata stays
	int *p;
	EXPECT(PDI_access("n", (void **)&p, PDI_IN) == PDI_OK && p == mine && *p == 6);
	EXPECT(PDI_release("n") == PDI_OK);

	// A value that the program reclaims from the store belongs to the program.
	EXPECT(PDI_access("n", (void **)&p, PDI_IN) == PDI_OK);
	EXPECT(PDI_reclaim("n") == PDI_OK);
	EXPECT(*p == 6);
	free(p);
	EXPECT(PDI_access("n", (void **)&p, PDI_IN) == PDI_OK && *p == 6);
	EXPECT(PDI_release("n") == PDI_OK);

	EXPECT(PDI_event("make") == PDI_OK);
	EXPECT(PDI_access("made", (void **)&p, PDI_INOUT) == PDI_OK && p[2] == 3);
	EXPECT(PDI_release("made") == PDI_OK);
	EXPECT(PDI_access("made", (void **)&p, PDI_IN) == PDI_OK);
	EXPECT(PDI_reclaim("made") == PDI_OK);
	EXPECT(p[0] == 1);
	free(p);

	// Metadata keeps only the part in use.
	int part[16];
	for (int i = 0; i < 16; i++) part[i] = i;
	EXPECT(PDI_expose("part", part, PDI_OUT) == PDI_OK);
	EXPECT(PDI_access("part", (void **)&p, PDI_IN) == PDI_OK);
	EXPECT(p[0] == 5 && p[1] == 6 && p[2] == 9 && p[3] == 10);
	EXPECT(PDI_release("part") == PDI_OK);

	// A serialized copy lives as long as its datum.
	int from[3] = {1, 2, 3};
	EXPECT(PDI_share("from", from, PDI_INOUT) == PDI_OK);
	EXPECT(PDI_access("copy", (void **)&p, PDI_INOUT) == PDI_OK && p != from);
	p[1] = 9;
	EXPECT(PDI_release("copy") == PDI_OK);
	EXPECT(PDI_reclaim("from") == PDI_OK);
	EXPECT(from[1] == 9);

	EXPECT(PDI_finalize() == PDI_OK);
	return 0;
}
