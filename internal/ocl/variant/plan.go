package variant

import (
	"fmt"
	"hash"
	"slices"
	"unsafe"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/kernels"
)

// Plan is how a task runs: launches in order, on an in-order queue. An empty
// output has none.
type Plan struct {
	Variant  string
	Params   string // of the variant, as "wg=64 parts=4"
	Why      string
	Launches []Launch
	Scratch  []int64 // bytes of each scratch buffer; contents do not outlive the task
	Kept     []int64 // bytes of each buffer that is the task's own, between runs too

	Tuned  bool           // chosen by a table, not by rule
	Values kernels.Params // of a variant that can be tuned, where the tuner set them
}

// Launch is one kernel over one range. Global is a multiple of local; local of
// zeros leaves it to the driver. Ranges may have any number of dimensions up to
// three: the first 0 ends the list.
type Launch struct {
	Program       *codegen.Program
	Kernel        string
	Global, Local [3]int
	Sizes         map[string]int64 // named sizes whose values differ from the program's
	Once          bool             // its results are kept until steady inputs change
}

// Complete is p, unless one of its programs could not be written.
func Complete(p *Plan, err error) (*Plan, error) {
	if err != nil {
		return nil, err
	}
	for _, l := range p.Launches {
		if l.Program.Err != nil {
			return nil, l.Program.Err
		}
	}
	return p, nil
}

// RangeOf is the range of l as the binding takes it.
func RangeOf(l Launch) cl.Range {
	r := cl.Range{Global: l.Global, Local: l.Local}
	for r.Dims < 3 && r.Global[r.Dims] > 0 {
		r.Dims++
	}
	for i := r.Dims; i < 3; i++ {
		r.Global[i], r.Local[i] = 0, 0
	}
	return r
}

// Value is the value of the argument a in this launch.
func (l *Launch) Value(a codegen.Arg) int64 {
	if v, ok := l.Sizes[a.Name]; ok {
		return v
	}
	return a.Value
}

// TableBytes are the numbers of a program that takes them in one buffer.
func (l *Launch) TableBytes() (bytes []byte) {
	for _, a := range l.Program.Ints {
		v := l.Value(a)
		if w := int32(v); !l.Program.Wide {
			bytes = append(bytes, unsafe.Slice((*byte)(unsafe.Pointer(&w)), 4)...)
		} else {
			bytes = append(bytes, unsafe.Slice((*byte)(unsafe.Pointer(&v)), 8)...)
		}
	}
	return bytes
}

// Describe says for people how the task runs.
func (p *Plan) Describe() engine.Plan {
	d := engine.Plan{Variant: p.Variant, Why: p.Why}
	if p.Params != "" {
		d.Variant += " " + p.Params
	}
	for _, n := range slices.Concat(p.Scratch, p.Kept) {
		d.Scratch += n
	}
	seen := map[*codegen.Program]bool{}
	for _, l := range p.Launches {
		r := RangeOf(l)
		d.Launch = append(d.Launch, fmt.Sprintf("%s global %v local %v", l.Kernel, r.Global[:r.Dims], r.Local[:r.Dims]))
		if !seen[l.Program] {
			seen[l.Program] = true
			d.Source += l.Program.Text()
		}
	}
	return d
}

// Fingerprint writes all of p but the texts for people. Structs are written whole, so that a field
// that is added is part of it; only long texts are taken out, and written as they are.
func (p *Plan) Fingerprint(h hash.Hash, kept bool) {
	whole := *p
	whole.Why, whole.Launches = "", nil
	fmt.Fprintf(h, "%t %#v\n", kept, whole)
	for _, l := range p.Launches {
		prog := *l.Program
		prog.Source, prog.Head, prog.Body = "", "", ""
		fmt.Fprintf(h, "%#v\n", prog)
		for _, a := range prog.Args {
			fmt.Fprintf(h, "%T ", a.Scalar)
		}
		codegen.HashText(h, l.Program.Text())
		l.Program = nil
		fmt.Fprintf(h, "%#v\n", l)
	}
}
