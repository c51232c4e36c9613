package report

import (
	"slices"
	"strings"
)

// explained is why tasks are executed as they are, facts that hold for several said once.
type explained struct {
	common []string // the facts that hold for all tasks of an engine
	text   string   // a line for each kernel
}

// kernel is a variant of one kind of task, for one reason.
type kernel struct{ name, why string }

// explained divides the reasons of plans: the first part of each is that of its kernel, further ones that all tasks of
// an engine share are notes on the engine.
func (r *Report) explained() (e explained) {
	engines := r.engines()
	for _, where := range engines {
		var tasks []*Task
		for i := range r.Tasks {
			if r.Tasks[i].Where == where {
				tasks = append(tasks, &r.Tasks[i])
			}
		}
		notes := slices.DeleteFunc(clauses(tasks[0])[1:], func(n string) bool {
			return slices.ContainsFunc(tasks, func(t *Task) bool { return !slices.Contains(clauses(t)[1:], n) })
		})
		for _, n := range notes {
			if len(engines) > 1 {
				n += ", on " + where
			}
			e.common = append(e.common, n)
		}
		e.text += kernelLines(where, tasks, notes)
	}
	return e
}

func clauses(t *Task) []string { return strings.Split(t.Plan.Why, "; ") }

// kernelLines lists the kernels of an engine with their reasons, without notes; where all reasons begin alike, the common
// part is in the heading.
func kernelLines(where string, tasks []*Task, notes []string) string {
	var kernels []kernel
	users, reasons := map[kernel][]string{}, map[string]int{}
	for _, t := range tasks {
		why := strings.Join(slices.DeleteFunc(clauses(t), func(c string) bool { return slices.Contains(notes, c) }), "; ")
		if why == "" {
			continue
		}
		k := kernel{t.Kind, why}
		if variant, _, _ := strings.Cut(t.Plan.Variant, " "); variant != t.Kind && strings.Trim(variant, "0123456789") != "" {
			k.name += " " + variant
		}
		if users[k] == nil {
			kernels = append(kernels, k)
			reasons[k.name]++
		}
		users[k] = append(users[k], t.Name)
	}
	if len(kernels) == 0 {
		return ""
	}
	lead, _, _ := strings.Cut(kernels[0].why, ": ")
	alike := len(kernels) > 1 && !slices.ContainsFunc(kernels, func(k kernel) bool { return !strings.HasPrefix(k.why, lead+": ") })
	heading := "kernels on " + where
	if alike {
		heading += ", " + lead
	}
	list := table{columns: make([]column, 2)}
	for _, k := range kernels {
		name, why := k.name, k.why
		if reasons[name] > 1 { // else the name tells which tasks are meant
			name += " of " + users[k][0]
			if n := len(users[k]) - 1; n > 0 {
				name += " and " + counted(n, "other")
			}
		}
		if alike {
			why = strings.TrimPrefix(why, lead+": ")
		}
		list.row("  "+name, why)
	}
	return heading + "\n" + list.String()
}
