package place

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func why(task, side int) error { return errors.New("cannot") }

func TestTheFasterSideTakesTheGraph(t *testing.T) {
	p := Problem{
		Sides: []string{"gpu", "cpu"}, Only: -1, Why: why,
		Time: [][]time.Duration{{10, 5}, {10, 50}},
		Feed: []time.Duration{20, 0},
	}
	c, err := Decide(p)
	require.NoError(t, err)
	require.Equal(t, []int{0, 0}, []int{c[0].Side, c[1].Side})
	p.Feed[0] = 200
	c, err = Decide(p)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, []int{c[0].Side, c[1].Side})
}

func TestATaskThatOneSideCannotRunGoesToTheOther(t *testing.T) {
	c, err := Decide(Problem{
		Sides: []string{"gpu", "cpu"}, Only: -1, Why: why,
		Time: [][]time.Duration{{10, 500}, {Never, 5}},
		Feed: []time.Duration{1, 1},
	})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, []int{c[0].Side, c[1].Side})
	require.Contains(t, c[1].Why, "cannot")
}

func TestADemandedSideIsNotReplaced(t *testing.T) {
	_, err := Decide(Problem{
		Sides: []string{"gpu", "cpu"}, Only: 0, Why: why,
		Time: [][]time.Duration{{Never, 5}}, Feed: []time.Duration{0, 0},
	})
	require.ErrorContains(t, err, "cannot")
}
