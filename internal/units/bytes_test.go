package units

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBytesTakeTheLargestUnitThatTheyFill(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 1<<20 - 1: "1024 KiB", 1 << 20: "1 MiB",
		3 << 29: "1.5 GiB", 5 << 40: "5 TiB", math.MaxInt64: "8388608 TiB", -1: "-1 B",
	} {
		require.Equal(t, want, Bytes(n))
	}
}
