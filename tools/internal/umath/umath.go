// Package umath measures how far elementary functions are from the truth, in units in the last place, on the validation
// sets that NumPy is tested with: inputs that are known to be hard, each beside the result, correctly rounded.
//
// The sets are files umath-validation-set-NAME.csv of NumPy's sources and of Debian's package python3-numpy. A line is
// a dtype, the bits of an input, the bits of the result, and the error that NumPy allows itself.
package umath

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// function is one of NumPy's with ours and the error that the specification of OpenCL allows it.
type function struct {
	numpy, op string
	bound     float64
}

// functions has the bounds of the OpenCL C 3.0 specification, section 7.4, tables of relative errors of single and of
// double precision, which are the same for these.
var functions = []function{
	{"arccos", "acos", 4}, {"arccosh", "acosh", 4}, {"arcsin", "asin", 4}, {"arcsinh", "asinh", 4}, {"arctan", "atan", 5},
	{"arctanh", "atanh", 5},
	{"cbrt", "cbrt", 2}, {"cos", "cos", 4}, {"cosh", "cosh", 4}, {"exp", "exp", 3}, {"exp2", "exp2", 3}, {"expm1", "expm1", 3},
	{"log", "log", 3}, {"log10", "log10", 3}, {"log1p", "log1p", 2}, {"log2", "log2", 3}, {"sin", "sin", 4}, {"sinh", "sinh", 4},
	{"tan", "tan", 5}, {"tanh", "tanh", 5},
}

// Set are the points of one function in one dtype.
type Set struct {
	Function string       `json:"function"` // NumPy's name
	Op       string       `json:"op"`
	DType    tensor.DType `json:"dtype"`
	Points   int          `json:"points"`
	// Bound is the error that the specification of OpenCL allows, Allowed the one that NumPy allows itself, in units
	// in the last place.
	Bound   float64 `json:"bound_ulp"`
	Allowed float64 `json:"numpy_allows_ulp"`

	in, want []float64
}

// Read reads the sets of a folder, which may be deep in it.
func Read(dir string) ([]*Set, error) {
	var all []*Set
	for _, f := range functions {
		name := "umath-validation-set-" + f.numpy + ".csv"
		path, err := find(dir, name)
		if err != nil {
			return nil, err
		}
		sets, err := read(path, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, sets...)
	}
	return all, nil
}

func find(dir, name string) (path string, err error) {
	err = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == name {
			path = p
			return filepath.SkipAll
		}
		return err
	})
	if err == nil && path == "" {
		err = fmt.Errorf("%s: there is no %s in it", dir, name)
	}
	return path, err
}

func read(path string, f function) (sets []*Set, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	s32 := &Set{Function: f.numpy, Op: f.op, DType: tensor.Float32, Bound: f.bound}
	s64 := &Set{Function: f.numpy, Op: f.op, DType: tensor.Float64, Bound: f.bound}
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if !strings.HasPrefix(line, "np.") {
			continue // the header, comments
		}
		part := strings.Split(line, ",")
		if len(part) != 4 {
			return nil, fmt.Errorf("line %d: %d columns, not 4", n, len(part))
		}
		s, decode, width := s32, func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }, 32
		switch part[0] {
		case "np.float32":
		case "np.float64":
			s, decode, width = s64, math.Float64frombits, 64
		default:
			continue
		}
		in, err1 := strconv.ParseUint(strings.TrimSpace(part[1]), 0, width)
		out, err2 := strconv.ParseUint(strings.TrimSpace(part[2]), 0, width)
		allowed, err3 := strconv.ParseFloat(strings.TrimSpace(part[3]), 64)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		s.in, s.want = append(s.in, decode(in)), append(s.want, decode(out))
		s.Allowed = max(s.Allowed, allowed)
		s.Points++
	}
	return []*Set{s32, s64}, lines.Err()
}

// Error is how far a device is off on a set.
type Error struct {
	*Set
	Device string `json:"device"`
	// ULP is the largest error, in units in the last place of the result, At the input that has it.
	ULP float64 `json:"ulp"`
	At  float64 `json:"at"`
	// Why is why there is none: the device lacks the dtype, say.
	Why string `json:"why,omitempty"`
	// Flushed is how many subnormal results came as zeros, which OpenCL allows devices and which do not count.
	Flushed int `json:"flushed,omitempty"`
}

