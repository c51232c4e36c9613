package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Recurrent networks, written for one number after the other.

// recurrentCase is the attribute of a sample: the kind, options, and which operands there are.
type recurrentCase struct {
	kind                        string
	o                           ops.RecurrentOptions
	h0, c0, lengths, bias, proj bool
	layers, which               int
}

type layerWeights struct{ input, hidden, inputBias, hiddenBias, proj *spec.Array }

func (r recurrentCase) operands(in []spec.Array) (x spec.Array, h0, c0, lengths *spec.Array, ws []layerWeights) {
	next := func(there bool) *spec.Array {
		if !there {
			return nil
		}
		a := in[0]
		in = in[1:]
		return &a
	}
	x = *next(true)
	h0, c0, lengths = next(r.h0), next(r.c0), next(r.lengths)
	for len(in) > 0 {
		ws = append(ws, layerWeights{next(true), next(true), next(r.bias), next(r.bias), next(r.proj)})
	}
	return x, h0, c0, lengths, ws
}

func runRecurrent(c spec.Case) spec.Result {
	r := reference.Attr[recurrentCase](c)
	x, h0, c0, lengths, ws := r.operands(c.In)
	directions := 1
	if r.o.Bidirectional {
		directions = 2
	}
	steps, batch, width := x.Shape[0], x.Shape[1], x.Shape[2]
	if r.o.BatchFirst {
		steps, batch = batch, steps
	}
	seq := make([][][]float64, steps) // [T][N][I]
	for t := range seq {
		for n := range batch {
			at := []int{t, n, 0}
			if r.o.BatchFirst {
				at = []int{n, t, 0}
			}
			p := reference.Position(x.Shape, at)
			seq[t] = append(seq[t], x.F[p:p+width])
		}
	}
	var lastH, lastC []float64
	for l := 0; l < len(ws)/directions; l++ {
		out := make([][][]float64, steps)
		for t := range out {
			out[t] = make([][]float64, batch)
		}
		for d := range directions {
			w := ws[l*directions+d]
			row := l*directions + d
			state := w.hidden.Shape[1]
			for n := range batch {
				h := make([]float64, state)
				if h0 != nil {
					copy(h, h0.F[(row*batch+n)*state:][:state])
				}
				var cell []float64
				if r.kind == "lstm" {
					cell = make([]float64, w.hidden.Shape[0]/4)
					if c0 != nil {
						copy(cell, c0.F[(row*batch+n)*len(cell):][:len(cell)])
					}
				}
				for k := range steps {
					t := k
					if d == 1 {
						t = steps - 1 - k
					}
					if lengths != nil && t >= reference.IndexAt(*lengths, n) {
						out[t][n] = append(out[t][n], make([]float64, state)...)
						continue
					}
					h, cell = r.step(w, seq[t][n], h, cell)
					out[t][n] = append(out[t][n], h...)
				}
				lastH, lastC = append(lastH, h...), append(lastC, cell...)
			}
		}
		seq = out
	}
	y := spec.NewArray(c.DType, c.Shape...)
	switch r.which {
	case 1:
		copy(y.F, lastH)
	case 2:
		copy(y.F, lastC)
	default:
		for p, at := range reference.Coordinates(c.Shape) {
			t, n := at[0], at[1]
			if r.o.BatchFirst {
				t, n = n, t
			}
			y.F[p] = seq[t][n][at[2]]
		}
	}
	terms := make([]float64, y.Len())
	for p := range terms {
		terms[p] = 4 + math.Abs(y.F[p])
	}
	return spec.Result{Array: y, Terms: terms, N: float64(8 * steps * len(ws))}
}

