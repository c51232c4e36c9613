package checkpoint

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// childVariable names the folder in which a child process writes.
const childVariable = "ANYCL_TEST_CHECKPOINTS"

// blocks are many variables, which all hold v in state v.
func blocks(v int64) (*ops.Graph, []*ops.Node) {
	g := ops.NewGraph("blocks")
	var all []*ops.Node
	for i := range 8 {
		t := tensor.Must(tensor.New(tensor.Int64, 1<<14))
		for j := range t.Len() {
			t.SetFloat64(j, float64(v))
		}
		all = append(all, g.Variable(fmt.Sprint(i), t))
	}
	return g, all
}

// writeForEver saves one state after the other until it is killed.
func writeForEver(dir string) {
	f := &Folder{Dir: dir, Keep: 1}
	for v := int64(1); ; v++ {
		g, _ := blocks(v)
		if err := f.Save(context.Background(), &State{Graph: g, Extra: map[string]any{"v": v}}, int(v)); err != nil {
			fmt.Println(err)
			os.Exit(3)
		}
		fmt.Println(v)
	}
}

func TestAKillLeavesAWholeCheckpoint(t *testing.T) {
	kills := 8
	if testing.Short() {
		kills = 3
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range kills {
		dir := filepath.Join(t.TempDir(), "run")
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+dir)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan(), "the first checkpoint is there")
		timer := time.AfterFunc(time.Duration(r.IntN(60_000))*time.Microsecond, func() { _ = child.Process.Kill() })
		said := lines.Text()
		for lines.Scan() {
			said = lines.Text()
		}
		require.Error(t, child.Wait(), "it was killed")
		timer.Stop()

		g, all := blocks(0)
		f := &Folder{Dir: dir, Keep: 1}
		var v int64
		step, err := f.Restore(t.Context(), &State{Graph: g, Extra: map[string]any{"v": &v}})
		require.NoError(t, err)
		require.EqualValues(t, step, v)
		var last int64
		_, err = fmt.Sscan(said, &last)
		require.NoError(t, err)
		require.GreaterOrEqual(t, v, last, "what was said to be saved is saved")
		for _, b := range all {
			x, err := ops.Value(t.Context(), b)
			require.NoError(t, err)
			for i := range x.Len() {
				require.Equal(t, float64(v), x.Float64At(i))
			}
		}
		// The next write clears up.
		require.NoError(t, f.Save(t.Context(), &State{Graph: g, Extra: map[string]any{"v": v}}, step+1))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, 1)
	}
}
