package onnx_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// written is a call of a sample of the conformance suite that can be written.
type written struct {
	label string
	in    map[string]*tensor.Tensor
	feeds ops.Feeds
	out   *ops.Node
}

// sampleOf builds a sample in g; inputs have names of their own.
func sampleOf(g *ops.Graph, op *ops.Op, s optest.Sample, dt tensor.DType, number int) *written {
	w := &written{label: s.Label, in: map[string]*tensor.Tensor{}, feeds: ops.Feeds{}}
	var in []*ops.Node
	for i, o := range s.Operands {
		h := fnv.New64a()
		fmt.Fprint(h, op.Name, s.Label, i)
		v := optest.Fill(o, dt, h.Sum64())
		if o.Fixed {
			in = append(in, g.Const(v))
			continue
		}
		name := fmt.Sprintf("x%d_%d", number, i)
		n := g.Input(name, v.DType(), v.Shape()...)
		in, w.in[name] = append(in, n), v
		w.feeds[n] = v
	}
	_, w.out = s.Call(g, dt, in)
	return w
}

// refusal is the reason why a sample cannot be written, or "".
func refusal(t *testing.T, op *ops.Op, s optest.Sample, dt tensor.DType) string {
	g := ops.NewGraph(op.Name)
	w := sampleOf(g, op, s, dt, 0)
	if g.Err() != nil {
		return g.Err().Error()
	}
	var b bytes.Buffer
	err := onnx.Write(t.Context(), &b, []onnx.Output{{Name: "y", Node: w.out}}, nil)
	if err == nil {
		return ""
	}
	require.ErrorIs(t, err, onnx.ErrUnsupported, "%s %s %v", op.Name, s.Label, dt)
	text := err.Error()
	return strings.TrimPrefix(text, "onnx: write: not supported: ")
}

// writable are the samples of op in dt that can be written, as one graph.
func writable(t *testing.T, op *ops.Op, dt tensor.DType, refused func(string)) (g *ops.Graph, all []*written) {
	g = ops.NewGraph(op.Name)
	for i, s := range optest.Samples(op.Name) {
		if s.Only != nil && !slices.Contains(s.Only, dt) {
			continue
		}
		if long := op.Scalar != nil && op.Scalar.Flops > 30; long && len(all) > 0 && os.Getenv("ANYCL_ONNX_OPS") == "" {
			continue // one sample of an op that is written as hundreds of nodes
		}
		if op.Name == "unique" && len(s.Operands) > 0 && len(s.Operands[0].Shape) > 0 && s.Operands[0].Shape[0] > 1<<12 {
			continue // sizes depend on contents that are too long for the importer
		}
		if reason := refusal(t, op, s, dt); reason != "" {
			refused(reason)
			continue
		}
		all = append(all, sampleOf(g, op, s, dt, i))
	}
	return g, all
}

// tolerance is how far the results of another way to compute a dtype may be off.
func tolerance(dt tensor.DType) (rel, abs float64) {
	switch dt {
	case tensor.Float64:
		return 1e-6, 1e-8
	case tensor.Float32:
		return 1e-4, 1e-5
	case tensor.Float16:
		return 1e-2, 1e-2
	case tensor.BFloat16:
		return 4e-2, 4e-2
	}
	return 0, 0
}

// ANYCL_ONNX_OPS names ops, or all, whose samples are tried in every dtype.

// Every sample of the table of ops that can be written gives the same values when it is read again.
func TestSamplesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	refused := map[string]map[string]bool{}
	count, left := 0, 0
	whole := map[string]bool{}
	only := os.Getenv("ANYCL_ONNX_OPS")
	var group errgroup.Group
	group.SetLimit(2)
	for op := range ops.Table() {
		dtypes := mainOf(op.DTypes)
		if only != "" {
			if only != "all" && !slices.Contains(strings.Split(only, ","), op.Name) {
				continue
			}
			dtypes = op.DTypes
		}
		for _, dt := range dtypes {
			group.Go(func() error {
				g, all := writable(t, op, dt, func(reason string) {
					mu.Lock()
					defer mu.Unlock()
					left++
					if refused[op.Name] == nil {
						refused[op.Name] = map[string]bool{}
					}
					refused[op.Name][reason] = true
				})
				mu.Lock()
				count += len(all)
				whole[op.Name] = whole[op.Name] || len(all) > 0
				mu.Unlock()
				again(t, op, dt, g, all)
				return nil
			})
		}
	}
	require.NoError(t, group.Wait())
	var lines []string
	none := 0
	for op, reasons := range refused {
		if !whole[op] {
			none++
		}
		for r := range reasons {
			lines = append(lines, fmt.Sprintf("%v %s: %s", whole[op], op, r))
			break
		}
	}
	sort.Strings(lines)
	t.Logf("%d samples written and read, %d refused; of %d ops %d are refused wholly:\n%s", count, left, len(whole), none, strings.Join(lines, "\n"))
}

