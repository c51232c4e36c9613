package platform

import (
	"fmt"

	"github.com/anycl/anycl/cl"
)

// fillPart is the most that one fill command covers: at 2 GiB and above some
// drivers fill only a part (see the quirk large-fill).
var fillPart int64 = 1 << 30 // tests fill less

// Fill enqueues the repetition of pattern over n bytes of m at off. The pattern
// has 1, 2, 4, ... or 128 bytes and divides off and n. It does not wait.
func (o *Opened) Fill(m *Memory, pattern []byte, off, n int64) error {
	if n < 0 {
		return fmt.Errorf("platform: fill of %d bytes: %w", n, cl.InvalidValue)
	}
	b, err := o.check("fill", m, off, n)
	if err != nil {
		return err
	}
	for n > 0 {
		part := min(n, fillPart)
		if err := o.queue.Fill(b, pattern, off, part, nil); err != nil {
			return err
		}
		off, n = off+part, n-part
	}
	return nil
}
