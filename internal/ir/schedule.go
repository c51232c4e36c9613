package ir

import "slices"

// Schedule is a graph as tasks, in an order in which they can run.
type Schedule struct {
	Instructions []*Instruction // makers before readers
	Flows        []*Flow        // loops and branches among them
	Results      []*Value
}

// Inputs are the nodes that a run must be fed, in the order in which tasks read them.
func (s *Schedule) Inputs() (inputs []*Node) {
	seen := map[any]bool{}
	note := func(values []*Value) {
		for _, v := range values {
			if v.IsInput() && !seen[v.Node.Origin] {
				seen[v.Node.Origin] = true
				inputs = append(inputs, v.Node)
			}
		}
	}
	for _, u := range s.Instructions {
		note(u.Ins)
	}
	note(s.Results)
	WalkFlows(s.Flows, func(f *Flow) {
		if f.Pred != nil {
			note([]*Value{f.Pred})
		}
	})
	return inputs
}

// Copy is s with tasks and values of its own, none of which declares yet what it writes in place.
func (s *Schedule) Copy() *Schedule {
	made := map[*Value]*Value{}
	of := func(vs []*Value) []*Value {
		out := slices.Clone(vs)
		for i, v := range vs {
			if v.Maker != nil {
				out[i] = made[v]
			}
		}
		return out
	}
	c := &Schedule{Instructions: make([]*Instruction, len(s.Instructions)), Flows: s.Flows}
	for i, u := range s.Instructions {
		t := *u.Task
		t.Alias = nil
		w := &Instruction{Task: &t, Ins: of(u.Ins), Where: u.Where, Carries: u.Carries}
		for _, v := range u.Outs {
			if made[v] == nil { // else another task writes it too
				n := *v
				n.Maker = w
				made[v] = &n
			}
			w.Outs = append(w.Outs, made[v])
		}
		c.Instructions[i] = w
	}
	c.Results = of(s.Results)
	return c
}
