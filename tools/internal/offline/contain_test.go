package offline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/draft"
)

// TestMain is a worker where another process of this test asks for one.
func TestMain(m *testing.M) {
	switch how := os.Getenv(EnvWorker); how {
	case "":
		os.Exit(m.Run())
	case "absent":
		fmt.Fprintln(os.Stderr, "there is no driver")
		os.Exit(3)
	default:
		if err := Work(context.Background(), deadly{&fake{refuse: "void contract_"}, how}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// deadly ends its process at programs with a word.
type deadly struct {
	*fake
	at string
}

func (d deadly) Compile(ctx context.Context, source, options string) (map[string]Usage, error) {
	switch {
	case strings.Contains(source, "never ends"):
		select {}
	case source == "broken":
		return nil, errors.New("a broken call")
	case strings.Contains(source, d.at):
		fmt.Println("printed by the driver")
		fmt.Fprintln(os.Stderr, "assertion failed")
		self, err := os.FindProcess(os.Getpid())
		_ = errors.Join(err, self.Kill())
		select {}
	}
	return d.fake.Compile(ctx, source, options)
}

func TestACompilerThatEndsItsProcessRefusesOneProgram(t *testing.T) {
	class := draft.Classes[0]
	all := drafted(t, class)
	c, err := Contained(t.Context(), "sqrt(", 2)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	require.Equal(t, "fake", c.Version())

	outcomes, err := Run(t.Context(), c, class, all, 2, nil)
	require.NoError(t, err)
	require.Len(t, outcomes, len(all))
	died, refused := 0, 0
	for i, o := range outcomes {
		text, _ := class.Text(all[i : i+1])
		switch {
		case strings.Contains(text, "sqrt("):
			died++
			require.Contains(t, o.Refused, "the compiler ended its process: signal: killed")
			require.Contains(t, o.Refused, "assertion failed")
		case strings.Contains(text, "void contract_"):
			refused++
			require.Equal(t, "fake: line 1\nline 2\nline 3\nline 4", o.Refused)
		default:
			require.Empty(t, o.Refused)
			require.Equal(t, 7, o.Kernels[all[i].Kernels[0]].Registers)
		}
	}
	require.Positive(t, died)
	require.Positive(t, refused)
	require.Less(t, died+refused, len(all))

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err = c.Compile(ctx, "never ends", "")
	require.Equal(t, context.Canceled, err)
	_, err = c.Compile(ctx, "kernel", "")
	require.Equal(t, context.Canceled, err)
	_, err = c.Compile(t.Context(), "broken", "")
	require.EqualError(t, err, "a broken call")
}

func TestAWorkerThatDoesNotBeginSaysWhy(t *testing.T) {
	_, err := Contained(t.Context(), "absent", 2)
	require.ErrorContains(t, err, "a worker for absent did not begin")
	require.ErrorContains(t, err, "exit status 3")
	require.ErrorContains(t, err, "there is no driver")
}
