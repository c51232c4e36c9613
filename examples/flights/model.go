package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// prepared is the data of a model: rows in the order of time, of which it learns from the first.
type prepared struct {
	x       *tensor.Tensor // float32 [rows, features]
	y       []float32      // 1 for a late flight
	learned int
	names   []string
}

// prepare makes features of flights: the hour and the day of the week, the distance, and how late flights from and to the same
// airports were in the weeks that the model may see. Airports that it has not seen have the mean of all.
func (t *table) prepare(ctx context.Context, late int) (*prepared, error) {
	all, err := t.query().Sort("date").With(
		frame.Col("date").Hour().As("hour"), frame.Col("date").Weekday().As("weekday"),
		frame.Col("distance").Div(1000).As("distance"), frame.Col("delay").Gt(late).As("late"),
	).Collect(ctx)
	if err != nil {
		return nil, err
	}
	d := &prepared{learned: all.Rows() * 4 / 5}
	seen, err := all.Slice(0, d.learned)
	if err != nil {
		return nil, err
	}
	overall, err := seen.Query().Agg(frame.Mean("late").As("mean")).Collect(ctx)
	if err != nil {
		return nil, err
	}
	mean, err := overall.Value("mean", 0)
	if err != nil {
		return nil, err
	}
	q := all.Query()
	for _, key := range []string{"origin", "destination"} {
		// A few flights say little of an airport: each counts as if 50 more had been as late as all are.
		rate := frame.Sum("late").Add(frame.Lit(50.0).Mul(mean)).Div(frame.Rows().Add(50)).As("from " + key)
		q = q.Join(seen.Query().GroupBy(key).Agg(rate), frame.Join{How: frame.Left, On: []string{key}}).
			With(frame.Coalesce(frame.Col("from "+key), mean).As("from " + key))
	}
	f, err := q.Select("late", "hour", "weekday", "distance", "from origin", "from destination").Collect(ctx)
	if err != nil {
		return nil, err
	}
	if f, err = f.OneHot("hour"); err != nil {
		return nil, err
	}
	if f, err = f.OneHot("weekday"); err != nil {
		return nil, err
	}
	d.y = make([]float32, f.Rows())
	for i := range d.y {
		if f.Column("late").Bits().Get(i) {
			d.y[i] = 1
		}
	}
	d.names = slices.DeleteFunc(f.Names(), func(n string) bool { return n == "late" })
	x, err := f.Query().Select(floats(d.names)...).Collect(ctx)
	if err != nil {
		return nil, err
	}
	d.x, err = x.Tensor(d.names...)
	return d, err
}

func floats(names []string) (out []any) {
	for _, n := range names {
		out = append(out, frame.Col(n).Cast(column.Float32.Of()).As(n))
	}
	return out
}

// learn fits a model to the flights of the first weeks, on both engines, and judges it by the last.
func learn(ctx context.Context, p *gallery.Program, rt *ops.Runtime, t *table, o options) error {
	d, err := t.prepare(ctx, o.late)
	if err != nil {
		return err
	}
	n := len(d.y)
	ones := 0
	for _, v := range d.y[d.learned:] {
		ones += int(v)
	}
	p.Printf("\n%d features of %d flights to learn from, %d later ones to be tested on, %.1f %% of them late\n", len(d.names), d.learned,
		n-d.learned, 100*float64(ones)/float64(n-d.learned))
	if ones == 0 || ones == n-d.learned {
		return fmt.Errorf("-late %d leaves nothing to tell apart", o.late)
	}
	mask := make([]float32, n)
	for i := range d.learned {
		mask[i] = 1
	}
	g := ops.NewGraph("flights")
	x, y := g.Variable("x", d.x), g.Variable("late", tensor.Must(tensor.FromSlice(d.y)))
	score := logistic(x, y, g.Variable("mask", tensor.Must(tensor.FromSlice(mask))), o.steps)
	results, err := gallery.Graph(ctx, p, rt, gallery.Work{
		Name: fmt.Sprintf("logistic regression, %d steps", o.steps), Amount: float64(d.learned*o.steps) / 1e6, Unit: "M rows x steps",
	}, nil, score)
	if err != nil {
		return err
	}
	areas := make([]float64, len(results))
	for i, r := range results {
		areas[i] = auc(tensor.MustSlice[float32](r.Value[0])[d.learned:], d.y[d.learned:])
		p.Printf("area under the curve of the flights held out: %.4f, by %s\n", areas[i], r.Where)
	}
	p.Check(areas[0] > 0.55, "what was late before tells what will be: %.4f", areas[0])
	p.Check(near(areas[0], areas[len(areas)-1], 1e-3), "the models of both engines are as good: %.4f and %.4f", areas[0], areas[len(areas)-1])
	var theirs float64
	ok, err := p.Beside(ctx, gallery.Peer{Name: "scikit-learn", Python: peer, Files: map[string]any{
		"x.f32": tensor.MustSlice[float32](d.x), "y.f32": d.y}, Args: []any{len(d.names), d.learned}}, &theirs)
	if ok {
		p.Check(near(areas[0], theirs, 5e-3), "so is scikit-learn's: %.4f", theirs)
	}
	return err
}

// logistic returns the scores of rows x [n, features] by logistic regression, fitted to the rows of mask 1 by Newton's method; see
// examples/fraud. A small ridge settles columns that depend on each other, as the hours, of which each flight has one.
func logistic(x, label, mask *ops.Node, steps int) *ops.Node {
	g := x.Graph()
	n := x.Shape()[0]
	x = ops.Concat(1, x, g.Ones(tensor.Float32, n, 1))
	features := x.Shape()[1]
	ridge := ops.Mul(g.Eye(tensor.Float32, features, features, 0), 1)
	last, _ := ops.Scan([]*ops.Node{g.Zeros(tensor.Float32, features, 1)}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, _ []*ops.Node) {
		p := ops.Sigmoid(ops.Reshape(ops.MatMul(x, s[0]), n))
		weight := ops.Mul(ops.Mul(p, ops.Sub(1, p)), mask)
		wrong := ops.Reshape(ops.Mul(ops.Sub(label, p), mask), n, 1)
		columns := ops.Transpose(x)
		curvature := ops.Add(ops.MatMul(ops.Mul(columns, weight), x), ridge)
		gradient := ops.Sub(ops.MatMul(columns, wrong), s[0])
		return []*ops.Node{ops.Add(s[0], ops.Put(linalg.Solve(curvature, gradient, nil), ops.OnCPU))}, nil
	}, &ops.ScanOptions{Trips: steps})
	return ops.Reshape(ops.MatMul(x, last[0]), n)
}

// auc is how often a row of label 1 scores higher than one of label 0, ties counted half.
func auc(score, label []float32) float64 {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	var won, zeros, ones float64
	for i := 0; i < len(order); {
		var up, down float64
		for v := score[order[i]]; i < len(order) && score[order[i]] == v; i++ {
			if label[order[i]] == 1 {
				up++
			} else {
				down++
			}
		}
		won += up * (zeros + down/2)
		ones, zeros = ones+up, zeros+down
	}
	if ones == 0 || zeros == 0 {
		return math.NaN()
	}
	return won / (ones * zeros)
}
