package optest

import (
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"

	_ "github.com/anycl/anycl/ops/all" // the suite walks the table of ops
	_ "github.com/anycl/anycl/ops/optest/internal/control"
	_ "github.com/anycl/anycl/ops/optest/internal/elementwise"
	_ "github.com/anycl/anycl/ops/optest/internal/fourier"
	_ "github.com/anycl/anycl/ops/optest/internal/indexing"
	_ "github.com/anycl/anycl/ops/optest/internal/linear"
	_ "github.com/anycl/anycl/ops/optest/internal/neural"
	_ "github.com/anycl/anycl/ops/optest/internal/random"
	_ "github.com/anycl/anycl/ops/optest/internal/reduction"
	_ "github.com/anycl/anycl/ops/optest/internal/trees"
)

// Spec is the specification of one op: Call applies it to operands (nil where only samples can, because
// it has attributes or several results), Reference computes it, Tolerance bounds the error of a result, and
// Samples are the calls that run on every engine, each in every dtype that the op takes.
type Spec = spec.Spec

// Sample is one call of an op: Label tells it from the others, Operands describe what to feed, and Build makes the
// call (nil: Call of the [Spec]). Through makes views of the operands first, so that the op reads memory that is
// not contiguous; Source makes the node of an op that has no operands. Attr has the parameters that the
// reference needs beside the operands, and Only restricts the sample to some dtypes.
type Sample = spec.Sample

// Operand describes the values of one operand of a [Sample]: its Shape; its DType, if it is not the one under test; the
// bounds Lo and Hi of random values (both 0: -4 to 4, or small integers); Special mixes in NaN, infinities, zeros of
// both signs, and extremes; Distinct makes all values different; Fixed makes a constant of the graph of it in place of
// an input.
type Operand = spec.Operand

// Array is a host array in which references compute: DType, Shape, and the elements in row-major order in the widest
// type of their class, F for floats, I for signed integers, and U for bool and unsigned ones. Values that a
// reference returns in F are not rounded to DType, because errors are measured against them.
type Array = spec.Array

// Case is one call of an op, for its reference: the operands In, Attr as in [Sample], and the DType and Shape that the
// graph inferred for the result, which references use only where nothing else says it. Stream is the number of the
// random tensor in its graph, from 1.
type Case = spec.Case

// Result is the result of a reference: the exact Array, up to the error of float64, and for a sum the numbers that its
// error bound needs: Terms, which is Σ|terms| for every element, and N, how many roundings a term goes through.
type Result = spec.Result

// Reference computes one op.
type Reference = spec.Reference

// Tolerance bounds the error of one op. For an exact result v and a computed result w of dtype T,
//
//	|w - v| <= ULP·ulp(v) + Terms·N·u·Σ|terms| + store + tiny
//
// ULP counts in units of the register type, which is float32 for float16, bfloat16 and float32, and ULP64 in those of
// float64. u is the unit roundoff of the register type (Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, section 4.2). store is half an ulp of T where T is narrower than its register, and for a
// composition as much again for each of its Stored parts. tiny is the smallest normal float32, as devices may
// flush subnormals (OpenCL C 3.0, section 7.5.3), but not for ops that only move values, which are marked Moves. Source
// says where the figures come from. NaN equals NaN, an infinity equals only itself, the sign of zero is not
// compared, and integers and bools are exact.
type Tolerance = spec.Tolerance

// Register enters the spec of the op of that name, from an init function. It
// panics where the spec is incomplete or the op has one, which any test finds.
func Register(op string, s Spec) { spec.Register(op, s) }

// Samples returns the samples of the op of that name, none where it has no spec.
func Samples(op string) []Sample { return spec.Samples(op) }

// NewArray is an array of zeros.
func NewArray(dt tensor.DType, shape ...int) Array { return spec.NewArray(dt, shape...) }

// FromTensor reads t.
func FromTensor(t *tensor.Tensor) Array { return spec.FromTensor(t) }

// Fill gives the values of an operand of dtype dt, the same for the same seed
// on every machine. Values are representable in dt.
func Fill(o Operand, dt tensor.DType, seed uint64) *tensor.Tensor { return spec.Fill(o, dt, seed) }

// Bound says in words how far results of an op in dt may be from the exact ones, and where
// that comes from.
func Bound(op string, dt tensor.DType) (bound, source string) { return spec.Bound(op, dt) }
