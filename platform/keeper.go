package platform

import (
	"sync"
	"time"

	"github.com/anycl/anycl/cl"
)

// The keeper brings built programs to disk without being in anybody's way: a
// driver may compile a program once more for its binary (PoCL spends nearly half
// of a cold start on that), so binaries are asked for when building has paused,
// a part of the time only, and at Close for no longer than a moment. What is not
// kept then is built again by the next process, which keeps the rest.
const (
	keepPause  = time.Second            // without a build, before keeping starts
	keepShare  = 4                      // time off for each time spent
	keepFinish = 250 * time.Millisecond // at Close
)

// keeper is the queue of programs to be kept.
type keeper struct {
	save func(id string, prog *cl.Program)

	mu      sync.Mutex
	waiting []keptProgram
	last    time.Time     // of the newest build
	stop    chan struct{} // closed to end the goroutine; nil before it starts
	done    chan struct{} // closed by it
	closed  bool
}

type keptProgram struct {
	id   string
	prog *cl.Program
}

// add queues a program that was just built.
func (k *keeper) add(id string, prog *cl.Program) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = time.Now()
	k.waiting = append(k.waiting, keptProgram{id, prog})
	if k.stop == nil && !k.closed {
		k.stop, k.done = make(chan struct{}), make(chan struct{})
		go k.run(k.stop, k.done)
	}
}

// next takes a program from the queue, or tells how long to wait for one. The
// goroutine ends when the queue is empty.
func (k *keeper) next() (p keptProgram, pause time.Duration, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.waiting) == 0 {
		k.stop = nil
		return p, 0, false
	}
	if pause = keepPause - time.Since(k.last); pause > 0 {
		return p, pause, true
	}
	p, k.waiting = k.waiting[0], k.waiting[1:]
	return p, 0, true
}

func (k *keeper) run(stop <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	for {
		p, pause, ok := k.next()
		if !ok {
			return
		}
		if p.prog != nil {
			start := time.Now()
			k.save(p.id, p.prog)
			pause = keepShare * time.Since(start)
		}
		select {
		case <-stop:
			return
		case <-time.After(pause):
		}
	}
}

// finish ends the goroutine and keeps what a moment is enough for.
func (k *keeper) finish(moment time.Duration) {
	k.mu.Lock()
	k.closed = true
	stop, done := k.stop, k.done
	k.mu.Unlock()
	if stop != nil {
		close(stop)
	}
	if done != nil {
		<-done
	}
	k.drain(moment)
}

// drain keeps programs without a pause until there are none or time is up.
func (k *keeper) drain(moment time.Duration) {
	for start := time.Now(); time.Since(start) < moment; {
		k.mu.Lock()
		if len(k.waiting) == 0 {
			k.mu.Unlock()
			return
		}
		p := k.waiting[0]
		k.waiting = k.waiting[1:]
		k.mu.Unlock()
		k.save(p.id, p.prog)
	}
}
