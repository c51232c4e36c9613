package places_test

import (
	"sync"
	"time"

	"github.com/anycl/anycl/ops/internal/opstest"
)

// nobody is kept waiting

// meeting is a place where several must be at the same time.
type meeting struct {
	mu      sync.Mutex
	missing map[string]chan struct{}
}

func newMeeting(names ...string) *meeting {
	m := &meeting{missing: map[string]chan struct{}{}}
	for _, n := range names {
		m.missing[n] = make(chan struct{})
	}
	return m
}

// come says that name is here, and waits for another.
func (m *meeting) come(name, other string) func() error {
	return func() error {
		m.mu.Lock()
		close(m.missing[name])
		m.mu.Unlock()
		if other == "" {
			return nil
		}
		select {
		case <-m.missing[other]:
			return nil
		case <-time.After(20 * time.Second):
			return opstest.ErrAlone
		}
	}
}
