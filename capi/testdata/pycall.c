// A tree with Python code in it, run inside this program.
#include "check.h"

int main(void)
{
	begin("logging: error\n"
	      "data: {a: {type: array, subtype: int, size: 3}}\n"
	      "plugins:\n"
	      "  pycall:\n"
	      "    on_event:\n"
	      "      double: {with: {x: $a, k: '1 + 1'}, exec: 'x *= int(k)'}\n"
	      "      fail: {exec: 'raise SystemError(1)'}\n"
	      "    on_data: {a: 'a[0] += 100'}\n");
	int a[3] = {1, 2, 3};
	EXPECT(PDI_share("a", a, PDI_INOUT) == PDI_OK);
	EXPECT(a[0] == 101);
	EXPECT(PDI_event("double") == PDI_OK);
	EXPECT(a[0] == 202 && a[1] == 4 && a[2] == 6);
	EXPECT(PDI_event("fail") == PDI_OK); // the log has the error
	EXPECT(PDI_reclaim("a") == PDI_OK);
	EXPECT(PDI_finalize() == PDI_OK);
	return 0;
}
