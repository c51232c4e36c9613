package ocl

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/variant"
)

// EnvCheck names the environment variable that runs callers' own kernels in a checked mode.
const EnvCheck = "ANYCL_CHECK"

// checkBounds is the one value of EnvCheck.
const checkBounds = "bounds"

// CheckEnv says what is wrong with the value of EnvCheck.
func CheckEnv() error {
	if v := os.Getenv(EnvCheck); v != "" && v != checkBounds {
		return fmt.Errorf("%s=%s: unknown; the one check is %s", EnvCheck, v, checkBounds)
	}
	return nil
}

// Bytes on each side of a buffer that must not change: as many as the buffer has, within these.
const (
	zoneLeast = 64 << 10
	zoneMost  = 1 << 20
)

// checked is a launch of a caller's own kernel in the checked mode. Each buffer is a copy between
// two red zones, bytes of a known pattern. After the launch the zones and the inputs must be
// unchanged; then results are copied to where they belong. All of it waits: this is for finding
// mistakes, not for speed.
type checked struct {
	launch  command
	buffers []*redZoned
}

// redZoned is a buffer of a kernel: zone bytes, the copy, zone bytes.
type redZoned struct {
	argument, index int
	input           bool
	name            string // of the parameter, may be empty
	operand         *cl.Buffer
	offset          int64 // of it in its buffer
	bytes, element  int64
	zone            int64
	buffer          *cl.Buffer
	before, after   []byte // images of buffer
}

// redZoned makes argument i of k a copy of operand p.
func (s *sequence) redZoned(k *cl.Kernel, i int, p place, inputs int) (*redZoned, error) {
	mem, err := p.mem.pinned()
	if err != nil {
		return nil, err
	}
	r := &redZoned{
		argument: i, index: i, input: i < inputs, operand: mem.Buffer(), offset: p.offset, bytes: p.bytes, element: p.size,
		zone: variant.RoundUp(min(max(p.bytes, zoneLeast), zoneMost), zoneLeast), // buffers start at multiples of that
	}
	if !r.input {
		r.index -= inputs
	}
	if info, err := k.ArgInfo(i); err == nil {
		r.name = info.Name
	}
	m, err := s.eng.dev.Alloc(2*r.zone + r.bytes)
	if err != nil {
		return nil, err
	}
	s.tables = append(s.tables, m)
	r.buffer = m.Buffer()
	sub, err := r.buffer.Sub(cl.MemReadWrite, r.zone, max(r.bytes, 1))
	if err != nil {
		return nil, err
	}
	s.subs = append(s.subs, sub)
	r.before, r.after = make([]byte, 2*r.zone+r.bytes), make([]byte, 2*r.zone+r.bytes)
	for j := range r.before {
		r.before[j] = byte(j*37>>3) ^ byte(j*29) ^ 0xA5
	}
	return r, k.SetBuffer(i, sub)
}

// content is the part of an image between the zones.
func (r *redZoned) content(image []byte) []byte { return image[r.zone : r.zone+r.bytes] }

// submit copies, launches, waits, compares, and copies back.
func (c *checked) submit(q *cl.Queue, run uint32) error {
	for _, r := range c.buffers {
		if r.bytes > 0 {
			if err := q.Read(r.operand, r.offset, r.content(r.before), nil); err != nil {
				return err
			}
		}
		if err := q.Write(r.buffer, 0, r.before, nil); err != nil {
			return err
		}
	}
	if err := errors.Join(c.launch.submit(q, run), q.Finish()); err != nil {
		return err
	}
	var stray engine.BoundsError
	for _, r := range c.buffers {
		if err := q.Read(r.buffer, 0, r.after, nil); err != nil {
			return err
		}
		stray.Writes = append(stray.Writes, r.stray()...)
	}
	if len(stray.Writes) > 0 {
		return &stray
	}
	for _, r := range c.buffers {
		if !r.input && r.bytes > 0 {
			if err := q.Write(r.operand, r.offset, r.content(r.after), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// stray compares the bytes that must not have changed: the zone before, an input itself, and the zone after.
func (r *redZoned) stray() (all []engine.StrayWrite) {
	end := r.zone + r.bytes
	for _, part := range [][2]int64{{0, r.zone}, {r.zone, end}, {end, end + r.zone}} {
		if part[0] == r.zone && !r.input {
			continue
		}
		was, is := r.before[part[0]:part[1]], r.after[part[0]:part[1]]
		if slices.Equal(was, is) {
			continue
		}
		first, last := 0, len(was)-1
		for was[first] == is[first] {
			first++
		}
		for was[last] == is[last] {
			last--
		}
		// Whole elements: a byte that was written may equal the byte before.
		from, to := part[0]+int64(first)-r.zone, part[0]+int64(last)-r.zone
		from -= (from%r.element + r.element) % r.element
		to += r.element - 1 - (to%r.element+r.element)%r.element
		all = append(all, engine.StrayWrite{
			Argument: r.argument, Input: r.input, Index: r.index, Name: r.name, Bytes: r.bytes, First: from, Last: to,
		})
	}
	return all
}
