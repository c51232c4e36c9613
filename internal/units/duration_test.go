package units

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDurationsHaveThreeDigitsAndTheLargestUnitThatTheyFill(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 950: "950 ns", 16_412: "16.4 us", 117_900: "118 us", 999_499: "999 us", 999_500: "1 ms", 1_413_000: "1.41 ms",
		4_500_000: "4.5 ms", 235 * time.Second: "235 s", time.Hour: "3600 s", -1500: "-1.5 us",
	} {
		require.Equal(t, want, Duration(d))
	}
}
