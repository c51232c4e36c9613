package serve_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/serve"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Unoptimize)) }

// field is a field of a protobuf message: a number or bytes.
func field(n int, v any) []byte {
	switch v := v.(type) {
	case int:
		return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(n)<<3), uint64(v))
	case string:
		return field(n, []byte(v))
	case []byte:
		return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(n)<<3|2), uint64(len(v))), v...)
	}
	panic("a field is an int, a string or bytes")
}

func message(fields ...[]byte) (b []byte) {
	for _, f := range fields {
		b = append(b, f...)
	}
	return b
}

// valueInfo is an input or output of float32; extents are numbers or names.
func valueInfo(name string, dims ...any) []byte {
	var shape []byte
	for _, d := range dims {
		if n, ok := d.(int); ok {
			shape = append(shape, field(1, field(1, n))...)
		} else {
			shape = append(shape, field(1, field(2, d.(string)))...)
		}
	}
	return message(field(1, name), field(2, field(1, message(field(1, 1), field(2, shape)))))
}

// scaled is an ONNX file of y = factor x, of rows of 3 numbers, with "n" rows or as many as it says.
func scaled(factor float32, rows any) []byte {
	node := message(field(1, "x"), field(1, "factor"), field(2, "y"), field(4, "Mul"))
	weight := message(field(2, 1), field(8, "factor"), field(9, binary.LittleEndian.AppendUint32(nil, math.Float32bits(factor))))
	graph := message(field(1, node), field(2, "scaled"), field(5, weight), field(11, valueInfo("x", rows, 3)),
		field(12, valueInfo("y", rows, 3)))
	return message(field(1, 8), field(7, graph), field(8, field(2, 17)))
}

// runner is a model of Go functions.
type runner struct {
	in, out []onnx.Info
	run     func(ctx context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
	closed  func()
}

func (r *runner) Inputs() []onnx.Info  { return r.in }
func (r *runner) Outputs() []onnx.Info { return r.out }
func (r *runner) Close() error {
	if r.closed != nil {
		r.closed()
	}
	return nil
}
func (r *runner) Run(ctx context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	return r.run(ctx, in)
}

func info(name string, dt tensor.DType, shape ...int) onnx.Info {
	return onnx.Info{Name: name, DType: dt, Shape: append([]int{}, shape...), Dims: make([]string, len(shape))}
}

// echo returns its input, of one dtype and an open shape of a rank.
func echo(dt tensor.DType, shape ...int) *runner {
	return &runner{in: []onnx.Info{info("x", dt, shape...)}, out: []onnx.Info{info("y", dt, shape...)},
		run: func(_ context.Context, in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
			return map[string]*tensor.Tensor{"y": in["x"].Clone()}, nil
		}}
}

// open opens the CPU path.
func open(t *testing.T) *ops.Runtime {
	t.Helper()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

// newServer is a server that is shut down at the end.
func newServer(t *testing.T, o serve.Options) *serve.Server {
	t.Helper()
	s := serve.New(o)
	t.Cleanup(func() { require.NoError(t, s.Shutdown(context.Background())) })
	return s
}
