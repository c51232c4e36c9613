package frame_test

import (
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
)

// Queries consist of ops whose kernels other tests compile as users do.
func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Unoptimize, testdevices.Hold)) }
