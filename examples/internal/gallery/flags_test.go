package gallery

import (
	"flag"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFlagOutOfItsRangeIsToldWithItsRange(t *testing.T) {
	before := flag.CommandLine
	defer func() { flag.CommandLine = before }()
	flag.CommandLine = flag.NewFlagSet("program", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	var n, m int
	var x float64
	Int(&n, "n", 5, 1, 9, "how many")
	Multiple(&m, "m", 16, 0, 16, 64, "how many")
	Float(&x, "x", 1.5, 1, 2, "how far")
	require.Equal(t, "how many; a `number` from 16 to 64, a multiple of 16", flag.Lookup("m").Usage)
	require.Empty(t, flag.Lookup("m").DefValue, "none")
	require.Equal(t, "5", flag.Lookup("n").DefValue)

	require.NoError(t, flag.CommandLine.Parse([]string{"-n", "9", "-m", "32", "-x", "2"}))
	require.Equal(t, []float64{9, 32, 2}, []float64{float64(n), float64(m), x})
	for want, args := range map[string][]string{
		`invalid value "10" for flag -n: must be from 1 to 9`:                      {"-n", "10"},
		`invalid value "few" for flag -n: must be a whole number`:                  {"-n", "few"},
		`invalid value "1e1" for flag -n: must be a whole number`:                  {"-n", "1e1"},
		`invalid value "all" for flag -x: must be a number`:                        {"-x", "all"},
		`invalid value "33" for flag -m: must be a multiple of 16`:                 {"-m", "33"},
		`invalid value "0" for flag -m: must be from 16 to 64`:                     {"-m", "0"},
		`invalid value "0.5" for flag -x: must be from 1 to 2`:                     {"-x", "0.5"},
		`invalid value "NaN" for flag -x: must be from 1 to 2`:                     {"-x", "NaN"},
		`invalid value "+Inf" for flag -x: must be from 1 to 2`:                    {"-x", "+Inf"},
		`invalid value "99999999999999999999" for flag -n: must be from 1 to 9`:    {"-n", "99999999999999999999"},
		`invalid value "-99999999999999999999" for flag -m: must be from 16 to 64`: {"-m", "-99999999999999999999"},
		`invalid value "1e999" for flag -x: must be from 1 to 2`:                   {"-x", "1e999"},
	} {
		require.EqualError(t, flag.CommandLine.Parse(args), want)
	}
	require.Equal(t, []float64{9, 32, 2}, []float64{float64(n), float64(m), x}, "what is refused changes nothing")
	require.NoError(t, Within("n", 9, 1, 9))
	require.EqualError(t, Within("n", 10, 1, 9), "-n must be from 1 to 9, not 10")
}
