package checkpoint

import (
	"os"
	"testing"

	"github.com/anycl/anycl/internal/testcache"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		writeForEver(path)
	}
	os.Exit(testcache.Run(m))
}
