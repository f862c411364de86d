/* Regions, marks and knobs in C, as installed. */
#include <stdio.h>

#include <pentode_trace.h>

int main(void)
{
	pentode_region_begin("step");
	pentode_mark("half");
	pentode_region_end("step");
	return printf("%d\n", pentode_knob_int("depth", 4)) < 0;
}
