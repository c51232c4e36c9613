package platform

import (
	"runtime"
	"sync"

	"github.com/anycl/anycl/cl"
)

const (
	// mapFrom is the size from which on memory is mapped where that was proven
	// to be faster (Caps.Mapping). Below, one command with a copy inside is
	// cheaper than two with a parallel copy between: on PoCL they are level at
	// about 2 MiB.
	mapFrom = 2 << 20
	// copyPart is what one goroutine copies of a large transfer.
	copyPart = 1 << 20
)

// move copies between the buffer and host memory and waits for it.
func (o *Opened) move(b *cl.Buffer, off int64, host []byte, write bool) error {
	if o.caps.Mapping && len(host) >= mapFrom {
		return o.moveMapped(b, off, host, write)
	}
	if write {
		return o.queue.Write(b, off, host, nil)
	}
	return o.queue.Read(b, off, host, nil)
}

func (o *Opened) moveMapped(b *cl.Buffer, off int64, host []byte, write bool) error {
	flags := cl.MapRead
	if write {
		flags = cl.MapInvalidate
		if !o.device.info.Version.AtLeast(1, 2) {
			flags = cl.MapWrite
		}
	}
	m, err := o.queue.Map(b, flags, off, int64(len(host)), nil)
	if err != nil {
		return err
	}
	if write {
		copyParallel(m.Bytes(), host)
	} else {
		copyParallel(host, m.Bytes())
	}
	return m.Close()
}

// copyParallel is copy on as many cores as help: one core does not fill the
// memory's bandwidth.
func copyParallel(dst, src []byte) {
	n := len(src)
	parts := min(runtime.GOMAXPROCS(0), n/copyPart)
	if parts < 2 {
		copy(dst, src)
		return
	}
	var wg sync.WaitGroup
	for i := range parts {
		from, to := n*i/parts, n*(i+1)/parts
		wg.Go(func() { copy(dst[from:to], src[from:to]) })
	}
	wg.Wait()
}
