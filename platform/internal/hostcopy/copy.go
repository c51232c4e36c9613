// Package hostcopy copies host memory on several cores, as one does not fill the memory's bandwidth: at once, or piece
// after piece of a transfer as they come.
package hostcopy

import (
	"sync"

	"github.com/anycl/anycl/internal/procs"
)

// perGoroutine is the number of bytes of a large transfer that one goroutine copies.
const perGoroutine = 1 << 20

// Copy is copy on as many cores as help: one core does not fill the
// memory's bandwidth.
func Copy(dst, src []byte) {
	n := len(src)
	parts := min(procs.Count(), n/perGoroutine)
	if parts < 2 {
		copy(dst, src)
		return
	}
	g := copyGroups.Get().(*copyGroup)
	for len(g.jobs) < parts {
		j := &copyJob{group: g}
		j.start = j.run
		g.jobs = append(g.jobs, j)
	}
	g.wg.Add(parts)
	for i, j := range g.jobs[:parts] {
		from, to := n*i/parts, n*(i+1)/parts
		j.dst, j.src = dst[from:to], src[from:to]
		go j.start()
	}
	g.wg.Wait()
	copyGroups.Put(g)
}

// copyGroup is the state of Copy, kept so that a transfer allocates nothing.
type copyGroup struct {
	wg   sync.WaitGroup
	jobs []*copyJob
}

type copyJob struct {
	group    *copyGroup
	start    func() // run, bound once
	dst, src []byte
}

var copyGroups = sync.Pool{New: func() any { return &copyGroup{} }}

func (j *copyJob) run() {
	copy(j.dst, j.src)
	j.dst, j.src = nil, nil
	j.group.wg.Done()
}
