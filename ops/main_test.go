package ops

import (
	"context"
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
)

func TestMain(m *testing.M) {
	validate = true
	os.Exit(testcache.Run(m, settle))
}

// settle has the device measured before tests count what a run allocates. The runtime stays open, so that drivers which
// read their library for each context do so once.
func settle() error {
	rt, err := Open(context.Background(), nil)
	if err != nil {
		return err
	}
	return rt.Settle(context.Background())
}
