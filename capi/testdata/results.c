// Writes (`save`) or reads (`load`) an array under a relative name.
#include "check.h"

#define TREE \
	"logging: error\n" \
	"data: {a: {type: array, subtype: double, size: 3}}\n" \
	"plugins:\n" \
	"  decl_hdf5:\n" \
	"    - {file: a.h5, on_event: save, write: [a]}\n" \
	"    - {file: a.h5, on_event: load, read: [a]}\n" \
	"    - {file: /nowhere/outside.h5, on_event: escape, write: [a]}\n"

int main(int argc, char **argv)
{
	begin(getenv("SEALED") ? "seal: true\n" TREE : TREE);
	EXPECT(argc == 3);
	double a[3] = {atof(argv[2]), 0, 0};
	int in = !strcmp(argv[1], "load");
	PDI_status_t status = PDI_multi_expose(argv[1], "a", a, in ? PDI_IN : PDI_OUT, NULL);
	if (status) {
		puts(PDI_errmsg());
		return 1;
	}
	printf("%g\n", a[0]);
	EXPECT(PDI_finalize() == PDI_OK);
	return 0;
}
