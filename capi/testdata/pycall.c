// A tree with Python code in it, run inside this program.
#include "check.h"

int main(void)
{
	begin("logging: error\n"
	      "data: {a: {type: array, subtype: int, size: 3}, c: {type: array, subtype: int, size: 3}}\n"
	      "plugins:\n"
	      "  pycall:\n"
	      "    on_event:\n"
	      "      double: {with: {x: $a, k: '1 + 1'}, exec: 'x *= int(k)'}\n"
	      "      first: {exec: 'seen = [1]; import math'}\n"
	      "      next: {with: {x: $a}, exec: 'seen.append(2); x[1] = len(seen) + math.floor(40.5)'}\n"
	      "      own: {exec: 'pdi.access(\"c\", pdi.INOUT)[2] = 7; pdi.release(\"c\")'}\n"
	      "      clean: {with: {y: $a}, exec: 'y[0] = (\"x\" in globals()) + (\"json\" in globals()) + (__name__ != \"__main__\")'}\n"
	      "      fail: {exec: 'raise SystemError(1)'}\n"
	      "    on_data: {a: 'a[0] += 100'}\n");
	int a[3] = {1, 2, 3};
	EXPECT(PDI_share("a", a, PDI_INOUT) == PDI_OK);
	EXPECT(a[0] == 101);
	EXPECT(PDI_event("double") == PDI_OK);
	EXPECT(a[0] == 202 && a[1] == 4 && a[2] == 6);
	EXPECT(PDI_event("first") == PDI_OK);
	EXPECT(PDI_event("next") == PDI_OK);
	EXPECT(a[1] == 42); // names that one call defines stay for the next
	int c[3] = {0};
	EXPECT(PDI_share("c", c, PDI_INOUT) == PDI_OK);
	EXPECT(PDI_event("own") == PDI_OK);
	EXPECT(PDI_reclaim("c") == PDI_OK);
	EXPECT(c[2] == 7); // the module is in scope
	EXPECT(PDI_event("clean") == PDI_OK);
	EXPECT(a[0] == 0); // and values of the store are not, because they could be gone
	EXPECT(PDI_event("fail") == PDI_OK); // the log has the error
	EXPECT(PDI_reclaim("a") == PDI_OK);
	EXPECT(PDI_finalize() == PDI_OK);
	return 0;
}
