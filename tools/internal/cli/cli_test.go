package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneDashIsEnoughForLongFlags(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"--json", "-x", "--all", "a-b", "-", "--", "-json"}, LongFlags([]string{"-json", "-x", "--all", "a-b", "-", "--", "-json"}))
}
