package randomgraphs

import "slices"

// Divide are the options of at most n runs that check together the graphs of o.
func (o *Options) Divide(n int) []*Options {
	each := len(o.kinds())
	seeds := (o.Count + each - 1) / each
	n = max(min(n, seeds), 1)
	parts := make([]*Options, n)
	for i := range parts {
		from, to := seeds*i/n, seeds*(i+1)/n
		p := *o
		p.Seed += uint64(from)
		p.Count = min(each*to, o.Count) - each*from
		parts[i] = &p
	}
	return parts
}

// Joined is the report of runs of parts of the graphs at the same time, in the order of their seeds; nil of none. A run may be nil.
func Joined(reports []*Report) *Report {
	reports = slices.DeleteFunc(slices.Clone(reports), func(r *Report) bool { return r == nil })
	if len(reports) == 0 {
		return nil
	}
	all := *reports[0]
	all.Counts, all.Wrong = map[string]*Counts{}, nil
	all.Wanted, all.Checked = 0, 0
	for _, r := range reports {
		all.Wanted += r.Wanted
		all.Checked += r.Checked
		all.Duration = max(all.Duration, r.Duration)
		all.Wrong = append(all.Wrong, r.Wrong...)
		for kind, n := range r.Counts {
			sum := all.Counts[kind]
			if sum == nil {
				sum = &Counts{}
				all.Counts[kind] = sum
			}
			sum.Agree += n.Agree
			sum.Wrong += n.Wrong
			sum.Unsupported += n.Unsupported
		}
	}
	all.sort()
	return &all
}
