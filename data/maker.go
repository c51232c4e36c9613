package data

import (
	"context"
	"sync"
)

// maker makes the batches of a loop over an epoch ahead of it, on several goroutines. Batch i lies in slot i modulo their number, from
// the first on.
//
// To wake a goroutine takes about as long as to make a small batch, so the slots that the loop gives back are told to the goroutines half
// of all at a time, and what the loop would have to wait for, it makes itself unless one of them has begun it.
type maker struct {
	of              *Loader
	epoch, from, to int
	back            int // slots that the loop has given back since it told
	working         sync.WaitGroup

	mu      sync.Mutex
	more    sync.Cond // limit or stopped has changed
	next    int       // the batch that is begun next
	limit   int       // batches before this one may be begun by goroutines
	stopped bool
}

// newMaker begins to make what is left of the present epoch.
func newMaker(l *Loader) *maker {
	m := &maker{of: l, epoch: l.at.Epoch, from: l.at.Batch, to: l.Len(), next: l.at.Batch, limit: l.at.Batch + len(l.slots)}
	m.more.L = &m.mu
	for _, b := range l.slots {
		select { // of a loop that was left
		case <-b.made:
		default:
		}
	}
	for range min(l.o.Workers, len(l.slots), m.to-m.from) {
		m.working.Go(m.work)
	}
	return m
}

// stop ends the goroutines.
func (m *maker) stop() {
	m.mu.Lock()
	m.stopped = true
	m.mu.Unlock()
	m.more.Broadcast()
	m.working.Wait()
}

// work makes batches until there are no more.
func (m *maker) work() {
	for {
		i, ok := m.begin()
		if !ok {
			return
		}
		b := m.make(i)
		b.made <- struct{}{}
	}
}

// begin waits until there is a batch that may be begun.
func (m *maker) begin() (i int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.next >= m.limit && m.next < m.to && !m.stopped {
		m.more.Wait()
	}
	if m.stopped || m.next >= m.to {
		return 0, false
	}
	m.next++
	return m.next - 1, true
}

// take begins batch i for the loop, if nobody has. Its slot is free: the loop had the batch that was there before.
func (m *maker) take(i int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next > i {
		return false
	}
	m.next++
	return true
}

// slot is where batch i lies.
func (m *maker) slot(i int) *Batch { return m.of.slots[(i-m.from)%len(m.of.slots)] }

// make reads batch i.
func (m *maker) make(i int) *Batch {
	l, b := m.of, m.slot(i)
	b.Epoch, b.Index = m.epoch, i
	b.Numbers = l.order[i*l.o.Batch : min((i+1)*l.o.Batch, len(l.order))]
	b.Tensors = b.whole
	if len(b.Numbers) < l.o.Batch {
		b.Tensors = b.last
	}
	b.err = l.set.Read(b.Numbers, b.Tensors)
	return b
}

// get is batch i, for the loop.
func (m *maker) get(ctx context.Context, i int) (*Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := m.slot(i)
	select {
	case <-b.made:
		return b, b.err
	default:
	}
	if m.take(i) {
		m.make(i)
		return b, b.err
	}
	m.tell() // the goroutines are behind
	select {
	case <-b.made:
		return b, b.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// giveBack lets a slot, that of the batch that the loop had last, be filled again.
func (m *maker) giveBack() {
	if m.back++; 2*m.back >= len(m.of.slots) {
		m.tell()
	}
}

// tell has the goroutines fill all slots that the loop has given back.
func (m *maker) tell() {
	m.mu.Lock()
	m.limit += m.back
	m.mu.Unlock()
	m.back = 0
	m.more.Broadcast()
}