func (r recurrentCase) step(w layerWeights, x, h, cell []float64) (nextH, nextCell []float64) {
	product := func(m *spec.Array, v []float64, i int) (s float64) {
		for j, e := range v {
			s += m.F[i*len(v)+j] * e
		}
		return s
	}
	in := func(i int) float64 {
		s := product(w.input, x, i)
		if w.inputBias != nil {
			s += w.inputBias.F[i]
		}
		return s
	}
	state := func(v []float64, i int) float64 {
		s := product(w.hidden, v, i)
		if w.hiddenBias != nil {
			s += w.hiddenBias.F[i]
		}
		return s
	}
	logistic := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	switch n := len(h); r.kind {
	case "rnn":
		for i := range n {
			if v := in(i) + state(h, i); r.o.ReLU {
				nextH = append(nextH, max(v, 0))
			} else {
				nextH = append(nextH, math.Tanh(v))
			}
		}
	case "gru":
		reset := make([]float64, n)
		scaled := make([]float64, n)
		for i := range n {
			reset[i] = logistic(in(i) + state(h, i))
			scaled[i] = reset[i] * h[i]
		}
		for i := range n {
			z := logistic(in(n+i) + state(h, n+i))
			v := in(2*n+i) + reset[i]*state(h, 2*n+i)
			if r.o.ResetFirst {
				v = in(2*n+i) + state(scaled, 2*n+i)
			}
			nextH = append(nextH, (1-z)*math.Tanh(v)+z*h[i])
		}
	case "lstm":
		n := len(cell)
		for i := range n {
			v := logistic(in(n+i)+state(h, n+i))*cell[i] + logistic(in(i)+state(h, i))*math.Tanh(in(2*n+i)+state(h, 2*n+i))
			nextCell = append(nextCell, v)
			nextH = append(nextH, logistic(in(3*n+i)+state(h, 3*n+i))*math.Tanh(v))
		}
		if w.proj != nil {
			full := nextH
			nextH = nil
			for i := range w.proj.Shape[0] {
				nextH = append(nextH, product(w.proj, full, i))
			}
		}
	}
	return nextH, nextCell
}

func recurrentSample(label string, r recurrentCase, steps, batch, width, cell, state int) spec.Sample {
	gates := map[string]int{"rnn": 1, "gru": 3, "lstm": 4}[r.kind]
	directions := 1
	if r.o.Bidirectional {
		directions = 2
	}
	x := []int{steps, batch, width}
	if r.o.BatchFirst {
		x[0], x[1] = batch, steps
	}
	all := []spec.Operand{{Shape: x, Lo: -1, Hi: 1}}
	weight := func(shape ...int) { all = append(all, spec.Operand{Shape: shape, Lo: -0.8, Hi: 0.8}) }
	if r.h0 {
		weight(r.layers*directions, batch, state)
	}
	if r.c0 {
		weight(r.layers*directions, batch, cell)
	}
	if r.lengths {
		all = append(all, spec.Operand{Shape: []int{batch}, DType: tensor.Int32, Lo: 1, Hi: float64(steps)})
	}
	for l := range r.layers {
		for range directions {
			in := width
			if l > 0 {
				in = directions * state
			}
			weight(gates*cell, in)
			weight(gates*cell, state)
			if r.bias {
				weight(gates * cell)
				weight(gates * cell)
			}
			if r.proj {
				weight(state, cell)
			}
		}
	}
	return spec.Sample{
		Label: label, Operands: all, Attr: r,
		Build: func(in []*ops.Node) *ops.Node {
			next := func(there bool) *ops.Node {
				if !there {
					return nil
				}
				n := in[0]
				in = in[1:]
				return n
			}
			o := r.o
			x, h0, c0 := next(true), next(r.h0), next(r.c0)
			o.Lengths = next(r.lengths)
			var ws []ops.RecurrentWeights
			for len(in) > 0 {
				ws = append(ws, ops.RecurrentWeights{Input: next(true), Hidden: next(true), InputBias: next(r.bias), HiddenBias: next(r.bias),
					Projection: next(r.proj)})
			}
			var out []*ops.Node
			switch r.kind {
			case "rnn":
				y, h := ops.RNN(x, h0, ws, &o)
				out = []*ops.Node{y, h}
			case "gru":
				y, h := ops.GRU(x, h0, ws, &o)
				out = []*ops.Node{y, h}
			default:
				y, h, c := ops.LSTM(x, h0, c0, ws, &o)
				out = []*ops.Node{y, h, c}
			}
			return out[r.which]
		},
	}
}

