package nbody

import (
	_ "embed" // for the kernel
	"fmt"
	"math"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed pairs.cl
var source string

const (
	lanes    = 8       // targets of an item on CPUs
	group    = 128     // items of a group on GPUs
	enough   = 1 << 14 // items for a device to be busy
	leastRun = 1 << 10 // sources that are worth a part of their own
)

type pairsAttr struct {
	Power     int
	Softening float64 `default:"0"`
	Vectors   bool    `doc:"sums of vectors"`
	Parts     int     `doc:"parts of the sources that are added up apart"`
}

// sums computes the sums of the call c. Where targets are few, parts of the sources are summed apart, and their sums added up. Sources
// are laid out by coordinates: neighbours in a row are loaded and spread together where each needs to be spread alone.
func sums(c *ops.Call, vectors bool) *ops.Node {
	a := c.Attr.(lawAttr)
	n, m := c.Shape(0)[0], c.Shape(1)[0]
	parts := max(min(enough/max(n, 1), m/leastRun), 1)
	y := ops.Apply("nbody.pairs", pairsAttr{a.Power, a.Softening, vectors, parts}, c.In[0], ops.Transpose(c.In[1]), c.In[2])
	return ops.Sum(y, 0)
}

var _ = ops.MustDefine(ops.Op{
	Name: "nbody.pairs", Hidden: true, Attributes: ops.AttributesOf[pairsAttr](), Operands: operands, DTypes: dtypes.Wide,
	NoGrad: "nbody.Forces and nbody.Potentials have it",
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		a := c.Attr.(pairsAttr)
		if a.Parts < 1 {
			return nil, 0, fmt.Errorf("%d parts", a.Parts)
		}
		x, s, w := c.Shape(0), c.Shape(1), c.Shape(2)
		if len(x) != 2 || len(s) != 2 || len(w) != 1 || x[1] != s[0] || s[1] != w[0] {
			return nil, 0, fmt.Errorf("targets are %v, sources %v and weights %v", x, s, w)
		}
		shape := append([]int{a.Parts}, c.Shape(0)...)
		if !a.Vectors {
			shape = shape[:2]
		}
		return shape, c.DType(0), nil
	},
	Kernel: func(c *ops.Call) ops.KernelOptions {
		a, dt := c.Attr.(pairsAttr), c.DType(0)
		n, m, d := c.Shape(0)[0], c.Shape(1)[1], c.Shape(0)[1]
		each := (m + a.Parts - 1) / a.Parts
		least, most := limits(dt)
		eps2 := any(float32(a.Softening * a.Softening))
		options := "-DT=float"
		write := func(v float64) string { return fmt.Sprintf("%xf", float32(v)) }
		k := ops.KernelOptions{Infallible: true, Source: source, Entry: "pairs", Host: hostOf[float32](a, each)}
		if dt == tensor.Float64 {
			eps2, options = a.Softening*a.Softening, "-DT=double -DDOUBLE"
			write = func(v float64) string { return fmt.Sprintf("%x", v) }
			k.Host = hostOf[float64](a, each)
		}
		vectors := 0
		if a.Vectors {
			vectors = 1
		}
		far := 0 // softening alone is enough of a distance
		if a.Softening*a.Softening >= 2*least {
			far = 1
		}
		options += fmt.Sprintf(" -DD=%d -DPOWER=%d -DVECTORS=%d -DFAR=%d -DLEAST=%s -DMOST=%s", d, a.Power, vectors, far, write(least),
			write(most))
		k.Args = []any{int32(n), int32(m), int32(each), eps2}
		k.Options = fmt.Sprintf("%s -DGROUP=%d", options, group)
		k.Global, k.Local = [3]int{(n + group - 1) / group * group, a.Parts}, [3]int{group, 1}
		k.CPU = &ops.KernelForm{Options: fmt.Sprintf("%s -DLANES=%d", options, lanes), Global: [3]int{(n + lanes - 1) / lanes, a.Parts},
			Local: [3]int{1, 1}}
		return k
	},
})

type float interface{ float32 | float64 }

// hostOf is pairs.cl in Go, with sums in float64.
func hostOf[T float](a pairsAttr, each int) func(outs, ins []*tensor.Tensor) error {
	return func(outs, ins []*tensor.Tensor) error {
		x, s, w, y := tensor.MustSlice[T](ins[0]), tensor.MustSlice[T](ins[1]), tensor.MustSlice[T](ins[2]), tensor.MustSlice[T](outs[0])
		d, n, width := ins[0].Shape()[1], ins[0].Shape()[0], 1
		if a.Vectors {
			width = d
		}
		least, most := limits(ins[0].DType())
		fallback.Parallel(a.Parts*n, func(from, to int) {
			for at := from; at < to; at++ {
				i, begin := at%n, min(at/n*each, len(w))
				sum := pairSum[T]{a: a, x: x[i*d:][:d], eps2: a.Softening * a.Softening, least: least, most: most}
				end := min(begin+each, len(w))
				sum.add(s, w[begin:end], begin, len(w))
				for c := range width {
					y[at*width+c] = T(sum.total[c])
				}
			}
		})
		return nil
	}
}

// pairSum is the sum of a target.
type pairSum[T float] struct {
	a           pairsAttr
	x           []T
	eps2        float64
	least, most float64
	total       [3]float64
}

// add adds the contributions of sources of weights w, of which the first is source number begin of m.
func (p *pairSum[T]) add(s, w []T, begin, m int) {
	const block = 256 // as on devices
	for len(w) > 0 {
		n := min(block, len(w))
		var part [3]float64
		for j, weight := range w[:n] {
			var away [3]float64
			r2 := p.eps2
			for c, v := range p.x {
				away[c] = float64(s[c*m+begin+j]) - float64(v)
				r2 += away[c] * away[c]
			}
			if r2 < p.least || r2 > p.most {
				continue
			}
			root := 1 / math.Sqrt(r2)
			f := float64(weight)
			for range p.a.Power {
				f *= root
			}
			if !p.a.Vectors {
				part[0] += f
				continue
			}
			for c := range p.x {
				part[c] += f * away[c]
			}
		}
		for c := range part {
			p.total[c] += part[c]
		}
		begin, w = begin+n, w[n:]
	}
}
