package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tools/internal/randomgraphs"
)

func TestRandomGraphsAreCheckedFromAShell(t *testing.T) {
	t.Parallel()
	require.Contains(t, must(t, "conformance", "-suite", "graphs", "-device", "cpu", "-count", "8", "-seed", "5"), "8 of 8 graphs, from seed 5, on cpu")
	out := must(t, "conformance", "-suite", "graphs", "-device", "cpu", "-count", "9", "-seed", "5", "-processes", "2")
	require.Contains(t, out, "9 of 9 graphs, from seed 5, on cpu")
	var r randomgraphs.Report
	require.NoError(t, json.Unmarshal([]byte(must(t, "conformance", "-suite", "graphs", "-device", "none", "-count", "3", "-kind", "open", "-json")), &r))
	require.Equal(t, map[string]*randomgraphs.Counts{"open": {Agree: 3}}, r.Counts)
	for _, args := range [][]string{{"-count", "0"}, {"-processes=-1"}, {"-kind", "round"}, {"-for=-1s"}} {
		code, _, text := anycl(t, append([]string{"conformance", "-suite", "graphs"}, args...)...)
		require.Equal(t, codeUsage, code)
		require.Contains(t, text, args[0][:4])
	}
}
