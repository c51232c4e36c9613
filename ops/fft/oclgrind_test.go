package fft

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/clthread"
	"github.com/anycl/anycl/internal/testoclgrind"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

const (
	oclgrindVar = "ANYCL_OCLGRIND" // Oclgrind's ICD, as tests of the engine's kernels have it
	checkedVar  = "ANYCL_OCLGRIND_FFT"
)

// Oclgrind finds no access outside a buffer, none to memory that was never written and no race in kernels of transforms, in both their
// forms.
func TestNothingIsFoundInTransformsUnderOclgrind(t *testing.T) {
	icd := os.Getenv(oclgrindVar)
	if icd == "" {
		t.Skipf("%s is not set: make check-kernels", oclgrindVar)
	}
	log := filepath.Join(t.TempDir(), "log")
	args := []string{"-test.run=^TestTransformsUnderOclgrind$", "-test.v"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), "OCL_ICD_VENDORS="+icd, "LD_LIBRARY_PATH="+testoclgrind.Mended(t), checkedVar+"=1", "OCLGRIND_LOG="+log,
		"OCLGRIND_BUILD_OPTIONS=-cl-opt-disable -D__builtin_prefetch(...)=(void)0", // which Oclgrind does not know, and are no accesses
		"OCLGRIND_CHECK_API=1", "OCLGRIND_UNINITIALIZED=1", "OCLGRIND_DATA_RACES=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS")
	found, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Empty(t, string(found))
}

func TestTransformsUnderOclgrind(t *testing.T) {
	if os.Getenv(checkedVar) == "" {
		t.Skip("TestNothingIsFoundInTransformsUnderOclgrind runs it in a process of its own")
	}
	lib, err := cl.Open(&cl.Options{Wrap: clthread.Wrap}) // Oclgrind wants all calls from one thread
	require.NoError(t, err)
	platforms, err := lib.Platforms()
	require.NoError(t, err)
	devices, err := platforms[0].Devices(cl.DeviceAll)
	require.NoError(t, err)
	context, err := lib.NewContext(devices[0])
	require.NoError(t, err)
	queue, err := context.NewQueue(devices[0], cl.QueueOptions{})
	require.NoError(t, err)
	defer func() {
		require.NoError(t, queue.Close())
		require.NoError(t, context.Close())
	}()
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		if dt == tensor.Float64 && testing.Short() {
			continue
		}
		launchForms(t, context, queue, checkedKernels(dt), func(k *ops.KernelOptions) []*ops.KernelForm { return []*ops.KernelForm{k.CPU, groupForm(k)} })
	}
}

// groupForm is how GPUs run a kernel.
func groupForm(k *ops.KernelOptions) *ops.KernelForm {
	return &ops.KernelForm{Entry: k.Entry, Options: k.Options, Global: k.Global, Local: k.Local}
}

// launchForms runs forms of kernels, and compares the results with those of the CPU path.
func launchForms(t *testing.T, context *cl.Context, queue *cl.Queue, kernels []checkedKernel, forms func(k *ops.KernelOptions) []*ops.KernelForm) {
	programs := map[string]*cl.Program{}
	for _, c := range kernels {
		for _, form := range forms(&c.k) {
			program := programs[form.Options]
			if program == nil {
				var err error
				program, err = context.NewProgram(c.k.Source)
				require.NoError(t, err)
				require.NoError(t, program.Build("-cl-std=CL1.2 "+form.Options))
				programs[form.Options] = program
			}
			launchChecked(t, context, queue, program, &c, form)
		}
	}
}

// checkedKernel is a kernel with operands and the results of the CPU path for them.
type checkedKernel struct {
	name      string
	k         ops.KernelOptions
	ins, outs []*tensor.Tensor
}

