package bench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestContendersThatAreForFewWorksAreNotTalkedAbout(t *testing.T) {
	var out strings.Builder
	quick := Method{Turns: 1, Slice: time.Millisecond, Pause: -1, Warm: time.Millisecond}
	s := &Session{Out: &out, Verbose: true, Method: quick, Contenders: []Contender{
		&fake{name: "ours"},
		&fake{name: NameFloat32, loads: ErrCannot},
		&fake{name: "limit-copy", loads: ErrCannot},
		&fake{name: "other", loads: ErrCannot},
	}}
	works, err := Select(Works(), "^sgemm/256$")
	require.NoError(t, err)
	require.Len(t, works, 1)
	require.NoError(t, s.Run(t.Context(), works))
	require.Contains(t, out.String(), "1 work, about 3s\n")
	require.Contains(t, out.String(), "without other: ")
	require.NotContains(t, out.String(), "without "+NameFloat32)
	require.NotContains(t, out.String(), "without limit-")
}

func TestASessionThatIsEndedSaysSoOnce(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	var out strings.Builder
	ends := &fake{name: "other"}
	ends.atRun = func() error {
		end()
		return ctx.Err()
	}
	quick := Method{Turns: 1, Slice: time.Millisecond, Pause: -1, Warm: time.Millisecond}
	works, err := Select(Works(), "^sgemm/(256|512)$")
	require.NoError(t, err)
	err = (&Session{Out: &out, Verbose: true, Method: quick, Contenders: []Contender{&fake{name: "ours"}, ends}}).Run(ctx, works)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualError(t, err, "sgemm/256: context canceled")
	require.NotContains(t, out.String(), "canceled")
}

func TestTheCommitOfACheckoutIsKnown(t *testing.T) {
	const rev = "0123456789abcdef0123456789abcdef01234567"
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	write("sub/file", "")
	sub := filepath.Join(dir, "sub")
	write(".git/HEAD", "ref: refs/heads/main\n")
	require.Empty(t, headOf(sub))
	write(".git/packed-refs", "# pack-refs\n"+strings.Repeat("f", 40)+" refs/heads/other\n"+rev+" refs/heads/main\n")
	require.Equal(t, rev, headOf(sub), "of a fresh clone")
	write(".git/refs/heads/main", strings.Repeat("a", 40)+"\n")
	require.Equal(t, strings.Repeat("a", 40), headOf(sub))
	write(".git/HEAD", rev+"\n")
	require.Equal(t, rev, headOf(dir), "detached")
	write(".git/worktrees/w/HEAD", "ref: refs/heads/main\n")
	write(".git/worktrees/w/commondir", "../..\n")
	write("w/.git", "gitdir: "+filepath.Join(dir, ".git/worktrees/w")+"\n")
	require.Equal(t, strings.Repeat("a", 40), headOf(filepath.Join(dir, "w")), "a worktree")

	if _, err := exec.LookPath("git"); err == nil {
		require.Equal(t, "0123456789ab?", commitAt(sub), "git does not take this folder for a checkout")
	}
	t.Setenv("PATH", "")
	require.Equal(t, "0123456789ab?", commitAt(sub))
}
