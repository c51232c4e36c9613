package ocl

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/anycl/anycl/tensor"
)

func TestTmpPlans(t *testing.T) {
	for _, s := range [][5]int{{91, 588, 2387, 0, 1}, {134, 1710, 177, 1, 0}, {10, 2223, 528, 0, 0}, {386, 22, 1470, 0, 0}, {23, 150, 679, 1, 1}} {
		task := matmul(tensor.Float32, 1, s[0], s[2], s[1], s[3] == 1, s[4] == 1)
		dev := useBench(t)
		for _, v := range []string{"", "contract=block", "contract=panel", "contract=stream", "contract=dot", "contract=lines", "contract=strip"} {
			p, err := makePlan(newFacts(dev.dev.Device(), dev.dev.Caps()), task, v)
			if err != nil {
				continue
			}
			r := dev.prepare(t, task, p, randomInputs(task, 1))
			r.run(t)
			r.finish(t)
			best := time.Hour
			for range 30 {
				start := time.Now()
				r.run(t)
				r.finish(t)
				best = min(best, time.Since(start))
			}
			fmt.Fprintf(os.Stderr, "%v %-16s %v %.0f GFLOPS: %s %s\n", s, v, best, task.Cost().Flops/1e9/best.Seconds(), p.variant, p.params)
		}
	}
}
