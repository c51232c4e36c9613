/* vkfft.c: transforms of rows of pairs, or of real numbers to half a spectrum, by VkFFT's backend for OpenCL. */
#define VKFFT_BACKEND 3
#include <vkFFT.h>

static VkFFTApplication app;
static cl_context plan_context;
static cl_device_id plan_device;

int shim_plan(cl_context context, cl_device_id device, cl_command_queue queue, int wide, int real, int rank, const int *sizes, int batch)
{
    VkFFTConfiguration c = {0};
    static uint64_t before, after;
    (void)queue;
    plan_context = context, plan_device = device;
    c.FFTdim = rank;
    before = after = (wide ? 8 : 4) * (real ? 1 : 2) * (uint64_t)batch;
    for (int i = 0; i < rank; i++) {
        c.size[i] = sizes[rank - 1 - i];
        before *= c.size[i];
    }
    after = before;
    if (real)
        after = before / c.size[0] * (c.size[0] / 2 + 1) * 2;
    c.numberBatches = batch;
    c.doublePrecision = wide;
    c.performR2C = real;
    c.device = &plan_device;
    c.context = &plan_context;
    c.isInputFormatted = 1; /* out of place */
    c.inputBufferSize = &before;
    c.inputBufferStride[0] = c.size[0];
    for (int i = 1; i < rank; i++)
        c.inputBufferStride[i] = c.inputBufferStride[i - 1] * c.size[i];
    c.bufferSize = &after;
    return initializeVkFFT(&app, c);
}

int shim_run(cl_command_queue queue, cl_mem in, cl_mem out)
{
    VkFFTLaunchParams p = {0};
    p.commandQueue = &queue;
    p.inputBuffer = &in;
    p.buffer = &out;
    int e = VkFFTAppend(&app, -1, &p);
    return e ? e : clFinish(queue);
}

int shim_free(void)
{
    deleteVkFFT(&app);
    return 0;
}
