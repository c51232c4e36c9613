// Package offline compiles the programs of devices that the machine lacks with their vendors'
// compilers, and reads from the result the resources that they need.
//
// A [Compiler] compiles the programs of a corpus for one target, and a [Report] says of each program and
// target whether it compiles, and with how many registers.
package offline

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/tools/internal/bench"
)

// Extent is how much of the project's own graphs is drafted.
type Extent struct {
	samples   []*optest.Options
	gradients *optest.Options
	graphs    uint64 // random ones
	works     *regexp.Regexp
}

// Thin has every variant, and every op in every class of dtypes, but of compositions a part that takes turns; Few has every dtype and more
// samples. All has every sample in float32, gradients of all, and the networks and shapes that are measured. The works that it leaves out differ in
// sizes alone.
var (
	Thin = &Extent{samples: []*optest.Options{{Bundle: true, Few: true}}, gradients: &optest.Options{Bundle: true}, graphs: 4, works: fewWorks}
	Few  = &Extent{samples: []*optest.Options{{Bundle: true}}, gradients: &optest.Options{Bundle: true}, graphs: 4, works: fewWorks}
	All  = &Extent{
		samples:   []*optest.Options{{Bundle: true}, {DTypes: []tensor.DType{tensor.Float32}}},
		gradients: &optest.Options{DTypes: []tensor.DType{tensor.Float32}}, graphs: 24,
		works: regexp.MustCompile(`^(sgemm/(256|1024|2048)|batched|conv|depthwise|dense|attention|decode|reduce|softmax|layernorm|sort|cumsum|` +
			`train|transformer|gpt2|resnet18/1|mobilenetv2/1|mlp|pool|transpose|gather)`),
	}
)

var fewWorks = regexp.MustCompile(`^(sgemm/1024|conv|depthwise|attention|mlp/1|mobilenetv2/1|train-cnn/128)`)

// Draft drafts the samples of the ops, their gradients, random graphs and measured works.
func (x *Extent) Draft(ctx context.Context, p *corpus.Planner) error {
	p.Instead = optest.ErrKnown // nothing need run
	defer func() { p.Instead = nil }()
	var parts []*optest.Part
	for _, o := range x.samples {
		parts = append(parts, optest.Parts(p, o)...)
	}
	parts = append(parts, optest.GradientParts(p, p, x.gradients)...)
	for _, part := range parts {
		for _, o := range part.Check(ctx) {
			if o.State == optest.Failed {
				return fmt.Errorf("offline: draft %s %v %s for %s: %w", part.Op.Name, part.DType, o.Sample, p.Name(), o.Err)
			}
		}
	}
	for seed := range x.graphs {
		if err := optest.GraphError(ctx, p, seed); !errors.Is(err, optest.ErrKnown) && !errors.Is(err, engine.ErrUnsupported) {
			return fmt.Errorf("offline: draft random graph %d for %s: %w", seed, p.Name(), err)
		}
	}
	ours := bench.NewOurs(ops.NewRuntime(p), ops.Auto)
	for _, w := range bench.Works() {
		if w.Program == nil || !x.works.MatchString(w.Name) {
			continue
		}
		var operands []*tensor.Tensor // that nobody reads
		for _, r := range w.Program.Leaves() {
			n := w.Program.Nodes[r]
			t, err := tensor.New(n.DType, n.Dims...)
			if err != nil {
				return err
			}
			operands = append(operands, t)
		}
		if _, err := ours.Load(ctx, w, operands); !errors.Is(err, optest.ErrKnown) && !errors.Is(err, bench.ErrCannot) {
			return fmt.Errorf("offline: draft %s for %s: %w", w.Name, p.Name(), err)
		}
	}
	return nil
}
