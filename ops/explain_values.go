package ops

import (
	"time"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
)

// ValueReport is what tasks read and make.
type ValueReport struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	// From is the task that makes it, as an index into Tasks; -1 for what is fed, a
	// constant or a variable.
	From   int   `json:"from"`
	To     []int `json:"to"` // tasks
	Fed    bool  `json:"fed,omitempty"`
	Result bool  `json:"result,omitempty"`
	// Moves are those of every run.
	Moves []MoveReport `json:"moves,omitempty"`
}

// MoveReport is a value on its way between two engines, or an engine and the host.
type MoveReport struct {
	From      string        `json:"from"`
	To        string        `json:"to"`
	Predicted time.Duration `json:"predicted_ns"` // without the wait for who makes it
}

// host is the name of where feeds come from and results go.
const hostName = "host"

// values lists what the tasks of x read and make, and what moves.
func (x *Executable) values() []ValueReport {
	var engines []*priced
	for _, s := range x.sides {
		engines = append(engines, newPriced(s.engine, nil, &x.rt.pace))
	}
	number, index := map[*ir.Unit]int{}, map[*ir.Value]int{}
	var out []ValueReport
	at := func(v *ir.Value) *ValueReport {
		i, ok := index[v]
		if !ok {
			i = len(out)
			index[v] = i
			r := ValueReport{Name: v.Node.Label, Bytes: v.Bytes(), From: -1, Fed: v.IsInput()}
			if v.Maker != nil {
				r.From = number[v.Maker]
			}
			out = append(out, r)
		}
		return &out[i]
	}
	name := func(s int) string {
		if s == place.Host {
			return hostName
		}
		return x.sides[s].engine.Name()
	}
	move := func(v *ir.Value, r *ValueReport, from, to int) {
		moved := place.Value{Bytes: r.Bytes, Lent: x.lends(v)}
		m := MoveReport{name(from), name(to), moveTime(engines, from, to, x.plan.Links, &moved)}
		for _, have := range r.Moves {
			if have == m {
				return
			}
		}
		r.Moves = append(r.Moves, m)
	}
	for t, u := range x.units {
		number[u] = t
		side := x.plan.Choices[t].Side
		for _, v := range u.Ins {
			r := at(v)
			r.To = append(r.To, t)
			switch {
			case r.Fed:
				move(v, r, place.Host, side)
			case r.From >= 0 && x.plan.Choices[r.From].Side != side:
				move(v, r, x.plan.Choices[r.From].Side, side)
			}
		}
		for _, v := range u.Outs {
			at(v)
		}
	}
	for _, v := range x.results {
		if r := at(v); r.From >= 0 {
			r.Result = true
			move(v, r, x.plan.Choices[r.From].Side, place.Host)
		}
	}
	return out
}
