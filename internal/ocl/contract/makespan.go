package contract

import "slices"

// makespan holds when cores finish, ascending, for list scheduling: whichever is done first takes the next item.
// Units that finish at the same time stand together.
type makespan []struct{ at, units int64 }

// newMakespan is the makespan of the given number of compute units, all of them idle.
func newMakespan(units int64) makespan {
	return append(make(makespan, 0, 8), struct{ at, units int64 }{0, units})
}

// add gives them n items that take equally long.
func (b *makespan) add(n, each int64) {
	all := int64(0)
	for _, g := range *b {
		all += g.units
	}
	for n > 0 {
		first, rounds := (*b)[0], int64(1)
		if len(*b) > 1 {
			rounds = max(1, ((*b)[1].at-first.at)/max(each, 1))
		}
		if b.end()-first.at <= each && n >= all { // in turn, again and again
			for i := range *b {
				(*b)[i].at += n / all * each
			}
			n %= all
			continue
		}
		rounds = min(rounds, max(1, n/first.units))
		taken := min(n, first.units)
		n -= rounds * taken
		if (*b)[0].units -= taken; (*b)[0].units == 0 {
			*b = slices.Delete(*b, 0, 1)
		}
		b.put(first.at+rounds*each, taken)
	}
}

// put adds units that are done at a time.
func (b *makespan) put(at, units int64) {
	i := slices.IndexFunc(*b, func(g struct{ at, units int64 }) bool { return g.at >= at })
	switch {
	case i < 0:
		*b = append(*b, struct{ at, units int64 }{at, units})
	case (*b)[i].at == at:
		(*b)[i].units += units
	default:
		*b = slices.Insert(*b, i, struct{ at, units int64 }{at, units})
	}
}

// end is when the last is done.
func (b makespan) end() int64 { return b[len(b)-1].at }
