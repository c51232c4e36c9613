package fusion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// inputs declares what a graph is fed: the same numbers whenever the same are asked for in the same order.
type inputs struct {
	graph  *ops.Graph
	feeds  ops.Feeds
	random *rand.Rand
}

func (in *inputs) feed(t *tensor.Tensor) *ops.Node {
	n := in.graph.Input(fmt.Sprint("x", len(in.feeds)), t.DType(), t.Shape()...)
	in.feeds[n] = t
	return n
}

// floats is a tensor of numbers from -1 to 1.
func (in *inputs) floats(shape ...int) *ops.Node { return in.feed(numbers(in.random, shape...)) }

// indices are n numbers below the given one.
func (in *inputs) indices(n, below int) *ops.Node {
	v := make([]int32, n)
	for i := range v {
		v[i] = in.random.Int32N(int32(below))
	}
	return in.feed(tensor.Must(tensor.FromSlice(v, n)))
}

func numbers(random *rand.Rand, shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Float32, shape...))
	v := make([]float32, t.Len())
	for i := range v {
		v[i] = 2*random.Float32() - 1
	}
	return tensor.Must(tensor.FromSlice(v, shape...))
}

// program is a graph that is ready to run again and again.
type program struct {
	exe     *ops.Executable
	feeds   ops.Feeds
	results []*tensor.Tensor
}

// compile compiles what reads x and runs it once.
func compile(ctx context.Context, rt *ops.Runtime, place ops.Place, x *tensor.Tensor, parts ...Part) (*program, error) {
	in := &inputs{graph: ops.NewGraph("fusion"), feeds: ops.Feeds{}}
	y := in.feed(x)
	for _, p := range parts {
		in.random = rand.New(rand.NewPCG(uint64(len(p.Name)), 7)) // so that a part has the same operands in either graph
		y = p.Build(in, y)
	}
	exe, err := in.graph.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y}, Place: place})
	if err != nil {
		return nil, err
	}
	p := &program{exe: exe, feeds: in.feeds}
	if p.results, err = exe.Run(ctx, p.feeds); err != nil {
		return nil, errors.Join(err, exe.Close())
	}
	return p, nil
}

func (p *program) time(ctx context.Context) (time.Duration, error) {
	start := time.Now()
	err := p.exe.RunInto(ctx, p.feeds, p.results)
	return time.Since(start), err
}

// Result is how long a pair takes.
type Result struct {
	Producer, Reader string
	Fused, Apart     time.Duration // lower quartiles
	Off              float64       // the largest difference of a value, as a part of the largest value; NaN where they are random or positions
	Plan             string        // what the fused graph runs
}

// Ratio is the time as one graph over that as two.
func (r *Result) Ratio() float64 { return float64(r.Fused) / float64(r.Apart) }

// Measure runs a pair in turns, fused and apart, where place says. runs is the number of turns.
func Measure(ctx context.Context, rt *ops.Runtime, place ops.Place, producer, reader Part, runs int) (r *Result, err error) {
	x := numbers(rand.New(rand.NewPCG(3, 5)), batch, channels, height, width)
	fused, err := compile(ctx, rt, place, x, producer, reader)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fused.exe.Close()) }()
	made, err := compile(ctx, rt, place, x, producer)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, made.exe.Close()) }()
	read, err := compile(ctx, rt, place, made.results[0], reader)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, read.exe.Close()) }()
	r = &Result{Producer: producer.Name, Reader: reader.Name, Off: math.NaN(), Plan: fused.exe.Explain()}
	if !producer.Random && read.results[0].DType().IsFloat() {
		r.Off = off(fused.results[0], read.results[0])
	}
	var one, two []time.Duration
	for range runs {
		t, err := fused.time(ctx)
		if err != nil {
			return nil, err
		}
		a, err := made.time(ctx)
		if err != nil {
			return nil, err
		}
		b, err := read.time(ctx)
		if err != nil {
			return nil, err
		}
		one, two = append(one, t), append(two, a+b)
	}
	slices.Sort(one)
	slices.Sort(two)
	r.Fused, r.Apart = one[runs/4], two[runs/4]
	return r, nil
}

// off is the largest difference of two tensors as a part of the largest value.
func off(a, b *tensor.Tensor) float64 {
	var most, largest float64
	for i := range a.Len() {
		x, y := a.Float64At(i), b.Float64At(i)
		if x != x || y != y {
			if (x == x) != (y == y) {
				return math.Inf(1)
			}
			continue
		}
		most, largest = max(most, math.Abs(x-y)), max(largest, math.Abs(y))
	}
	return most / max(largest, 1e-30)
}
