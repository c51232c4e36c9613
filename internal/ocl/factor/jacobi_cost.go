package factor

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// operations counts the operations of one pass over all pairs of columns: sums of products, and rotations of the columns and of
// the vectors kept beside them.
func (j *jacobi) operations() float64 {
	each := 8 * float64(j.long)
	if !j.eigen && j.second() {
		each += 6 * float64(j.short)
	}
	return float64(j.short*j.short) * each
}

// groupNs is how long a matrix takes with the kernel for groups, in nanoseconds of one core of the kind that costs refer to. It is
// measured with half as wide vectors, as is lanesNs: beside their operations, pairs take a chain of sums, roots and quotients.
func (j *jacobi) groupNs() float64 {
	pairs := float64(j.short * j.short)
	return (j.operations()*0.085 + pairs*50) * float64(j.size()) / 4
}

// lanesNs is how long as many matrices as a vector has lanes take.
func (j *jacobi) lanesNs() float64 {
	return j.operations() + float64(j.short*j.short)*70
}

// vectors is how many vectors have all matrices in their lanes.
func (j *jacobi) vectors() float64 { return float64(variant.CeilDiv(j.batch, lanesBytes/j.size())) }

// inLanes reports whether matrices in lanes are faster than one after the other on that number of cores.
func (j *jacobi) inLanes(cores int) bool {
	rounds := func(parts float64) float64 { return math.Ceil(parts / float64(max(cores, 1))) }
	return j.mayUseLanes() && rounds(j.vectors())*j.lanesNs() < rounds(float64(j.batch))*j.groupNs()
}

func jacobiCost(t *engine.Task, l variant.AlgorithmCost) variant.AlgorithmCost {
	j := newJacobi(&facts.Device{CPU: true}, t)
	l.Launches = 1
	if !j.eigen && t.Reads(j.longs) {
		l.Launches = 2
	}
	l.Parts = max(float64(j.batch), 1)
	if l.Nanoseconds = l.Parts * j.groupNs(); j.inLanes(1) {
		l.Parts = j.vectors()
		l.Nanoseconds = l.Parts * j.lanesNs()
	}
	return l
}
