package ops

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, settle)) }

// settle has the device measured before tests count what a run allocates.
func settle() error {
	for range 3 { // measurements beside other work
		calibrated.Clear()
		rt, err := Open(context.Background(), nil)
		if err != nil {
			return err
		}
		if err := errors.Join(rt.Settle(context.Background()), rt.Close()); err != nil {
			return err
		}
	}
	return nil
}
