package ops

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
)

func TestMain(m *testing.M) {
	validate = true
	os.Exit(testcache.Run(m, settle))
}

// settle has the device measured before tests count what a run allocates.
func settle() error {
	rt, err := Open(context.Background(), nil)
	if err != nil {
		return err
	}
	return errors.Join(rt.Settle(context.Background()), rt.Close())
}
