package device

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// world is a program whose runs take so long on either side, times a factor for other load on the machine.
type world struct {
	d     *Device
	p     *program
	took  [2]time.Duration
	noise func(side int) float64
}

func newWorld(host, device int, noise func(side int) float64) *world {
	w := &world{d: &Device{left: map[string]*verdict{}}, p: &program{}, noise: noise}
	w.took = [2]time.Duration{onHost: time.Duration(host) * time.Microsecond, onDevice: time.Duration(device) * time.Microsecond}
	for k := range w.p.cost.predicted {
		w.p.cost.predicted[k] = w.took[onDevice]
	}
	return w
}

// run asks so often, as fragments do, and returns the time spent.
func (w *world) run(times int) (spent time.Duration) {
	const text = "steps"
	for range times {
		side, j := onHost, (*job)(nil)
		if w.d.leaves(text) == "" {
			j = &job{Device: w.d, program: w.p, rows: 100_000}
			if on, why := j.decide(); on {
				side = onDevice
			} else if j.stay != 0 {
				w.d.leave(text, why, j.stay)
			}
		}
		took := time.Duration(float64(w.took[side]) * w.noise(side))
		if j != nil {
			w.p.cost.add(side, j.rows, took, j.again)
		}
		spent += took
	}
	return spent
}

func (w *world) best(times int) time.Duration {
	return time.Duration(times) * min(w.took[0], w.took[1])
}

func quiet(int) float64 { return 1 }

func TestTriesTakeLittleOfTheTime(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int{{100, 105}, {100, 150}, {100, 380}, {100, 2000}, {150, 100}, {300, 100}, {2000, 100}} {
		w := newWorld(c[0], c[1], quiet)
		w.run(2 * enough)
		require.Less(t, w.run(1000), w.best(1070), "%v", c)
	}
}

// Other programs make the better side look slow while both are compared first: a later try finds out.
func TestAWrongChoiceIsMended(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]int{{200, 100}, {100, 200}} {
		w := newWorld(c[0], c[1], quiet)
		w.noise = func(side int) float64 {
			if w.took[side] == 100*time.Microsecond {
				return 3
			}
			return 1
		}
		w.run(12)
		w.noise = quiet
		w.run(200)
		require.Less(t, w.run(500), w.best(550), "%v", c)
	}
}

// The faster side may change, with the machine or the values of columns.
func TestAChangeIsNoticed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][2]int{{100, 200}, {200, 100}} {
		w := newWorld(c[0], c[1], func(int) float64 { return 1 + r.Float64()/5 })
		w.run(100)
		w.took[0], w.took[1] = w.took[1], w.took[0]
		w.run(400)
		require.Less(t, w.run(400), w.best(500), "%v", c)
	}
}

// A burst of other work that is over makes neither side the loser for good.
func TestNoiseDecidesNothingForGood(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	wrong := 0
	for range 40 {
		w := newWorld(100, 130, func(int) float64 { return 1 + r.ExpFloat64() })
		w.run(300)
		w.noise = quiet
		if w.run(300) > w.best(330) {
			wrong++
		}
	}
	require.LessOrEqual(t, wrong, 4)
}
