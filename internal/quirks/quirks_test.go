package quirks

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheVariableIsNamesWithSigns(t *testing.T) {
	got, err := Parse(" +no-fp64, -restore-signals,,+no-fp64 ")
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"no-fp64": true, "restore-signals": false}, got)
	got, err = Parse("")
	require.NoError(t, err)
	require.Empty(t, got)
	for text, want := range map[string]string{"a": `"a" is not`, "+": `"+" is not`, "+a,-a": "on and off", "- a,b": `"b"`} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want)
	}
}

func TestOffIsForWhatIsSwitchedOff(t *testing.T) {
	for text, want := range map[string]bool{"": false, "-a": true, "+a": false, "-b": false, "-a,x": false} {
		t.Setenv(Variable, text)
		require.Equal(t, want, Off("a"), text)
	}
}
