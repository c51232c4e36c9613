package routine

import (
	"context"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// suppressTask selects boxes list by list; a list is a class in a batch.
type suppressTask struct {
	routine
	*engine.Suppress
	boxes, scores   []float32
	selected, count []int64
	most            int64 // selected in a list
	sort, tmp       int   // reserved for each worker
	corners         int
	found, kept     int // reserved and shared: boxes of each list, and how many
	memory          []counts
	work            work.Job
}

// corners are the selected boxes of a list, each coordinate for itself.
type corners struct{ y0, x0, y1, x1, area []float32 }

func newSuppress(c *work.Setup, a *engine.Suppress) work.Runner {
	s := &suppressTask{Suppress: a, most: min(a.PerClass, a.Boxes, a.Capacity)}
	lists := a.Batches * a.Classes
	pass, selected := a.Candidates()
	// A comparison is slow, because half of its jumps cannot be foretold.
	ns := 0.7*float64(a.Boxes) + pass*(12+math.Log2(pass+1)+selected/2*2.5)
	s.routine = routineOf(c, 100+float64(lists)*ns, "greedy, by falling score")
	s.sort, s.tmp = c.Reserve(int(a.Boxes)*8), c.Reserve(int(a.Boxes)*8)
	s.corners = c.Reserve(int(5*s.most) * 4)
	s.found, s.kept = c.ReserveShared(int(lists*s.most)*8), c.ReserveShared(int(lists)*8)
	s.work = s.list
	if c.Dry {
		return s
	}
	s.memory = make([]counts, c.Width)
	s.boxes, s.scores = work.Typed[float32](c.Ins[0]), work.Typed[float32](c.Ins[1])
	if c.Task.Reads(0) {
		s.selected = work.Typed[int64](c.Outs[0])
	}
	if c.Task.Reads(1) {
		s.count = work.Typed[int64](c.Outs[1])
	}
	return s
}

func (s *suppressTask) Run(ctx context.Context, p *work.Pool) error {
	lists := s.Batches * s.Classes
	if err := p.Run(ctx, lists, s.wide, s.work); err != nil {
		return err
	}
	found, counts := work.Shared[int64](s.env, s.found, int(lists*s.most)), work.Shared[int64](s.env, s.kept, int(lists))
	total := int64(0)
	for i, k := range counts {
		k = min(k, s.Capacity-total)
		if s.selected != nil {
			for j, box := range found[int64(i)*s.most:][:k] {
				row := s.selected[3*(total+int64(j)):][:3]
				row[0], row[1], row[2] = int64(i)/s.Classes, int64(i)%s.Classes, box
			}
		}
		total += k
	}
	if s.selected != nil {
		for i := range s.selected[3*total:] {
			s.selected[3*total+int64(i)] = -1
		}
	}
	if s.count != nil {
		s.count[0] = total
	}
	return nil
}

// list selects the boxes of list i.
func (s *suppressTask) list(worker int, i int64) {
	xs := work.Scratch[keyed](s.env, worker, s.sort, s.Boxes)[:0]
	for b, v := range s.scores[i*s.Boxes:][:s.Boxes] {
		if s.passes(v) {
			xs = append(xs, uint64(^floatKey32(v))<<32|uint64(b))
		}
	}
	xs = keyedDigits.sort(xs, work.Scratch[keyed](s.env, worker, s.tmp, s.Boxes)[:len(xs)], &s.memory[worker])
	all := work.Scratch[float32](s.env, worker, s.corners, int(5*s.most))
	n := s.most
	c := corners{all[:0:n], all[n : n : 2*n], all[2*n : 2*n : 3*n], all[3*n : 3*n : 4*n], all[4*n : 4*n : 5*n]}
	boxes := s.boxes[i/s.Classes*s.Boxes*4:][:s.Boxes*4]
	found := work.Shared[int64](s.env, s.found, int(s.Batches*s.Classes*n))[i*n:][:n]
	k := int64(0)
	limit := float32(s.IoU)
	for _, x := range xs {
		if k == n {
			break
		}
		b := int64(uint32(x))
		y0, x0, y1, x1 := s.corner(boxes[4*b:][:4])
		area := float32((y1 - y0) * (x1 - x0))
		if c.overlaps(y0, x0, y1, x1, area, limit) {
			continue
		}
		c.y0, c.x0, c.y1, c.x1, c.area = append(c.y0, y0), append(c.x0, x0), append(c.y1, y1), append(c.x1, x1), append(c.area, area)
		found[k] = b
		k++
	}
	work.Shared[int64](s.env, s.kept, int(s.Batches*s.Classes))[i] = k
}

func (s *suppressTask) passes(v float32) bool {
	if s.HasScore {
		return v > float32(s.Score)
	}
	return v == v
}

// corner gives the box with the smaller coordinates first.
func (s *suppressTask) corner(b []float32) (y0, x0, y1, x1 float32) {
	if s.Centre {
		h, w := float32(b[3]/2), float32(b[2]/2)
		y0, x0, y1, x1 = b[1]-h, b[0]-w, b[1]+h, b[0]+w
	} else {
		y0, x0, y1, x1 = b[0], b[1], b[2], b[3]
	}
	if y0 > y1 {
		y0, y1 = y1, y0
	}
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	return y0, x0, y1, x1
}

// overlaps reports whether a box overlaps a selected one by more than limit. Products are converted, which
// keeps compilers from contracting them with sums: engines select the same boxes.
func (c *corners) overlaps(y0, x0, y1, x1, area, limit float32) bool {
	n := len(c.y0)
	cy0, cx0, cy1, cx1, areas := c.y0, c.x0[:n], c.y1[:n], c.x1[:n], c.area[:n]
	for i := range cy0 {
		h := min(y1, cy1[i]) - max(y0, cy0[i])
		if h <= 0 {
			continue
		}
		w := min(x1, cx1[i]) - max(x0, cx0[i])
		if w <= 0 || area <= 0 || areas[i] <= 0 {
			continue
		}
		both := float32(h * w)
		if union := area + areas[i] - both; union > 0 && both > float32(limit*union) {
			return true
		}
	}
	return false
}
