// An array is written to a file and read back.
#include "check.h"

int main(void)
{
	begin("logging: error\n"
	      "metadata: {n: int}\n"
	      "data: {a: {type: array, subtype: double, size: $n}}\n"
	      "plugins:\n"
	      "  decl_hdf5:\n"
	      "    - {file: 'out_${n}.h5', on_event: save, write: [a]}\n"
	      "    - {file: 'out_${n}.h5', on_event: load, read: [a]}\n");
	int n = 1000;
	double a[1000], b[1000] = {0};
	for (int i = 0; i < n; i++) a[i] = i / 7.0;
	EXPECT(PDI_expose("n", &n, PDI_OUT) == PDI_OK);
	EXPECT(PDI_multi_expose("save", "a", a, PDI_OUT, NULL) == PDI_OK);
	EXPECT(PDI_multi_expose("load", "a", b, PDI_IN, NULL) == PDI_OK);
	EXPECT(!memcmp(a, b, sizeof a));
	EXPECT(PDI_finalize() == PDI_OK);
	return 0;
}
