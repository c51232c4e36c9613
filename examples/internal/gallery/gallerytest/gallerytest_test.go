package gallerytest

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/ops"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m)) }

func TestAProgramRunsOnTheDeviceAndOnTheCPUPath(t *testing.T) {
	var opened []string
	printed := Run(t, func(ctx context.Context, p *gallery.Program) error {
		rt, err := p.Open(ctx)
		if err != nil {
			return err
		}
		defer rt.Close()
		results, err := gallery.Both(ctx, p, rt, gallery.Work{Name: "nothing"}, func(place ops.Place) (func(context.Context) (ops.Place, error), error) {
			return func(context.Context) (ops.Place, error) { return place, nil }, nil
		})
		for _, r := range results {
			opened = append(opened, r.Where)
			p.Check(r.Value == r.Place, "%s is where it ran", r.Where)
		}
		return err
	})
	require.Contains(t, printed, "check holds: cpu path")
	require.Equal(t, "cpu path", opened[len(opened)-1])
}
