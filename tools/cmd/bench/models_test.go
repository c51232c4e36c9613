package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A contender that runs after onnxruntime does not share a core with its threads, which wait for more work without sleeping.
func TestModelsPauseBetweenContenders(t *testing.T) {
	t.Parallel()
	const pause = 20 * time.Millisecond
	var last *modelRow
	var ended time.Time
	rows := []*modelRow{{where: "auto"}, {where: "device"}, {where: "onnxruntime"}}
	for _, r := range rows {
		r.f = func() error {
			if last != nil && last != r {
				require.GreaterOrEqual(t, time.Since(ended), pause)
			}
			last, ended = r, time.Now()
			return nil
		}
	}
	o := modelOptions{turns: 3, pause: pause}
	require.NoError(t, o.turnsOf(rows, true))
	require.Len(t, rows[0].times, 3)
}
