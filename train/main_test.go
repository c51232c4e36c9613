package train

import (
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		trainForEver(dir)
	}
	os.Exit(testcache.Run(m, testdevices.Unoptimize, testdevices.Hold))
}
