package opinfo

import (
	"archive/tar"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

type object = map[string]any

// data writes a suite of cases as an archive; f32 gives the tensors that they hold.
type data struct {
	t     *testing.T
	bins  map[string][]byte
	cases []object
}

func (d *data) f32(shape []int, v ...float32) object {
	var b []byte
	for _, e := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(e))
	}
	name := string(rune('a' + len(d.bins)))
	d.bins[name] = b
	return object{"shape": shape, "dtype": "float32", "bin": name}
}

func arg(t object) object { return object{"tensor": t} }

func (d *data) add(op string, input any, args []any, kwargs object, outputs ...object) object {
	c := object{"op": op, "variant": "", "case": op, "non_unique": false, "input": input, "args": args, "kwargs": kwargs, "outputs": outputs}
	d.cases = append(d.cases, c)
	return c
}

func (d *data) write() string {
	path := filepath.Join(d.t.TempDir(), "cases.tar.gz")
	f, err := os.Create(path)
	require.NoError(d.t, err)
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	text, err := json.Marshal(d.cases)
	require.NoError(d.t, err)
	d.bins["../cases.json"] = text
	for name, b := range d.bins {
		require.NoError(d.t, w.WriteHeader(&tar.Header{Name: filepath.ToSlash(filepath.Join("bin", name)), Typeflag: tar.TypeReg, Size: int64(len(b)), Mode: 0o644}))
		_, err := w.Write(b)
		require.NoError(d.t, err)
	}
	require.NoError(d.t, w.Close())
	require.NoError(d.t, z.Close())
	require.NoError(d.t, f.Close())
	return path
}

func TestCasesPassAreWrongOrAreUnsupported(t *testing.T) {
	d := &data{t: t, bins: map[string][]byte{}}
	x, y := arg(d.f32([]int{2}, 1, 2)), arg(d.f32([]int{2}, 10, 20))
	one := d.f32([]int{2}, 1, 1)
	good := d.add("add", x, []any{y}, object{"alpha": 2}, d.f32([]int{2}, 21, 42))
	good["diff_outputs"], good["cotangents"], good["grads"] = []int{0}, []object{one}, []object{one, d.f32([]int{2}, 2, 2)}
	d.add("mul", x, []any{y}, object{}, d.f32([]int{2}, 10, 41)) // 40 would be right
	bad := d.add("exp", x, nil, object{}, d.f32([]int{2}, float32(math.E), float32(math.E*math.E)))
	bad["diff_outputs"], bad["cotangents"], bad["grads"] = []int{0}, []object{one}, []object{one}
	d.add("amax", x, nil, object{"dim": 0, "keepdim": true}, d.f32([]int{1}, 2))
	d.add("square", x, nil, object{}, d.f32([]int{2}, 1, 4.003))["case"] = "large" // off by more than allowed, by less than ten times that
	d.add("no_such_op", x, nil, object{}, one)
	d.add("sub", x, []any{object{"complex": []int{1, 2}}}, object{}, one)

	cases, err := Read(d.write())
	require.NoError(t, err)
	r, err := Run(t.Context(), cases, &Options{Device: "cpu"})
	require.NoError(t, err)
	got := map[string]*Outcome{}
	for _, o := range r.Cases {
		got[o.Case] = o
	}
	require.Equal(t, Pass, got["add"].Forward)
	require.Equal(t, Pass, got["add"].Gradient)
	require.Equal(t, "ops.Add(x, ops.Mul(y, alpha))", got["add"].Call)
	require.Equal(t, Wrong, got["mul"].Forward)
	require.Equal(t, "output 0: element 1 is 40, not 41 (1 of 2 differ)", got["mul"].Reason)
	require.Equal(t, Pass, got["exp"].Forward)
	require.Equal(t, Wrong, got["exp"].Gradient)
	require.Equal(t, Pass, got["amax"].Forward, got["amax"].Reason)
	require.True(t, got["amax"].OneCall)
	require.Equal(t, "there is no row for it in the table", got["no_such_op"].Reason)
	require.Equal(t, Unsupported, got["sub"].Forward)
	require.Contains(t, got["sub"].Reason, "argument other is")
	require.Equal(t, Totals{Forward: Counts{3, 1, 1, 2}, Gradient: Counts{1, 0, 1, 0}, OneCall: 2, Composition: 1}, r.Totals)
	require.True(t, r.Failed())
	require.Contains(t, got["large"].Reason, "in float64 it is what we have")

	var text strings.Builder
	require.NoError(t, r.WriteText(&text, false))
	require.Contains(t, text.String(), "forward:   3 pass, 1 near, 1 wrong, 2 unsupported\ngradients: 1 pass, 0 near, 1 wrong, 0 unsupported\n")
	r, err = Run(t.Context(), cases, &Options{Device: "cpu", Only: regexp.MustCompile("^amax$"), Batch: 1, Jobs: 1})
	require.NoError(t, err)
	require.Len(t, r.Cases, 1)
}

func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Table() {
		require.False(t, seen[r.Torch], "%s has two rows", r.Torch)
		seen[r.Torch] = true
		require.NotNil(t, r.Build, r.Torch)
		if r.Go == "" {
			require.Contains(t, r.Note, "not supported", r.Torch)
		}
	}
}

func TestCallsAreCounted(t *testing.T) {
	require.True(t, oneCall("ops.Add(x, y)"))
	require.True(t, oneCall("q, r := linalg.QR(a, mode)"))
	require.True(t, oneCall("ops.KeepDims(ops.Sum(x, dim...))"))
	require.False(t, oneCall("ops.Add(x, ops.Mul(y, alpha))"))
	require.False(t, oneCall("ops.Max(x, dim), ops.ArgMax(x, dim)"))
}

func TestArgumentsThatNoRowReadsAreUnsupported(t *testing.T) {
	d := &data{t: t, bins: map[string][]byte{}}
	x := arg(d.f32([]int{2}, 1, 2))
	d.add("exp", x, nil, object{"like_no_other": true}, d.f32([]int{2}, float32(math.E), float32(math.E*math.E)))
	d.add("exp", x, nil, object{"out": nil, "device": "cpu"}, d.f32([]int{2}, float32(math.E), float32(math.E*math.E)))["case"] = "idle"
	cases, err := Read(d.write())
	require.NoError(t, err)
	r, err := Run(t.Context(), cases, &Options{Device: "cpu"})
	require.NoError(t, err)
	require.Equal(t, Unsupported, r.Cases[0].Forward)
	require.Equal(t, "argument like_no_other is not supported", r.Cases[0].Reason)
	require.Equal(t, Pass, r.Cases[1].Forward)
}

func TestComplexNumbersAreComparedWhole(t *testing.T) {
	t.Parallel()
	z := func(v ...complex64) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v)) }
	require.Empty(t, differs(z(1000+1e-3i), z(1000.01+2e-3i), forwardRel, forwardAbs))
	require.NotEmpty(t, differs(z(1000+1i), z(1000+2i), forwardRel, forwardAbs))
}