// checkedKernels are calls with lines and rows that fill vectors and that do not, every kind of pass, and each way to store.
func checkedKernels(dt tensor.DType) (all []checkedKernel) {
	r := rand.New(rand.NewPCG(1, 2))
	add := func(name string, attr any, ins ...*tensor.Tensor) {
		op, _ := ops.OpNamed(name)
		g := ops.NewGraph(name)
		call := &ops.Call{Op: op, Attr: attr}
		for i, x := range ins {
			call.In = append(call.In, g.Input(fmt.Sprint(i), dt, x.Shape()...))
		}
		shape, _, err := op.Result(call)
		if err != nil {
			panic(err)
		}
		c := checkedKernel{name: fmt.Sprint(name, " ", dt, " ", attr), k: op.Kernel(call), ins: ins, outs: []*tensor.Tensor{tensor.Must(tensor.New(dt, shape...))}}
		if err := c.k.Host(c.outs, ins); err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	random := func(shape ...int) *tensor.Tensor {
		x := tensor.Must(tensor.New(dt, shape...))
		for i := range x.Len() {
			x.SetFloat64(i, r.NormFloat64())
		}
		return x
	}
	numbers := func(values []float64) *tensor.Tensor {
		x := tensor.Must(tensor.New(dt, len(values)))
		for i, v := range values {
			x.SetFloat64(i, v)
		}
		return x
	}
	roots := func(m int) *tensor.Tensor {
		x := tensor.Must(tensor.New(dt, 2*m))
		for k := range m {
			w := root(k, m)
			x.SetFloat64(2*k, real(w))
			x.SetFloat64(2*k+1, imag(w))
		}
		return x
	}
	halfRoots := func(h int) *tensor.Tensor {
		x := tensor.Must(tensor.New(dt, 2, h+1))
		for k := range h + 1 {
			w := root(k, 2*h)
			x.SetFloat64(k, real(w))
			x.SetFloat64(h+1+k, imag(w))
		}
		return x
	}
	for _, a := range []stepAttr{
		{Batch: 3, M: 8, Lines: 1, Inner: 1}, {Batch: 18, M: 30, Lines: 1, Inner: 1, Conjugate: true}, {Batch: 2, M: 16, Lines: 5, Inner: 1},
		{Batch: 1, M: 6, Lines: 35, Inner: 1, Turned: true}, {Batch: 2, M: 12, Lines: 21, Inner: 7, Turned: true}, {Batch: 17, M: 9, Lines: 19, Inner: 19, Turned: true},
		{Batch: 16, M: 7, Lines: 18, Inner: 1, Turned: true}, {Batch: 1, M: 67, Lines: 1, Inner: 1}, {Batch: 1, M: 26, Lines: 17, Inner: 1}, {Batch: 1, M: 33, Lines: 2, Inner: 2, Turned: true},
		{Batch: 3, M: 9, Lines: 1, Inner: 1, From: 5, To: 4}, {Batch: 17, M: 24, Lines: 1, Inner: 1, From: 19, To: 21, Conjugate: true}, {Batch: 2, M: 6, Lines: 37, Inner: 1, Turned: true, From: 101},
		{Batch: 16, M: 5, Lines: 18, Inner: 18, From: 90, To: 39, Conjugate: true}, {Batch: 1, M: 12, Lines: 40, Inner: 40, From: 480, To: 1}, {Batch: 2, M: 8, Lines: 20, Inner: 1, Turned: true, From: 3},
		{Batch: 3, M: 64, Lines: 1, Inner: 1}, {Batch: 2, M: 128, Lines: 1, Inner: 1, Conjugate: true}, {Batch: 1, M: 1024, Lines: 1, Inner: 1},
		{Batch: 2, M: 2048, Lines: 1, Inner: 1}, {Batch: 1, M: 8192, Lines: 1, Inner: 1, Conjugate: true},
	} {
		from, _ := a.extents()
		turns := a.M * a.Lines / a.Inner
		if a.To > 0 {
			turns = a.M * a.Lines
		}
		factors := random(2 * (turns + stepPad))
		if a.rowByRow(dt) {
			factors = numbers(rowTurns(a.M, rowLanes(dt)))
		}
		add("fft.step", a, random(a.Batch, from, 2), roots(a.M), factors, random(2*(a.M*a.Lines+stepPad)))
	}
	for _, h := range []int{1, 2, 9, 40} {
		add("fft.unpack", dftAttr{false}, random(2, 2*h), halfRoots(h))
		add("fft.pack", dftAttr{true}, random(3, h+1, 2), halfRoots(h))
	}
	return all
}

// bytesOf is the memory of x.
func bytesOf(x *tensor.Tensor) []byte {
	b, _ := x.Bytes()
	return b
}

// launchChecked runs a form of a kernel on buffers of exactly the operands' bytes, and compares.
func launchChecked(t *testing.T, context *cl.Context, queue *cl.Queue, program *cl.Program, c *checkedKernel, form *ops.KernelForm) {
	kernel, err := program.Kernel(form.Entry)
	require.NoError(t, err)
	defer kernel.Close()
	at := 0
	for _, x := range c.ins {
		b, err := context.NewBuffer(cl.MemReadOnly, int64(len(bytesOf(x))), nil)
		require.NoError(t, err)
		defer b.Close()
		require.NoError(t, queue.Write(b, 0, bytesOf(x), nil))
		require.NoError(t, kernel.SetBuffer(at, b))
		at++
	}
	want := c.outs[0]
	storage := make([]byte, len(bytesOf(want))) // Oclgrind takes new memory for the old one at the same place
	var pins runtime.Pinner
	pins.Pin(&storage[0])
	defer pins.Unpin()
	to, err := context.NewBuffer(cl.MemReadWrite|cl.MemUseHostPtr, int64(len(storage)), unsafe.Pointer(&storage[0]))
	require.NoError(t, err)
	defer to.Close()
	require.NoError(t, kernel.SetBuffer(at, to))
	for _, arg := range c.k.Args {
		at++
		switch v := arg.(type) {
		case int32:
			require.NoError(t, kernel.SetInt32(at, v))
		case uint64:
			require.NoError(t, kernel.SetUint64(at, v))
		default:
			t.Fatalf("%T", arg)
		}
	}
	dims := 1
	for dims < 3 && form.Global[dims] > 0 {
		dims++
	}
	require.NoError(t, queue.Launch(kernel, cl.Range{Dims: dims, Global: form.Global, Local: form.Local}, nil))
	have := tensor.Must(tensor.New(want.DType(), want.Shape()...))
	require.NoError(t, queue.Read(to, 0, bytesOf(have), nil))
	for i := range want.Len() {
		require.InDelta(t, want.Float64At(i), have.Float64At(i), 1e-3, "%s %s, element %d", form.Entry, c.name, i)
	}
}
