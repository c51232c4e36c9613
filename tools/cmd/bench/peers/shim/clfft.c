/* clfft.c: transforms of rows of pairs, or of real numbers to half a spectrum, by clFFT. */
#include <clFFT.h>

static clfftPlanHandle plan;

int shim_plan(cl_context context, cl_device_id device, cl_command_queue queue, int wide, int real, int rank, const int *sizes, int batch)
{
    size_t lengths[3] = {1, 1, 1};
    clfftSetupData setup;
    clfftStatus e;
    (void)device;
    clfftInitSetupData(&setup);
    if ((e = clfftSetup(&setup)))
        return e;
    for (int i = 0; i < rank; i++)
        lengths[i] = sizes[rank - 1 - i];
    if ((e = clfftCreateDefaultPlan(&plan, context, (clfftDim)rank, lengths)) || (e = clfftSetPlanPrecision(plan, wide ? CLFFT_DOUBLE : CLFFT_SINGLE)) ||
        (e = clfftSetLayout(plan, real ? CLFFT_REAL : CLFFT_COMPLEX_INTERLEAVED, real ? CLFFT_HERMITIAN_INTERLEAVED : CLFFT_COMPLEX_INTERLEAVED)) ||
        (e = clfftSetResultLocation(plan, CLFFT_OUTOFPLACE)) || (e = clfftSetPlanBatchSize(plan, batch)))
        return e;
    if (real) { /* rows of the result are longer than half of those before */
        size_t half = lengths[0] / 2 + 1, in[3] = {1, lengths[0], lengths[0] * lengths[1]}, out[3] = {1, half, half * lengths[1]};
        size_t all = lengths[0] * lengths[1] * lengths[2];
        if ((e = clfftSetPlanInStride(plan, (clfftDim)rank, in)) || (e = clfftSetPlanOutStride(plan, (clfftDim)rank, out)) ||
            (e = clfftSetPlanDistance(plan, all, all / lengths[0] * half)))
            return e;
    }
    return clfftBakePlan(plan, 1, &queue, 0, 0);
}

int shim_run(cl_command_queue queue, cl_mem in, cl_mem out)
{
    int e = clfftEnqueueTransform(plan, CLFFT_FORWARD, 1, &queue, 0, 0, 0, &in, &out, 0);
    return e ? e : clFinish(queue);
}

int shim_free(void)
{
    int e = clfftDestroyPlan(&plan);
    return e ? e : clfftTeardown();
}
