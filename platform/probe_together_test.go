package platform

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
)

func TestACompanionIsMeasuredBySeveralAtOnce(t *testing.T) {
	o := fresh(t, nil, nil)
	c := o.Companion()
	if c == nil {
		t.Skip("no companion")
	}
	// The driver has no launch of this kernel yet, whatever else was measured in this process.
	source := fmt.Sprintf(`// %d
kernel void rates(global int *io, int rounds, global int *other, int way)
{
    if (way == 0)
        for (int i = 0; i < rounds; i++)
            other[get_global_id(0) * rounds + i] = io[get_global_id(0) * rounds + i];
}`, os.Getpid())
	prog, err := o.build(source, "", c.device.cl)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, prog.Close()) })
	const most = 1 << 20
	copying := func() (copies func(n int64) error) {
		q, err := c.NewQueue(cl.QueueOptions{})
		require.NoError(t, err)
		k, _, _, free, err := o.copyBetween(q, timed{Program: prog, joined: true}, most)
		require.NoError(t, err)
		t.Cleanup(func() {
			require.NoError(t, free())
			require.NoError(t, q.Close())
		})
		return func(n int64) error {
			_, err := k.launch(q, o.device, n)
			return err
		}
	}
	one, other := copying(), copying()
	grown := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() {
		for {
			select {
			case <-grown:
				return
			default:
				assert.NoError(t, one(4))
			}
		}
	})
	for n := int64(4); n <= most; n += n/4 + 64 {
		assert.NoError(t, other(n))
	}
	close(grown)
	beside.Wait()
}
