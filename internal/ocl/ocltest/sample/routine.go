package sample

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/tensor"
)

// Routine is a task over whole buffers.
func Routine(a engine.Algorithm, ins []engine.Operand, outs ...engine.Operand) *engine.Task {
	return &engine.Task{Kind: engine.Routine, Name: "test", Algorithm: a, Ins: ins, Outs: outs}
}

// Scan is a running sum.
func Scan(dt tensor.DType, a engine.Scan) *engine.Task {
	x := engine.Operand{DType: dt, Len: a.Outer * a.Length * a.Inner}
	return Routine(&a, []engine.Operand{x}, x)
}

// Rank sorts rows, or keeps the first of each.
func Rank(dt tensor.DType, a engine.Rank) *engine.Task {
	n := a.Rows * a.Keep
	return Routine(&a, []engine.Operand{{DType: dt, Len: a.Rows * a.Length}}, engine.Operand{DType: dt, Len: n}, engine.Operand{DType: tensor.Int64, Len: n})
}

// RankInput has the hard cases of a sort: ties, both zeros, infinities, NaN of many kinds.
func RankInput(r *rand.Rand, dt tensor.DType, n int64) []byte {
	in := ocltest.RandomBytes(r, dt, n)
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1}
	for i := range n {
		if dt.IsFloat() && r.IntN(3) == 0 {
			ocltest.PutAt(dt, in, i, special[r.IntN(len(special))], 0)
		}
		if dt.IsFloat() && r.IntN(20) == 0 { // any bits
			for b := range dt.Size() {
				in[int(i)*dt.Size()+b] = byte(r.Uint64())
			}
		}
		if !dt.IsFloat() && r.IntN(2) == 0 {
			ocltest.PutAt(dt, in, i, 0, uint64(r.IntN(5)))
		}
	}
	return in
}

// Join lays rows of inputs of those widths side by side.
func Join(dt tensor.DType, rows int64, widths ...int64) *engine.Task {
	j := &engine.Join{Rows: rows, Widths: widths}
	var ins []engine.Operand
	for _, w := range widths {
		ins = append(ins, engine.Operand{DType: dt, Len: rows * w})
	}
	return Routine(j, ins, engine.Operand{DType: dt, Len: rows * j.Width()})
}

// Suppress is non-maximum suppression. Limits that a leaves out default to all boxes of a class, and room for all.
func Suppress(a engine.Suppress) *engine.Task {
	if a.PerClass == 0 {
		a.PerClass = a.Boxes
	}
	if a.Capacity == 0 {
		a.Capacity = a.Batches * a.Classes * a.PerClass
	}
	f := func(n int64) engine.Operand { return engine.Operand{DType: tensor.Float32, Len: n} }
	i := func(n int64) engine.Operand { return engine.Operand{DType: tensor.Int64, Len: n} }
	return Routine(&a, []engine.Operand{f(a.Batches * a.Boxes * 4), f(a.Batches * a.Classes * a.Boxes)}, i(3*a.Capacity), i(1))
}

// SuppressInput are boxes around a few places, and scores that are often equal, with special values among both.
func SuppressInput(r *rand.Rand, a engine.Suppress, spread float32) [][]byte {
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1e-41, -3e-39, 1e38}
	var boxes, scores []float32
	for range a.Batches * a.Boxes {
		y, x, h, w := r.Float32()*spread, r.Float32()*spread, r.Float32()*20, r.Float32()*20
		b := []float32{y, x, y + h, x + w}
		switch {
		case a.Centre:
			b = []float32{x, y, w, h}
		case r.IntN(4) == 0:
			b = []float32{y + h, x, y, x + w}
		}
		if r.IntN(40) == 0 {
			b[r.IntN(4)] = special[r.IntN(len(special))]
		}
		if r.IntN(40) == 0 { // of which products are no normal numbers
			for i := range b {
				b[i] *= 1e-21
			}
		}
		boxes = append(boxes, b...)
	}
	for range a.Batches * a.Classes * a.Boxes {
		s := float32(r.IntN(200)-20) / 100
		if r.IntN(2) == 0 {
			s = r.Float32()
		}
		if r.IntN(20) == 0 {
			s = special[r.IntN(len(special))]
		}
		scores = append(scores, s)
	}
	return [][]byte{FloatBytes(boxes), FloatBytes(scores)}
}

