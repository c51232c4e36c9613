package ocl

import (
	"context"
	"crypto/sha256"
	"errors"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// printed describes the sequence that e would prepare for task, without compiling it.
func printed(t *testing.T, e *Engine, task *engine.Task, offset int64) Prepared {
	t.Helper()
	var got Prepared
	seen := errors.New("seen")
	w := e.Forced(e.force, func(_ context.Context, p Prepared) error { got = p; return seen })
	defer w.Close()
	m, err := w.Alloc(1 << 20)
	require.NoError(t, err)
	b := engine.Bound{Task: task}
	for i := range task.Ins {
		b.Ins = append(b.Ins, engine.Slot{Mem: m, Offset: int64(i) << 16})
	}
	for i := range task.Outs {
		b.Outs = append(b.Outs, engine.Slot{Mem: m, Offset: 1<<19 + int64(i)<<16 + offset})
	}
	_, err = w.Prepare(t.Context(), []engine.Bound{b})
	require.ErrorIs(t, err, seen)
	require.Zero(t, w.Stats().Sequences)
	return got
}

func TestPrintsDifferWhereWhatTheDriverIsGivenDoes(t *testing.T) {
	at := func(force string) *Engine { return device(t, force, nil) }
	task := func(n int) *engine.Task { return sample.Matmul(tensor.Float32, 1, 40, 50, n, false, false) }
	base := printed(t, at(""), task(60), 0)
	require.Equal(t, base, printed(t, at(""), task(60), 0), "another engine on the same device")
	require.Len(t, base.Variants, 1)
	require.NotEqual(t, base.Print, printed(t, at(""), task(61), 0).Print, "a size is an argument")
	require.NotEqual(t, base.Print, printed(t, at(""), task(60), 256).Print, "so is where a result goes")
	item := printed(t, at("contract=item"), task(60), 0)
	require.NotEqual(t, base.Print, item.Print)
	require.Equal(t, []string{"contract=item"}, item.Variants)
	require.Equal(t, base.Print, printed(t, at("reduce=item"), task(60), 0).Print, "it is forced on nothing")
}

// Whatever is in a plan and may reach the driver is part of its print, fields that
// somebody adds too.
func TestEveryFieldOfAPlanIsInItsFingerprint(t *testing.T) {
	make := func() *variant.Plan {
		return &variant.Plan{
			Variant: "item", Params: "wg=1", Scratch: []int64{1}, Kept: []int64{2},
			Launches: []variant.Launch{{
				Kernel: "k", Global: [3]int{8}, Local: [3]int{4}, Sizes: map[string]int64{"n": 3},
				Program: &codegen.Program{Name: "f", Source: "text", Library: []string{"lib/math.cl"}, Options: "-O",
					Args: []codegen.Arg{{Kind: codegen.ArgScalar, Scalar: float32(1)}}, Ints: []codegen.Arg{{Kind: codegen.ArgInt, Name: "n"}}},
			}},
		}
	}
	sum := func(p *variant.Plan) string {
		h := sha256.New()
		p.Fingerprint(h, false)
		return string(h.Sum(nil))
	}
	// For people; parts of source; what keeps a plan from being one.
	left := []string{"Plan.Why", "Program.Head", "Program.Body", "Program.Err"}
	want := sum(make())
	require.Equal(t, want, sum(make()))
	fields := 0
	for _, of := range []func(p *variant.Plan) any{
		func(p *variant.Plan) any { return p },
		func(p *variant.Plan) any { return &p.Launches[0] },
		func(p *variant.Plan) any { return p.Launches[0].Program },
		func(p *variant.Plan) any { return &p.Launches[0].Program.Args[0] },
		func(p *variant.Plan) any { return &p.Launches[0].Program.Ints[0] },
	} {
		for i := range reflect.TypeOf(of(make())).Elem().NumField() {
			p := make()
			v := reflect.ValueOf(of(p)).Elem()
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			f := reflect.NewAt(v.Field(i).Type(), unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
			if f.Kind() == reflect.Pointer || slices.Contains(left, name) {
				continue
			}
			changed(t, name, f)
			require.NotEqual(t, want, sum(p), name)
			fields++
		}
	}
	require.Greater(t, fields, 20)
	other := make()
	other.Launches[0].Program.Args[0].Scalar = int32(1)
	require.NotEqual(t, want, sum(other), "1 as another type")
}

// changed gives f another value.
func changed(t *testing.T, name string, f reflect.Value) {
	t.Helper()
	switch f.Kind() {
	case reflect.String:
		f.SetString(f.String() + "x")
	case reflect.Int, reflect.Int64:
		f.SetInt(f.Int() + 1)
	case reflect.Uint8:
		f.SetUint(f.Uint() + 1)
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Array:
		changed(t, name, f.Index(0))
	case reflect.Slice:
		f.Set(reflect.Append(f, f.Index(0)))
	case reflect.Map:
		m := reflect.MakeMap(f.Type())
		m.SetMapIndex(reflect.ValueOf("other"), reflect.ValueOf(int64(7)))
		f.Set(m)
	case reflect.Interface:
		f.Set(reflect.ValueOf(int32(9)))
	default:
		t.Fatalf("%s is a %s: say how it changes", name, f.Kind())
	}
}

func TestForcedEnginesShareWhatIsCompiled(t *testing.T) {
	e, _, faults := faulty(t)
	e.host = nil
	prepare := func(e *Engine) {
		m, err := e.Alloc(1 << 20)
		require.NoError(t, err)
		b := engine.Bound{Task: sample.Matmul(tensor.Float32, 1, 40, 50, 60, false, false),
			Ins: []engine.Slot{{Mem: m}, {Mem: m, Offset: 1 << 16}}, Outs: []engine.Slot{{Mem: m, Offset: 1 << 17}}}
		s, err := e.Prepare(t.Context(), []engine.Bound{b})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		require.NoError(t, m.Close())
	}
	prepare(e)
	twin := e.Forced("reduce=item,thread=workers", nil)
	faults.FailAt(1, cl.OutOfResources, "Build")
	prepare(twin)
	require.Zero(t, faults.Fired(), "it was built again")
	faults.Off()
	require.NoError(t, twin.Close())
	prepare(e)
}
