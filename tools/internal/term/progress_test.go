package term

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestALongJobWithoutATerminalWritesALineNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := NewProgress(&b, 100, "tune")
		p.To(1, "soon")
		time.Sleep(3 * time.Second)
		p.To(5, "a kernel")
		p.To(6, "the next")
		time.Sleep(10 * time.Second)
		p.To(20, "another")
		p.Done()
		require.Equal(t, "tune: 5 of 100 after 3s: a kernel\ntune: 20 of 100 after 13s: another\n", b.String())
	})
}
