// Package units writes quantities as people read them.
package units

import (
	"fmt"
	"strings"
)

// Bytes is n bytes in the largest unit that it fills: "1.5 GiB", "512 B".
func Bytes(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/(1<<10), "KiB"
	for _, u := range []string{"MiB", "GiB", "TiB"} {
		if f < 1024 {
			break
		}
		f, unit = f/1024, u
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") + " " + unit
}
