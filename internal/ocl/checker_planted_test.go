package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

// planted are bugs, each with the text that the log must have about it. All of them compute the
// right result, or none that anybody would miss, on the drivers that anycl runs on.
var planted = []struct {
	name, kernel string
	want         []string // of the log
}{
	{"a write past the end", `kernel void bug(global const int *x, global int *y) { y[get_global_id(0) + 1] = x[0]; }`, []string{"Invalid write of size 4 at global memory"}},
	{"a read past the end", `kernel void bug(global const int *x, global int *y) { y[get_global_id(0)] = x[get_global_id(0) + 1]; }`, []string{"Invalid read of size 4 at global memory"}},
	{"a vector read past the end", `kernel void bug(global const int *x, global int *y) { if (get_global_id(0) == 0) y[0] = vload4(0, x + 62).x; }`, []string{"Invalid read of size 16 at global memory"}},
	{"a write past the end of local memory", `kernel void bug(global const int *x, global int *y) {
    local int l[64];
    l[get_local_id(0) + 1] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) > 0) y[get_global_id(0)] = l[get_local_id(0)];
}`, []string{"local memory"}},
	{"a missing barrier", `kernel void bug(global const int *x, global int *y) {
    local int l[64];
    l[get_local_id(0)] = x[get_global_id(0)];
    y[get_global_id(0)] = l[get_local_id(0) ^ 1];
}`, []string{"data race at local memory"}},
	{"a missing barrier at the end of a loop", `kernel void bug(global const int *x, global int *y) {
    local int l[64];
    const int i = get_local_id(0);
    int s = 0;
    for (int step = 0; step < 2; step++) {
        l[i] = x[i] + step;
        barrier(CLK_LOCAL_MEM_FENCE);
        s += l[63 - i];
    }
    y[get_global_id(0)] = s;
}`, []string{"data race at local memory"}},
	{"a race for global memory", `kernel void bug(global const int *x, global int *y) { y[0] += x[get_global_id(0)]; }`, []string{"data race at global memory"}},
	{"a race of work-groups", `kernel void bug(global const int *x, global int *y) {
    if (get_local_id(0) == 0) y[get_group_id(0)] = x[0];
    if (get_group_id(0) == 1 && get_local_id(0) == 0) y[2] = y[0];
}`, []string{"data race at global memory"}},
	{"a buffer that decides and was never written", `kernel void bug(global const int *x, global int *y) { if (y[get_global_id(0)] > 0) y[get_global_id(0)] = x[0]; }`, []string{"Controlflow depends on uninitialized value"}},
	{"local memory that is copied out and was never written", `kernel void bug(global const int *x, global int *y) {
    local int l[64];
    if (x[0] == 7) l[get_local_id(0)] = 1;
    y[get_global_id(0)] = l[get_local_id(0)];
}`, []string{"Uninitialized value written to global memory"}},
	{"a private array that was not written whole", `kernel void bug(global const int *x, global int *y) {
    int p[4];
    for (int i = 0; i < 3; i++) p[i] = x[i];
    y[get_global_id(0)] = p[get_local_id(0) & 3];
}`, []string{"Uninitialized value written to global memory"}},
	{"an address that was never written", `kernel void bug(global const int *x, global int *y) {
    local int l[64];
    y[get_global_id(0)] = x[l[get_local_id(0)] & 63];
}`, []string{"Uninitialized address used to read"}},
	{"a lane that a shuffle does not set", `kernel void bug(global const int *x, global int *y) {
    int p[16];
    for (int i = 0; i < 15; i++) p[i] = x[i];
    const int16 v = vload16(0, p);
    if (get_global_id(0) == 0) vstore8(v.odd, 0, y);
}`, []string{"Uninitialized value written to global memory"}},
	{"a barrier that some do not reach", `kernel void bug(global const int *x, global int *y) {
    if (get_local_id(0) < 32) barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = x[get_global_id(0)];
}`, []string{"divergence"}},
	{"a misaligned store", `kernel void bug(global const int *x, global int *y) {
    if (get_global_id(0) == 0) *(global int4 *)(y + 1) = (int4)(x[0]);
}`, []string{"not aligned to the pointed type"}},
}

// A checker that finds nothing may not be looking: it must find each kind of bug, through
// the layers that the kernels of this package go through.
func TestCheckerFindsWhatIsPlanted(t *testing.T) {
	k := useChecker(t)
	run := func(t *testing.T, source string, set func(kernel *cl.Kernel, x, y *cl.Buffer) error, items int) (string, error) {
		prog, err := k.Dev.Program(t.Context(), "bug.cl", source, "")
		require.NoError(t, err)
		kernel, err := prog.Kernel("bug")
		require.NoError(t, err)
		defer kernel.Close()
		x, y := k.written(t, make([]byte, 4*64)), k.unwritten(t, 4*64)
		require.NoError(t, set(kernel, x, y))
		err = k.Queue.Launch(kernel, cl.Range1(items, 64), nil)
		return k.found(t), err
	}
	both := func(kernel *cl.Kernel, x, y *cl.Buffer) error {
		if err := kernel.SetBuffer(0, x); err != nil {
			return err
		}
		return kernel.SetBuffer(1, y)
	}
	for _, bug := range planted {
		t.Run(bug.name, func(t *testing.T) {
			items := 64
			if bug.name == "a race of work-groups" {
				items = 128
			}
			found, err := run(t, bug.kernel, both, items)
			require.NoError(t, err, "Oclgrind says it in its log only")
			for _, want := range bug.want {
				require.Contains(t, found, want)
			}
			require.Contains(t, found, "bug", "the kernel's name")
		})
	}
	right := `kernel void bug(global const int *x, global int *y) { y[get_global_id(0)] = x[get_global_id(0)]; }`
	t.Run("nothing", func(t *testing.T) {
		found, err := run(t, right, both, 64)
		require.NoError(t, err)
		require.Empty(t, found)
	})
	t.Run("an argument that was not set", func(t *testing.T) {
		found, err := run(t, right, func(kernel *cl.Kernel, x, _ *cl.Buffer) error { return kernel.SetBuffer(0, x) }, 64)
		require.Error(t, err)
		require.Contains(t, found, "CL_INVALID_KERNEL_ARGS")
	})
	t.Run("work-groups that are not whole", func(t *testing.T) {
		found, err := run(t, right, both, 65)
		require.Error(t, err)
		require.Contains(t, found, "CL_INVALID_WORK_GROUP_SIZE")
	})
}
