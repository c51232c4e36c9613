package export

import (
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

var (
	_ = define("lstm", recurrent("LSTM", 0, 3, 1, 2)) // input, output, forget, cell of input, forget, cell, output
	_ = define("gru", recurrent("GRU", 1, 0, 2))      // update, reset, hidden of reset, update, new
	_ = define("rnn", recurrent("RNN", 0))
)

// recurrent writes layers, a node each; gates are where those of the operator stand among ours.
func recurrent(operator string, gates ...int) rule {
	return func(c *call) []string {
		if c.bool("projection") || c.float("dropout") != 0 || slices.Contains(c.shape(0), 0) {
			return nil // through the composition, which refuses ops that draw random numbers
		}
		next := 0
		take := func(wanted bool) string {
			if !wanted {
				return ""
			}
			next++
			return c.arg(next - 1)
		}
		x, h0, c0 := take(true), take(c.bool("initial")), take(c.bool("cell"))
		lengths := take(c.bool("lengths"))
		if lengths != "" {
			lengths = c.cast(lengths, tensor.Int32)
		}
		perm := []int{1, 0, 2}
		if c.bool("batch_first") {
			x = c.transpose(x, perm)
		}
		dirs, each := 1, 2
		if c.bool("bidirectional") {
			dirs = 2
		}
		if c.bool("bias") {
			each = 4
		}
		steps, batch := c.shape(0)[0], c.shape(0)[1]
		if c.bool("batch_first") {
			steps, batch = batch, steps
		}
		hidden := c.in[next+1].Dim(1)
		layers := (len(c.in) - next) / (each * dirs)
		var hs, cs []string
		for l := range layers {
			w, r, b := make([]string, dirs), make([]string, dirs), make([]string, dirs)
			for d := range dirs {
				w[d], r[d] = c.sorted(take(true), gates, hidden), c.sorted(take(true), gates, hidden)
				if each == 4 {
					b[d] = c.op("Concat", []string{c.sorted(take(true), gates, hidden), c.sorted(take(true), gates, hidden)}, anInt("axis", 0))
				}
			}
			in := []string{x, c.stacked(w), c.stacked(r), "", lengths, c.rows(h0, l*dirs, dirs, layers), ""}
			if each == 4 {
				in[3] = c.stacked(b)
			}
			in[6] = c.rows(c0, l*dirs, dirs, layers)
			results, attrs := c.recurrentAttrs(operator, hidden, dirs)
			out := c.ops(results, operator, in, attrs...)
			if dirs == 1 {
				x = c.op("Squeeze", []string{out[0], c.list(1)})
			} else {
				x = c.reshape(c.transpose(out[0], []int{0, 2, 1, 3}), steps, batch, dirs*hidden)
			}
			hs = append(hs, out[1])
			cs = append(cs, out[results-1])
		}
		if c.bool("batch_first") {
			x = c.transpose(x, perm)
		}
		all := []string{x, c.joined(hs)}
		if operator == "LSTM" {
			all = append(all, c.joined(cs))
		}
		return all
	}
}

// recurrentAttrs are the attributes of a layer's node, and how many results it has.
func (c *call) recurrentAttrs(operator string, hidden, dirs int) (results int, attrs []*model.Attr) {
	results, attrs = 2, []*model.Attr{anInt("hidden_size", hidden)}
	if dirs == 2 {
		attrs = append(attrs, text("direction", "bidirectional"))
	}
	if c.bool("relu") {
		attrs = append(attrs, texts("activations", slices.Repeat([]string{"Relu"}, dirs)...))
	}
	switch operator {
	case "LSTM":
		results = 3
	case "GRU":
		attrs = append(attrs, flag("linear_before_reset", !c.bool("reset_first")))
	}
	return results, attrs
}

// sorted is a weight with its gates in another order.
func (c *call) sorted(w string, gates []int, hidden int) string {
	if slices.IsSorted(gates) {
		return w
	}
	var at []int
	for _, g := range gates {
		for i := range hidden {
			at = append(at, g*hidden+i)
		}
	}
	return c.op("Gather", []string{w, c.list(at...)}, anInt("axis", 0))
}

// stacked are tensors one behind the other along a new first axis.
func (c *call) stacked(v []string) string {
	all := make([]string, len(v))
	for i := range v {
		all[i] = c.op("Unsqueeze", []string{v[i], c.list(0)})
	}
	return c.joined(all)
}

func (c *call) joined(v []string) string {
	if len(v) == 1 {
		return v[0]
	}
	return c.op("Concat", v, anInt("axis", 0))
}

// rows are n rows of v from one on, of as many as layers have; "" where there is no v.
func (c *call) rows(v string, from, n, layers int) string {
	if v == "" || layers == 1 {
		return v
	}
	return c.op("Slice", []string{v, c.list(from), c.list(from + n), c.list(0)})
}
