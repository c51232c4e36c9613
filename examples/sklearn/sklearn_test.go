package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
)

func TestTheProgramChecksItself(t *testing.T) {
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, options{rows: 300}) })
	require.Contains(t, printed, "138 of 143 rows are told rightly")
}

func TestBadTablesAndModelsAreRefused(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{"": "no rows", "a,b,c\n": "no rows", "a,b\n1,2\n": "no rows", "a,b,c\n1,2,x\n": "line 2", "a,b,c\n1,2\n": "wrong number of fields"} {
		_, err := parse(strings.NewReader(text))
		require.ErrorContains(t, err, why, "%q", text)
	}
	bad := filepath.Join(t.TempDir(), "bad.onnx")
	require.NoError(t, os.WriteFile(bad, []byte("no model"), 0o644))
	require.Error(t, run(t.Context(), &gallery.Program{Stdout: io.Discard}, options{model: bad}))
	require.Error(t, run(t.Context(), &gallery.Program{}, options{csv: bad + "x"}))
}

func TestRowsAreRepeated(t *testing.T) {
	t.Parallel()
	table, err := parse(strings.NewReader("a,b,class,p\n1,2,0,0.25\n3,4,1,0.75\n"))
	require.NoError(t, err)
	require.Equal(t, []int64{0, 1}, table.class)
	require.Equal(t, []float64{0.25, 0.75}, table.probability)
	require.Equal(t, []float32{1, 2, 3, 4, 1, 2}, table.repeated(3))
}
