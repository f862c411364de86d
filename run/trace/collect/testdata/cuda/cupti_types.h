/* The records of an installed CUPTI whose names differ between versions. */
#include <cupti.h>

#if CUPTI_API_VERSION >= 130000 /* CUDA 13 */
typedef CUpti_ActivityKernel10 NewestKernel;
typedef CUpti_ActivityMemcpy6 NewestMemcpy;
#elif CUPTI_API_VERSION > 18 /* CUDA 12 */
typedef CUpti_ActivityKernel9 NewestKernel;
typedef CUpti_ActivityMemcpy5 NewestMemcpy;
#else /* CUDA 11.8 */
typedef CUpti_ActivityKernel8 NewestKernel;
typedef CUpti_ActivityMemcpy5 NewestMemcpy;
#endif
