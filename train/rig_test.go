package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/checkpoint"
	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// rig is a training of a small network with all that has state: dropout, running statistics, Adam, a schedule, a shuffled
// order whose last batch is not full.
type rig struct {
	rt            *ops.Runtime
	graph         *ops.Graph
	model         *Model
	loader, valid *data.Loader
	dp            *ops.DataParallel
}

// points are n examples of three classes, by the angle.
func points(n, from int) data.Dataset {
	x, y := tensor.Must(tensor.New(tensor.Float32, n, 2)), tensor.Must(tensor.New(tensor.Int64, n))
	for i := range n {
		a := math.Mod(float64(from+i)*2.399963, 2*math.Pi)
		r := 0.5 + math.Mod(float64(from+i)*0.618034, 1)
		x.SetFloat64(2*i, r*math.Cos(a))
		x.SetFloat64(2*i+1, r*math.Sin(a))
		y.SetFloat64(i, math.Floor(a/(2*math.Pi)*3))
	}
	d, err := data.Tensors(x, y)
	if err != nil {
		panic(err) // they have the same rows
	}
	return d
}

// network is the model that a rig trains.
func network() nn.Module {
	return nn.Sequential{&nn.Linear{In: 2, Out: 8}, nn.ReLU, &nn.Dropout{Rate: 0.2}, &nn.Linear{In: 8, Out: 3}}
}

func newRig(ctx context.Context, rts ...*ops.Runtime) (*rig, error) {
	r := &rig{rt: rts[0], graph: ops.NewGraph("rig")}
	g := r.graph
	g.Seed(7)
	rows := ops.Dim("batch")
	x, y := g.Input("x", tensor.Float32, rows, 2), g.Input("y", tensor.Int64, rows)
	model := nn.New(g, network(), nn.Options{Seed: 1})
	scores := model.Eval().Apply(x)
	opt := optim.New(optim.Adam{LearningRate: 0.02}, model.Params(), optim.Options{Schedule: optim.Cosine(100, 0.1)})
	r.model = &Model{Inputs: []*ops.Node{x, y}, Scores: scores, ValidLoss: ops.CrossEntropy(scores, y)}
	var err error
	if r.loader, err = data.NewLoader(points(60, 0), data.LoaderOptions{Batch: 8, Shuffle: true, Seed: 3}); err != nil {
		return nil, err
	}
	if r.valid, err = data.NewLoader(points(30, 60), data.LoaderOptions{Batch: 16}); err != nil {
		return nil, err
	}
	if len(rts) == 1 {
		pass := model.Train()
		r.model.Loss = ops.CrossEntropy(pass.Apply(x), y)
		r.model.Updates = append(opt.Minimize(r.model.Loss), pass.Updates()...)
		return r, nil
	}
	r.dp, err = ops.NewDataParallel(ctx, rts, ops.DataParallelOptions{
		Params: model.Params(), Optimizer: opt.Minimize, Reproducible: true,
		Share: func(rows int) ops.Share {
			x, y := g.Input("x", tensor.Float32, rows, 2), g.Input("y", tensor.Int64, rows)
			return ops.Share{Inputs: []*ops.Node{x, y}, Loss: ops.CrossEntropy(model.Train().Apply(x), y)}
		},
	})
	r.model.Parallel = r.dp
	return r, err
}

// opened are runtimes on devices, closed with the test; without one of them the test is skipped.
func opened(t testing.TB, devices ...string) (rts []*ops.Runtime) {
	t.Helper()
	for _, d := range devices {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: d, Workers: 1})
		if err != nil && d != "none" {
			t.Skipf("needs the device %s: %v", d, err)
		}
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rt.Close()) })
		rts = append(rts, rt)
	}
	return rts
}

func built(t testing.TB, rts []*ops.Runtime) *rig {
	t.Helper()
	r, err := newRig(t.Context(), rts...)
	require.NoError(t, err)
	if r.dp != nil {
		t.Cleanup(func() { require.NoError(t, r.dp.Close()) })
	}
	return r
}

// sum is a check sum of all variables.
func (r *rig) sum(ctx context.Context) (string, error) {
	h := sha256.New()
	for name, v := range checkpoint.Variables(r.graph) {
		x, err := ops.Value(ctx, v)
		if err != nil {
			return "", err
		}
		b, _ := x.Bytes()
		h.Write([]byte(name))
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// shown is the part of a history that must be the same in two trainings: all but times.
func shown(h *History) string {
	c := *h
	c.Records = nil
	for _, r := range h.Records {
		r.Seconds = 0
		c.Records = append(c.Records, r)
	}
	c.Best = nil
	return fmt.Sprintf("%+v", c) // in which a NaN is a NaN
}