func init() {
	tolerance := spec.Tolerance{ULP: 16, ULP64: 16, Terms: 1, Stored: 2, Source: spec.Composition}
	type options = ops.RecurrentOptions
	spec.Register("rnn", spec.Spec{Reference: runRecurrent, Tolerance: tolerance, Samples: []spec.Sample{
		recurrentSample("two layers", recurrentCase{kind: "rnn", layers: 2, bias: true, h0: true}, 4, 3, 5, 4, 4),
		recurrentSample("relu, last state", recurrentCase{kind: "rnn", layers: 1, o: options{ReLU: true, BatchFirst: true}, which: 1}, 3, 2, 3, 4,
			4),
	}})
	spec.Register("gru", spec.Spec{Reference: runRecurrent, Tolerance: tolerance, Samples: []spec.Sample{
		recurrentSample("both directions, lengths",
			recurrentCase{kind: "gru", layers: 1, bias: true, lengths: true, o: options{Bidirectional: true}}, 4, 3, 3, 4, 4),
		recurrentSample("reset first", recurrentCase{kind: "gru", layers: 1, bias: true, h0: true, o: options{ResetFirst: true}}, 3, 2, 3, 4, 4),
	}})
	spec.Register("lstm", spec.Spec{Reference: runRecurrent, Tolerance: tolerance, Samples: []spec.Sample{
		recurrentSample("two layers, both directions, projected", recurrentCase{kind: "lstm", layers: 2, bias: true, h0: true, c0: true,
			proj: true, o: options{Bidirectional: true, BatchFirst: true}}, 3, 2, 3, 5, 4),
		recurrentSample("last cell, lengths", recurrentCase{kind: "lstm", layers: 1, lengths: true, which: 2}, 4, 3, 3, 4, 4),
	}})
	spec.Register("ctc_loss",
		spec.Spec{Reference: ctc, Tolerance: spec.Tolerance{ULP: 16, ULP64: 16, Terms: 1, Stored: 2, Source: spec.Composition},
			Samples: []spec.Sample{
				ctcSample("rows", ctcCase{o: ops.CTCOptions{}}, []int{3, 3}),
				ctcSample("one after the other, each", ctcCase{o: ops.CTCOptions{Reduction: ops.LossNone, Blank: 2, ZeroInfinity: true, Longest: 3}},
					[]int{9}),
			}})
	spec.Register("embedding_bag", spec.Spec{Reference: embeddingBag,
		Tolerance: spec.Tolerance{ULP: 2, ULP64: 2, Terms: 1, Stored: 2, Source: spec.Composition}, Samples: []spec.Sample{
			bagSample("rows, mean", bagCase{o: ops.EmbeddingBagOptions{Pads: true, Padding: 2}}),
			bagSample("rows, maximum", bagCase{o: ops.EmbeddingBagOptions{Mode: ops.BagMax}}),
			bagSample("offsets, weights", bagCase{o: ops.EmbeddingBagOptions{Mode: ops.BagSum}, offsets: true, weights: true}),
			bagSample("offsets, maximum", bagCase{o: ops.EmbeddingBagOptions{Mode: ops.BagMax}, offsets: true}),
		}})
}

type ctcCase struct{ o ops.CTCOptions }

func ctcSample(label string, c ctcCase, targets []int) spec.Sample {
	return spec.Sample{
		Label: label, Attr: c,
		Operands: []spec.Operand{
			{Shape: []int{6, 3, 4}, Lo: -3, Hi: -0.1}, {Shape: targets, DType: tensor.Int64, Lo: 0, Hi: 3},
			{Shape: []int{3}, DType: tensor.Int64, Lo: 6, Hi: 6}, {Shape: []int{3}, DType: tensor.Int32, Lo: 2, Hi: 3},
		},
		// The targets must not be the blank, which the last class takes the place of.
		Build: func(in []*ops.Node) *ops.Node {
			t := in[1]
			t = ops.Where(ops.Equal(t, c.o.Blank), ops.ScalarLike(t, 3), t)
			return ops.CTCLoss(in[0], t, in[2], in[3], &c.o)
		},
	}
}

