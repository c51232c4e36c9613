package seam

import (
	"math"
	"testing"

	"github.com/anycl/anycl/engine"
)

// Promises of the seam about memory.

func memoryHolds(t *testing.T, e engine.Engine) {
	for _, n := range []int{1, 3, 255, 256, 4097, 1 << 20} {
		m := alloc(t, e, int64(n))
		if m.Bytes() < int64(n) {
			t.Errorf("memory of %d bytes says that it has %d", n, m.Bytes())
		}
		want := pattern(n, 7)
		must(t, e.Write(t.Context(), m, 0, want))
		same(t, "the whole", read(t, e, m, 0, n), want)
		from, to := n/3, n-n/5
		part := pattern(to-from, 99)
		must(t, e.Write(t.Context(), m, int64(from), part))
		copy(want[from:to], part)
		same(t, "after a write in the middle", read(t, e, m, 0, n), want)
		same(t, "a part", read(t, e, m, int64(n/2), n-n/2), want[n/2:])
	}
}

// hostMemory is for engines in the host's memory.
func hostMemory(t *testing.T, e engine.Engine) {
	h, ok := e.(engine.HostMemory)
	if !ok || !e.Traits().Hosted {
		t.Skip("it has memory of its own")
	}
	m, want := alloc(t, e, 1000), pattern(1000, 3)
	must(t, e.Write(t.Context(), m, 0, want))
	same(t, "what the host sees", h.Host(m)[:1000], want)
	h.Host(m)[7]++
	want[7]++
	same(t, "what the host wrote", read(t, e, m, 0, 1000), want)
}

// streamOrder is for engines that let the host work ahead.
func streamOrder(t *testing.T, e engine.Engine) {
	s := e.Traits().Stream
	if s == nil {
		t.Skip("the host waits for each call")
	}
	m := alloc(t, e, 1000)
	var tickets []engine.Ticket
	for i := range 3 {
		b := pattern(1000, byte(i))
		must(t, s.Send(t.Context(), m, 0, b))
		clear(b)
		ticket, err := s.Fetch([]engine.Piece{{Slot: engine.Slot{Mem: m, Offset: 100}, Bytes: 500}}, nil)
		must(t, err)
		tickets = append(tickets, ticket)
	}
	for i, ticket := range tickets {
		b := make([]byte, 500)
		must(t, ticket.Wait(t.Context(), [][]byte{b}))
		same(t, "what was fetched", b, pattern(1000, byte(i))[100:600])
		must(t, ticket.Close())
	}
	must(t, e.Wait(t.Context()))
	if !s.Idle() {
		t.Error("it is not idle when nothing is left to do")
	}
}

func emptyMemory(t *testing.T, e engine.Engine) {
	m := alloc(t, e, 0)
	must(t, e.Write(t.Context(), m, 0, nil))
	must(t, e.Read(t.Context(), nil, m, 0))
	refused(t, "reading a byte of empty memory", e.Read(t.Context(), make([]byte, 1), m, 0))
	must(t, m.Close())
}

func accessOutside(t *testing.T, e engine.Engine) {
	_, err := e.Alloc(-1)
	refused(t, "allocating -1 bytes", err)
	m := alloc(t, e, 1000)
	b := make([]byte, 600)
	for _, offset := range []int64{-1, 401, 1000, 1 << 40, math.MaxInt64, math.MinInt64} {
		refused(t, "a read outside", e.Read(t.Context(), b, m, offset))
		refused(t, "a write outside", e.Write(t.Context(), m, offset, b))
	}
	must(t, e.Write(t.Context(), m, 400, b))
	must(t, e.Read(t.Context(), b, m, 400))
}

func closedMemory(t *testing.T, e engine.Engine) {
	m := alloc(t, e, 64)
	must(t, m.Close())
	must(t, m.Close())
	refused(t, "writing to closed memory", e.Write(t.Context(), m, 0, make([]byte, 4)), engine.ErrClosed)
	refused(t, "reading closed memory", e.Read(t.Context(), make([]byte, 4), m, 0), engine.ErrClosed)
	_, err := e.Prepare(t.Context(), []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}},
		Outs: []engine.Slot{{Mem: alloc(t, e, 16)}}}})
	refused(t, "preparing a task on closed memory", err, engine.ErrClosed)
}

func sourceReused(t *testing.T, e engine.Engine) {
	const n = 1 << 18
	m, src := alloc(t, e, n), pattern(n, 1)
	must(t, e.Write(t.Context(), m, 0, src))
	clear(src)
	same(t, "memory", read(t, e, m, 0, n), pattern(n, 1))
}
