/* loop.c: enqueues kernels one after the other and waits once, as little as a program in
 * C can do to run a graph. The declarations are those of OpenCL's cl.h. */
#include <stddef.h>

int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned dims, const size_t *offset, const size_t *global,
                           const size_t *local, unsigned events, const void *wait, void *event);
int clFinish(void *queue);

int run_loop(void *queue, void **kernels, long n, size_t items)
{
    for (long i = 0; i < n; i++) {
        int status = clEnqueueNDRangeKernel(queue, kernels[i], 1, NULL, &items, &items, 0, NULL, NULL);
        if (status)
            return status;
    }
    return clFinish(queue);
}
