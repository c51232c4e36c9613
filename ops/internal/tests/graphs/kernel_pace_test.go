package graphs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// diffusion is a step of heat flow over a grid, which reads neighbours in up to three dimensions.
const diffusion = `kernel void diffuse(global const float *u, global float *v, int n, int m) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * m + y) * n + x, all = n * m * (int)get_global_size(2);
    const int west = x > 0 ? i - 1 : i, east = x + 1 < n ? i + 1 : i, north = y > 0 ? i - n : i, south = y + 1 < m ? i + n : i;
    const int below = z > 0 ? i - n * m : i, above = i + n * m < all ? i + n * m : i;
    v[i] = u[i] + 0.1f * (u[west] + u[east] + u[north] + u[south] + u[below] + u[above] - 6 * u[i]);
}`

// ownLaunch is a geometry.
type ownLaunch struct{ global, local [3]int }

func (l ownLaunch) String() string {
	text := func(n [3]int) string {
		return strings.ReplaceAll(strings.TrimRight(strings.Trim(fmt.Sprint(n), "[]"), " 0"), " ", "x")
	}
	if l.local == [3]int{} {
		return text(l.global)
	}
	return text(l.global) + " in groups of " + text(l.local)
}

func (l ownLaunch) items() int {
	return max(l.global[0], 1) * max(l.global[1], 1) * max(l.global[2], 1)
}

// ownLaunches are in one, two and three dimensions, odd and even, with work-groups and without.
func ownLaunches(most int) (all []ownLaunch) {
	for _, l := range []ownLaunch{
		{global: [3]int{1 << 10}}, {global: [3]int{32, 32}}, {global: [3]int{8, 8, 16}}, {global: [3]int{1021}},
		{global: [3]int{1 << 14}}, {global: [3]int{128, 128}}, {global: [3]int{127, 129}}, {global: [3]int{32, 32, 16}},
		{global: [3]int{1 << 18}}, {global: [3]int{259_081}}, {global: [3]int{512, 512}}, {global: [3]int{509, 509}}, {global: [3]int{64, 64, 64}}, {global: [3]int{511, 67, 7}},
		{global: [3]int{131_072, 2}}, {global: [3]int{2, 131_072}},
		{[3]int{1 << 18}, [3]int{64}}, {[3]int{512, 512}, [3]int{16, 16}}, {[3]int{512, 512}, [3]int{32, 4}}, {[3]int{64, 64, 64}, [3]int{8, 8, 4}},
		{global: [3]int{1 << 20}}, {global: [3]int{1024, 1024}}, {global: [3]int{1023, 1025}}, {[3]int{128, 128, 64}, [3]int{16, 4, 1}},
		{global: [3]int{1 << 22}}, {global: [3]int{2048, 2048}}, {global: [3]int{2047, 2049}}, {global: [3]int{256, 128, 128}}, {[3]int{2048, 2048}, [3]int{16, 16}},
		{global: [3]int{1 << 24}}, {global: [3]int{4096, 4096}}, {global: [3]int{256, 256, 256}}, {[3]int{4096, 4096}, [3]int{64, 1}},
	} {
		if l.items() <= most {
			all = append(all, l)
		}
	}
	return all
}

// ownAndPlain are two ways to run the same launch: by an executable, whose operand is fed and whose result is
// read, and by package platform alone, whose buffers stay where they are.
func ownAndPlain(t testing.TB, rt *Runtime, l ownLaunch) (own, plain func()) {
	n, m := l.global[0], max(l.global[1], 1)
	g := NewGraph("diffuse")
	x := g.Input("x", tensor.Float32, l.items())
	y := Kernel(g, KernelOptions{
		Source: diffusion, Entry: "diffuse", Args: []any{int32(n), int32(m)}, Global: l.global, Local: l.local,
		Results: []Result{{DType: tensor.Float32, Shape: []int{l.items()}}},
	}, x)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: y, Place: OnDevice})
	require.NoError(t, err)
	feeds, outs := Feeds{x: opstest.Random(t, l.items())}, []*tensor.Tensor{opstest.Random(t, l.items())}
	own = func() { require.NoError(t, exe.RunInto(t.Context(), feeds, outs)) }

	dev := inside.Opened(rt)
	prog, err := dev.Program(t.Context(), "diffuse", diffusion, "")
	require.NoError(t, err)
	k, err := prog.Kernel("diffuse")
	require.NoError(t, err)
	for i := range 2 {
		var b *platform.Memory
		b, err = dev.Alloc(int64(4 * l.items()))
		require.NoError(t, err)
		data, err := tensor.ToSlice[float32](feeds[x])
		require.NoError(t, err)
		require.NoError(t, dev.Write(t.Context(), b, 0, cl.Bytes(data)))
		require.NoError(t, k.SetBuffer(i, b.Buffer()))
		t.Cleanup(func() { require.NoError(t, b.Close()) })
	}
	require.NoError(t, k.SetInt32(2, int32(n)))
	require.NoError(t, k.SetInt32(3, int32(m)))
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	r := cl.Range{Global: l.global, Local: l.local}
	for r.Dims < 3 && l.global[r.Dims] > 0 {
		r.Dims++
	}
	plain = func() {
		require.NoError(t, dev.Queue().Launch(k, r, nil))
		require.NoError(t, dev.Queue().Finish())
	}
	return own, plain
}

// A caller's own kernel takes about as long as an op as launched by package platform: a launch that is not divided, or
// whose operands are copied, takes several times as long. The shortest of many runs in turns are compared, and more of
// them where another program was in the way; BenchmarkOwnKernel shows smaller differences.
func TestOwnKernelsAreAsFastAsByPlatform(t *testing.T) {
	if testing.Short() || opstest.RaceEnabled {
		t.Skip("takes times")
	}
	const slower = 2
	rt := opstest.Device(t)
	for _, l := range ownLaunches(1 << 22) {
		t.Run(l.String(), func(t *testing.T) {
			own, plain := ownAndPlain(t, rt, l)
			least := func(f func(), so time.Duration) time.Duration {
				start := time.Now()
				f()
				return min(so, time.Since(start))
			}
			a, b := time.Hour, time.Hour
			for i, start := 0, time.Now(); i < 20 || float64(a) > slower*float64(b); i++ {
				if i >= 20 && time.Since(start) > 10*time.Second {
					t.Fatalf("%v as an op, %v by platform", a, b)
				}
				a, b = least(own, a), least(plain, b)
			}
			t.Logf("%v as an op, %v by platform: %.2f", a, b, float64(a)/float64(b))
		})
	}
}

// BenchmarkOwnKernel is a caller's own kernel as an op and by package platform.
func BenchmarkOwnKernel(b *testing.B) {
	rt := opstest.Device(b)
	for _, l := range ownLaunches(1 << 24) {
		own, plain := ownAndPlain(b, rt, l)
		for name, f := range map[string]func(){"op": own, "platform": plain} {
			b.Run(l.String()+"/"+name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	}
}
