package ir

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// ValidateNodes checks a simplified graph: nodes have unique ids and operands, extents that a tensor can
// have, and the attribute that their kind needs.
func ValidateNodes(targets []*Node) error {
	var errs []error
	ids := map[int]*Node{}
	seen := map[*Node]bool{}
	for _, t := range targets {
		Walk(t, seen, operands, func(n *Node) {
			if other := ids[n.ID]; other != nil {
				errs = append(errs, fmt.Errorf("ir: %s and %s at %s have the id %d", other.Label, n.Label, n.Caller, n.ID))
			}
			ids[n.ID] = n
			if err := n.validate(); err != nil {
				errs = append(errs, fmt.Errorf("ir: %s at %s: %w", n.Label, n.Caller, err))
			}
		})
	}
	return errors.Join(errs...)
}

// validate checks one node.
func (n *Node) validate() error {
	if n.Op == nil {
		return errors.New("no op")
	}
	if _, err := tensor.NumElems(n.Shape); err != nil {
		return err
	}
	ok := true
	switch n.Op.Kind {
	case KindNone:
		ok = n.Op.Scalar != nil || n.Op.View != nil || n.Is(TraitIdentity)
	case KindConst:
		_, ok = n.Attr.(*tensor.Tensor)
	case KindVariable:
		ok = n.State != nil
	case KindIota:
		if _, ok = n.Attr.(IotaAttr); !ok {
			_, ok = n.Attr.(CountAttr)
		}
	case KindRandom:
		_, ok = n.Attr.(RandomAttr)
	case KindReduce:
		_, ok = n.Attr.(ReduceAttr)
	case KindContract:
		_, ok = n.Attr.(ContractAttr)
	case KindGather:
		_, ok = n.Attr.(GatherAttr)
	case KindScatter:
		_, ok = n.Attr.(ScatterAttr)
	case KindCustom:
		_, ok = n.Attr.(*CustomAttr)
		ok = ok && len(n.Outs) > 0
	case KindAttention:
		_, ok = n.Attr.(AttentionAttr)
		ok = ok && len(n.Outs) > 0
	case KindRoutine:
		ok = n.Op.Algorithm != nil && len(n.Outs) > 0
	case KindPick:
		a, is := n.Attr.(PickAttr)
		ok = is && len(n.In) == 1 && n.In[0].picks() > a.I
	case KindControl:
		c, is := n.Attr.(*Control)
		ok = is && len(c.Regions) > 0 && c.ControlInfo != nil && c.Stats != nil
	}
	if !ok {
		return fmt.Errorf("of kind %d with attribute %T and %d results", n.Op.Kind, n.Attr, len(n.Outs))
	}
	return nil
}

// picks is how many results there are to pick from.
func (n *Node) picks() int {
	if c, ok := n.Attr.(*Control); ok {
		return len(c.Outs)
	}
	return len(n.Outs)
}

// ValidateInstructions checks scheduled tasks: their operands are those of the engine's tasks, in number, dtype
// and length, and what makes a value comes before what reads it.
func ValidateInstructions(instructions []*Instruction, results []*Value) error {
	var errs []error
	made := map[*Value]bool{}
	operands := func(u *Instruction, what string, values []*Value, all []engine.Operand) {
		if len(values) != len(all) {
			errs = append(errs, fmt.Errorf("ir: task %s at %s: %d %s, its engine task has %d", u.Task.Name, u.Task.Caller, len(values), what,
				len(all)))
			return
		}
		for i, v := range values {
			if v.DType != all[i].DType || v.Len != all[i].Len {
				errs = append(errs, fmt.Errorf("ir: task %s at %s: %s %d is %v[%d], its engine task has %v[%d]",
					u.Task.Name, u.Task.Caller, what, i, v.DType, v.Len, all[i].DType, all[i].Len))
			}
		}
	}
	for _, u := range instructions {
		operands(u, "inputs", u.Ins, u.Task.Ins)
		operands(u, "outputs", u.Outs, u.Task.Outs)
		for i, v := range u.Ins {
			if v.Maker != nil && v.Flow == nil && !made[v] {
				errs = append(errs, fmt.Errorf("ir: task %s at %s reads input %d, %v, before it is made", u.Task.Name, u.Task.Caller, i, v))
			}
		}
		for _, v := range u.Outs {
			made[v] = true
		}
	}
	for i, v := range results {
		if v == nil || v.Maker != nil && !slices.Contains(v.Maker.Outs, v) {
			errs = append(errs, fmt.Errorf("ir: result %d, %v, is made by nothing", i, v))
		}
	}
	return errors.Join(errs...)
}
