package ocl

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// routineFamily is the family of kernels for a task of kind Routine: each algorithm has one of
// its own, by which EnvVariant names its variants.
func routineFamily(a engine.Algorithm) string {
	switch a.(type) {
	case *engine.Scan:
		return "scan"
	case *engine.Join:
		return "join"
	case *engine.Rank:
		return "rank"
	case *engine.Trees:
		return "trees"
	case *engine.Unique:
		return "unique"
	case *engine.Suppress:
		return "suppress"
	}
	return ""
}

// familyOf names the kernels that run t.
func familyOf(t *engine.Task) string {
	if t.Kind == engine.Routine {
		return routineFamily(t.Algorithm)
	}
	return t.Kind.String()
}

func routineVariants(d *deviceFacts, t *engine.Task) []variant {
	switch a := t.Algorithm.(type) {
	case *engine.Scan:
		return scanVariants(d, t, a)
	case *engine.Join:
		return joinVariants(d, t, a)
	case *engine.Rank:
		return rankVariants(d, t, a)
	case *engine.Trees:
		return treesVariants(d, t, a)
	case *engine.Unique:
		return uniqueVariants(d, t, a)
	case *engine.Suppress:
		return suppressVariants(d, t, a)
	}
	return nil
}

// checkRoutine says why the device has no way to run t, or "".
func (d *deviceFacts) checkRoutine(t *engine.Task) string {
	if err := t.CheckRoutine(); err != nil {
		return err.Error()
	}
	if routineFamily(t.Algorithm) == "" {
		return "it branches on data, and there is no kernel for it"
	}
	switch a := t.Algorithm.(type) {
	case *engine.Trees:
		return d.checkTrees(a)
	case *engine.Unique:
		return checkUnique(a)
	case *engine.Suppress:
		return d.checkSuppress()
	}
	return ""
}

// labour is what an algorithm takes.
type labour struct {
	ns       float64 // of one core of the kind that it was measured on
	parts    float64 // that need not wait for each other
	bytes    float64 // to and from memory
	launches float64
}

// labourCore is how many operations a second the core did on which labours were measured:
// AVX-512 at about 4 GHz.
const labourCore = 257e9

// time predicts a labour on so many units, less launches, in seconds: flops and bytes a second are those of all.
// It is no arithmetic, so that a core with narrower vectors is not slower by as much.
func (l labour) time(units, flops, bytes float64) float64 {
	flops = max(flops, labourCore*units/4)
	share := max(min(l.parts, units), 1) / units
	return max(l.ns*1e-9*labourCore/(flops*share), l.bytes/bytes)
}

// labourOf counts for CPU drivers; elsewhere it says no more than orders of magnitude.
func labourOf(t *engine.Task) labour {
	c := t.Cost()
	l := labour{ns: c.Flops, parts: c.Parts, bytes: c.BytesRead + c.BytesWrite, launches: 1}
	switch a := t.Algorithm.(type) {
	case *engine.Scan:
		l.ns = 0.3 * c.Flops
		if l.parts = max(l.parts, c.Flops/(1<<12)); a.Inner == 1 && c.Parts < 8 && a.Length > 1<<13 { // a row that is cut is read twice
			l.ns, l.launches, l.bytes = 2*l.ns, 2, l.bytes+c.BytesRead
		}
	case *engine.Join:
		l.ns, l.launches = 0.3*c.Flops, math.Ceil(float64(len(a.Widths))/16)
	case *engine.Rank:
		l = rankLabour(a, t.Ins[0].DType)
	case *engine.Trees:
		l = treesLabour(a)
	case *engine.Unique:
		l = uniqueLabour(a, t)
	case *engine.Suppress:
		l = suppressLabour(a)
	}
	return l
}

// bitType is the unsigned C type of as many bits as dt has.
func bitType(dt tensor.DType) string {
	return map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[dt.Size()]
}

// start is the text of where operand i of a whole buffer begins, as elements of type c.
func (g *gen) start(i int, c string) string {
	name, _, out := g.operand(i)
	if out {
		return fmt.Sprintf("((__global %s *)(%s_) + o_%s)", c, name, name)
	}
	return fmt.Sprintf("((__global const %s *)(%s_) + o_%s)", c, name, name)
}