// FloatBytes is xs in memory.
func FloatBytes(xs []float32) (b []byte) {
	for _, x := range xs {
		b = binary.NativeEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Unique finds the different items.
func Unique(dt tensor.DType, a engine.Unique) *engine.Task {
	x, n := engine.Operand{DType: dt, Len: a.Count * a.Width}, engine.Operand{DType: tensor.Int64, Len: a.Count}
	return Routine(&a, []engine.Operand{x}, x, n, n, n, engine.Operand{DType: tensor.Int64, Len: 1})
}

// UniqueInput are the elements of RankInput, nine in ten of them replaced by one of the given number of values.
func UniqueInput(r *rand.Rand, dt tensor.DType, n int64, different int) []byte {
	in := RankInput(r, dt, n)
	for i := range n {
		if r.IntN(10) > 0 {
			k := r.IntN(different)
			ocltest.PutAt(dt, in, i, float64(k-different/2)/4, uint64(k)*0x9E3779B97F4A7C15)
		}
	}
	return in
}

// Forest is an ensemble of full trees of that depth over random numbers, with that many weights a leaf.
func Forest(r *rand.Rand, dt tensor.DType, a engine.Trees, depth, weights int) (*engine.Task, [][]byte) {
	size, words := 2<<depth-1, int(engine.NodeWords(dt))
	a.Nodes, a.Leaves = a.Count*int64(size), a.Count<<depth
	a.Weights, a.Steps = a.Leaves*int64(weights), float64(a.Count)*float64(depth)
	var nodes, roots, targets []int32
	starts := []int32{0}
	leaf := int32(0)
	for t := range int(a.Count) {
		base := int32(t * size)
		roots = append(roots, base, int32(depth))
		for i := range int32(size) {
			n := make([]int32, words)
			key, feature, left, end := int64(0), int32(r.IntN(2*int(a.Features))), base+2*i+1, int32(-1)
			if i >= 1<<depth-1 {
				key, feature, left, end = math.MaxInt64, 0, base+i, leaf
				leaf++
				for range weights {
					targets = append(targets, int32(r.IntN(int(a.Targets))))
				}
				starts = append(starts, int32(len(targets)))
			} else if dt == tensor.Float64 {
				key = engine.FloatKey64(r.NormFloat64())
			} else {
				key = int64(engine.FloatKey32(float32(r.NormFloat64())))
			}
			if dt == tensor.Float64 {
				n[0], n[1] = int32(key), int32(key>>32)
			} else {
				n[0] = int32(min(key, math.MaxInt32))
			}
			copy(n[words/3:], []int32{feature, left, end})
			nodes = append(nodes, n...)
		}
	}
	words32 := func(xs []int32) (b []byte) {
		for _, x := range xs {
			b = binary.NativeEndian.AppendUint32(b, uint32(x))
		}
		return b
	}
	x := ocltest.RandomBytes(r, dt, a.Samples*a.Features)
	for i := range a.Samples * a.Features {
		if r.IntN(10) == 0 {
			ocltest.PutAt(dt, x, i, []float64{math.NaN(), math.Inf(-1), math.Inf(1), 0, math.Copysign(0, -1)}[r.IntN(5)], 0)
		}
	}
	ins := [][]byte{x, words32(nodes), words32(roots), words32(starts), words32(targets), ocltest.RandomBytes(r, dt, a.Weights)}
	whole := func(n int64) engine.Operand { return engine.Operand{DType: tensor.Int32, Len: n} }
	task := Routine(&a, []engine.Operand{
		{DType: dt, Len: a.Samples * a.Features}, whole(int64(len(nodes))), whole(2 * a.Count), whole(a.Leaves + 1), whole(a.Weights), {DType: dt, Len: a.Weights},
	}, engine.Operand{DType: dt, Len: a.Samples * a.Targets})
	return task, ins
}