// ctc sums the probabilities of all paths, one by one.
func ctc(c spec.Case) spec.Result {
	o, x := reference.Attr[ctcCase](c).o, c.In[0]
	steps, batch, classes := x.Shape[0], x.Shape[1], x.Shape[2]
	each, size := make([]float64, batch), make([]float64, batch)
	first := 0
	for n := range each {
		length := reference.IndexAt(c.In[3], n)
		var target []int
		for s := range length {
			at := n*3 + s
			if len(c.In[1].Shape) == 1 {
				at = first + s
			}
			t := reference.IndexAt(c.In[1], at)
			if t == o.Blank {
				t = 3
			}
			target = append(target, t)
		}
		first += length
		paths := 1
		for range steps {
			paths *= classes
		}
		var total float64
		for path := range paths {
			log, last := 0.0, -1
			var said []int
			for t := range steps {
				k := path % classes
				path /= classes
				log += x.F[(t*batch+n)*classes+k]
				if k != o.Blank && k != last {
					said = append(said, k)
				}
				last = k
			}
			if slices.Equal(said, target) {
				total += math.Exp(log)
			}
		}
		each[n] = -math.Log(total)
		if total == 0 && o.ZeroInfinity {
			each[n] = 0
		}
		size[n] = math.Abs(each[n]) + 20
		if o.Reduction == "" {
			each[n] /= float64(length)
		}
	}
	return lossCase{reduction: o.Reduction}.reduce(c, nil, each, size, float64(batch))
}

type bagCase struct {
	o                ops.EmbeddingBagOptions
	offsets, weights bool
}

func bagSample(label string, b bagCase) spec.Sample {
	s := spec.Sample{Label: label, Attr: b, Operands: []spec.Operand{{Shape: []int{7, 5}, Distinct: true}}}
	if b.offsets {
		// Offsets 0, 3, 5 and 5.
		s.Operands = append(s.Operands, spec.Operand{Shape: []int{9}, DType: tensor.Int64, Lo: 0, Hi: 6})
	} else {
		s.Operands = append(s.Operands, spec.Operand{Shape: []int{4, 3}, DType: tensor.Int32, Lo: 0, Hi: 6})
	}
	if b.weights {
		s.Operands = append(s.Operands, spec.Operand{Shape: []int{9}})
	}
	s.Build = func(in []*ops.Node) *ops.Node {
		o := b.o
		if b.offsets {
			o.Offsets = in[0].Graph().Const(tensor.Must(tensor.FromSlice([]int64{0, 3, 5, 5}, 4)))
		}
		if b.weights {
			o.Weights = in[2]
		}
		return ops.EmbeddingBag(in[0], in[1], &o)
	}
	return s
}

func embeddingBag(c spec.Case) spec.Result {
	b, table, ids := reference.Attr[bagCase](c), c.In[0], c.In[1]
	y := spec.NewArray(table.DType, c.Shape...)
	terms := make([]float64, y.Len())
	for p, at := range reference.Coordinates(c.Shape) {
		from, to := at[0]*3, at[0]*3+3
		if b.offsets {
			starts := []int{0, 3, 5, 5, 9}
			from, to = starts[at[0]], starts[at[0]+1]
		}
		var n, sum, size float64
		top := math.Inf(-1)
		for i := from; i < to; i++ {
			id := reference.IndexAt(ids, i)
			if b.o.Pads && id == b.o.Padding {
				continue
			}
			v := table.F[id*table.Shape[1]+at[1]]
			if b.weights {
				v *= c.In[2].F[i]
			}
			n++
			sum += v
			size += math.Abs(v)
			top = max(top, v)
		}
		switch {
		case n == 0:
		case b.o.Mode == ops.BagMax:
			y.F[p] = top
		case b.o.Mode == ops.BagSum:
			y.F[p], terms[p] = sum, size
		default:
			y.F[p], terms[p] = sum/n, size/n
		}
	}
	return spec.Result{Array: y, Terms: terms, N: 12}
}