// Measure runs the sets on a device, "cpu" or "none" for the CPU path, as one graph for each dtype.
func Measure(ctx context.Context, device string, sets []*Set) (all []*Error, err error) {
	if device == "cpu" {
		device = "none"
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: device})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	name := rt.Engines()[0].Name()
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		var group []*Set
		for _, s := range sets {
			if s.DType == dt && s.Points > 0 {
				group = append(group, s)
			}
		}
		errs, err := measure(ctx, rt, group)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			for _, s := range group { // one by one: a function may be absent, or all of a dtype
				one, err := measure(ctx, rt, []*Set{s})
				if err != nil {
					one = []*Error{{Set: s, Why: strings.ReplaceAll(err.Error(), "\n", "; ")}}
				}
				errs = append(errs, one...)
			}
		}
		for _, e := range errs {
			e.Device = name
		}
		all = append(all, errs...)
	}
	return all, nil
}

func measure(ctx context.Context, rt *ops.Runtime, sets []*Set) (errs []*Error, err error) {
	g := ops.NewGraph("umath")
	feeds := ops.Feeds{}
	var outs []*ops.Node
	for _, s := range sets {
		t, err := tensor.New(s.DType, s.Points)
		if err != nil {
			return nil, err
		}
		for i, v := range s.in {
			t.SetFloat64(i, v)
		}
		x := g.Input(s.Function, s.DType, s.Points)
		feeds[x] = t
		outs = append(outs, ops.Apply(s.Op, nil, x))
	}
	place := ops.OnCPU
	if rt.Device() != nil {
		place = ops.OnDevice
	}
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: outs, Place: place, Fixed: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, exe.Close()) }()
	results, err := exe.Run(ctx, feeds)
	if err != nil {
		return nil, err
	}
	for i, s := range sets {
		errs = append(errs, s.compare(results[i]))
	}
	return errs, nil
}

func (s *Set) compare(got *tensor.Tensor) *Error {
	e := &Error{Set: s}
	for i, want := range s.want {
		v := got.Float64At(i)
		if v == 0 && want != 0 && math.Abs(want) < smallest(s.DType) || flushedInput(s, i, v) {
			e.Flushed++
			continue
		}
		if u := distance(s.DType, v, want); u > e.ULP {
			e.ULP, e.At = u, s.in[i]
		}
	}
	return e
}

// flushedInput reports whether v is the result for a zero of the input's sign where the input is subnormal, as of devices that take such
// for zeros: OpenCL lets them in single precision.
func flushedInput(s *Set, i int, v float64) bool {
	if in := s.in[i]; s.DType != tensor.Float32 || in == 0 || math.Abs(in) >= smallest(s.DType) {
		return false
	}
	switch s.Op {
	case "log", "log2", "log10":
		return math.IsInf(v, -1) && s.in[i] > 0
	}
	return false
}

// smallest is the smallest normal number.
func smallest(dt tensor.DType) float64 {
	if dt == tensor.Float32 {
		return 0x1p-126
	}
	return 0x1p-1022
}

// distance is how many numbers of the dtype lie between two, which for neighbours is a unit in the last place: that of section
// 7.4 of the specification, but where a power of two lies between. NaN is near NaN only, and far from all else.
func distance(dt tensor.DType, got, want float64) float64 {
	switch {
	case math.IsNaN(got) && math.IsNaN(want), got == want:
		return 0
	case math.IsNaN(got), math.IsNaN(want):
		return far
	}
	a, b := order(dt, got), order(dt, want)
	return math.Abs(float64(a - b))
}

// far is how far a number is from none.
const far = math.MaxFloat64

// order numbers the floats of a dtype in their order.
func order(dt tensor.DType, v float64) int64 {
	if dt == tensor.Float32 {
		b := int64(math.Float32bits(float32(v)))
		if b&0x80000000 != 0 {
			return -(b & 0x7fffffff)
		}
		return b
	}
	b := int64(math.Float64bits(v))
	if b < 0 {
		return -(b & math.MaxInt64)
	}
	return b
}