// mainOf are the dtypes of a list that most models have.
func mainOf(dtypes []tensor.DType) (out []tensor.DType) {
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Int64, tensor.Bool} {
		if slices.Contains(dtypes, dt) {
			out = append(out, dt)
		}
	}
	if out == nil {
		out = dtypes[:1]
	}
	return out
}

// again compares the results of samples with those after they have been written and read.
func again(t *testing.T, op *ops.Op, dt tensor.DType, g *ops.Graph, all []*written) {
	if len(all) == 0 {
		return
	}
	var outputs []onnx.Output
	var nodes []*ops.Node
	feeds, in := ops.Feeds{}, map[string]*tensor.Tensor{}
	for i, w := range all {
		outputs = append(outputs, onnx.Output{Name: fmt.Sprintf("y%d", i), Node: w.out})
		nodes = append(nodes, w.out)
		for n, v := range w.feeds {
			feeds[n] = v
		}
		for name, v := range w.in {
			in[name] = v
		}
	}
	if g.Err() != nil {
		t.Errorf("%s %v: %v", op.Name, dt, g.Err())
		return
	}
	rt := ops.NewRuntime(fallback.New(nil))
	defer rt.Close()
	target := ops.Target{Outputs: nodes, Fixed: true}
	exe, err := g.Compile(t.Context(), rt, target)
	if err != nil {
		t.Errorf("%s %v: %v", op.Name, dt, err)
		return
	}
	defer exe.Close()
	read := ops.Feeds{}
	for _, n := range exe.Inputs() {
		read[n] = feeds[n]
	}
	want, err := exe.Run(t.Context(), read)
	if err != nil {
		t.Errorf("%s %v: %v", op.Name, dt, err)
		return
	}
	got, err := throughFile(t, rt, outputs, in)
	if err != nil {
		t.Errorf("%s %v: %v", op.Name, dt, err)
		return
	}
	for i, w := range all {
		writeCase(t, op, dt, w, outputs[i].Node, want[i])
		y := got[outputs[i].Name]
		rel, abs := tolerance(y.DType())
		if y.DType() != want[i].DType() {
			t.Errorf("%s %v %q is %v, not %v", op.Name, dt, w.label, y.DType(), want[i].DType())
		} else if ok, text := tensor.AllClose(y, want[i], rel, abs); !ok {
			t.Errorf("%s %v %q: %s", op.Name, dt, w.label, text)
		}
	}
}

// throughFile runs outputs after they have been written and read.
func throughFile(t *testing.T, rt *ops.Runtime, outputs []onnx.Output, in map[string]*tensor.Tensor) (_ map[string]*tensor.Tensor, err error) {
	var b bytes.Buffer
	if err := onnx.Write(t.Context(), &b, outputs, nil); err != nil {
		return nil, err
	}
	m, err := onnx.Read(&b)
	if err != nil {
		return nil, err
	}
	p, err := m.Compile(t.Context(), rt, &onnx.Options{Target: ops.Target{Fixed: true}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	needed := map[string]*tensor.Tensor{}
	for _, info := range m.Inputs() {
		needed[info.Name] = parts(in[info.Name])
	}
	return p.Run(t.Context(), needed)
}

// parts are those of complex numbers, which files have in their place.
func parts(t *tensor.Tensor) *tensor.Tensor {
	if t.DType().IsComplex() {
		return tensor.Must(t.AsReal())
	}
	return t
}

// writeCase writes a sample as a case of ONNX's backend tests below the folder ANYCL_ONNX_CASES, for other programs to run.
func writeCase(t *testing.T, op *ops.Op, dt tensor.DType, w *written, n *ops.Node, want *tensor.Tensor) {
	dir := os.Getenv("ANYCL_ONNX_CASES")
	if dir == "" {
		return
	}
	label := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.", r) {
			return r
		}
		return '_'
	}, w.label)
	dir = filepath.Join(dir, "ops", fmt.Sprintf("%s-%v-%s", op.Name, dt, label))
	data := filepath.Join(dir, "test_data_set_0")
	require.NoError(t, os.MkdirAll(data, 0o755))
	path := filepath.Join(dir, "model.onnx")
	require.NoError(t, onnx.Save(t.Context(), path, []onnx.Output{{Name: "y", Node: n}}, nil))
	m, err := onnx.Load(path)
	require.NoError(t, err)
	for i, info := range m.Inputs() {
		b, err := onnx.EncodeTensor(info.Name, parts(w.in[info.Name]))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(data, fmt.Sprintf("input_%d.pb", i)), b, 0o644))
	}
	b, err := onnx.EncodeTensor("y", want)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(data, "output_0.pb"), b, 0o644))
}
