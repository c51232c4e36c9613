package main

import (
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
)

// The page equals the one written from the record that it names.
func TestThePageIsThatOfItsRecord(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`\[the record\]\(\.\./(.*?)\)`).FindSubmatch(text)
	require.NotNil(t, m)
	records, err := read(filepath.Join("..", "..", string(m[1])))
	require.NoError(t, err)
	require.Equal(t, string(page(records, string(m[1]))), string(text), "to write it: go run ./examples/all -write -file %s", m[1])
	for _, r := range records {
		require.InEpsilon(t, gallery.CountLines("../"+r.Name).Go, r.Lines.Go, 0.1, "lines of %s: go run ./examples/all -write counts them", r.Name)
		for _, c := range r.Checks {
			require.True(t, c.Holds, "%s: %s", r.Name, c.What)
		}
		if i := slices.IndexFunc(gallery.Programs, func(p gallery.Info) bool { return p.Name == r.Name }); !gallery.Programs[i].Draws {
			continue
		}
		picture, err := os.Stat("../README.d/" + r.Name + ".png")
		require.NoError(t, err)
		require.LessOrEqual(t, picture.Size(), int64(most), r.Name)
	}
}

// A program that uses the package gallery is in the list, and the other way round.
func TestEveryProgramIsInTheGallery(t *testing.T) {
	mains, err := filepath.Glob("../*/main.go")
	require.NoError(t, err)
	var found, listed []string
	for _, file := range mains {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), "gallery.Main(") {
			found = append(found, filepath.Base(filepath.Dir(file)))
		}
	}
	for _, p := range gallery.Programs {
		listed = append(listed, p.Name)
	}
	slices.Sort(listed)
	require.Equal(t, found, listed)
}

func TestAPageHasARowForEachProgram(t *testing.T) {
	r := gallery.Record{
		Name: "audio", Device: "a device", Driver: "1", CPU: "a processor", Cores: 2, Go: "go1", Date: "2026-01-02T03:04:05Z", Lines: gallery.Lines{Go: 123, Kernels: 45, Rest: 89, Checks: 67},
		Works: []gallery.WorkRecord{{
			Name: "noise reduction", Unit: "s of sound", Amount: 60,
			Runs: []gallery.RunRecord{{Where: "x:0", Seconds: 0.05, Amount: 60}, {Where: "cpu path", Seconds: 0.25, Amount: 30}},
			Peer: &gallery.PeerRecord{Name: "SciPy", Version: "1", Seconds: 0.1, Amount: 60},
		}},
	}
	text := string(page([]gallery.Record{r, {Name: "stars"}}, "bench/gallery/x.jsonl"))
	require.Contains(t, text, "| 123 + 45 | 89 | 67 | 50.0 ms (1200 s of sound/s) | 500 ms (10.0) | SciPy 1: 100 ms (2.00) |")
	require.Contains(t, text, "Measured on 2 cores of a processor with a device")
	require.NotContains(t, text, "stars.png", "it did nothing")

	file := filepath.Join(t.TempDir(), "a", "r.jsonl")
	require.NoError(t, write(file, []gallery.Record{r}))
	again, err := read(file)
	require.NoError(t, err)
	require.Equal(t, []gallery.Record{r}, again)
	require.NoError(t, os.WriteFile(file, []byte("{\n"), 0o644))
	_, err = read(file)
	require.Error(t, err)
	require.ErrorContains(t, run(t.Context(), file, "none", "", false, []string{"nothing"}), "no program")
}

func TestPicturesAreMadeSmallEnough(t *testing.T) {
	noise := image.NewRGBA(image.Rect(0, 0, 640, 320)) // nothing compresses worse
	for i := range noise.Pix {
		noise.Pix[i] = uint8(rand.IntN(256))
		if i%4 == 3 {
			noise.Pix[i] = 255
		}
	}
	plain := image.NewRGBA(image.Rect(0, 0, 300, 200))
	for i := range 300 * 200 {
		plain.Set(i%300, i/300, color.RGBA{R: 200, A: 255})
	}
	for width, picture := range map[int]image.Image{0: noise, 300: plain} {
		dir := t.TempDir()
		f, err := os.Create(filepath.Join(dir, "p.png"))
		require.NoError(t, err)
		require.NoError(t, png.Encode(f, picture))
		require.NoError(t, f.Close())
		small := filepath.Join(dir, "d", "small.png")
		require.NoError(t, shrink(f.Name(), small))
		info, err := os.Stat(small)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(most))
		in, err := os.Open(small)
		require.NoError(t, err)
		defer in.Close()
		c, err := png.DecodeConfig(in)
		require.NoError(t, err)
		if width > 0 {
			require.Equal(t, width, c.Width)
		} else {
			require.InDelta(t, 2, float64(c.Width)/float64(c.Height), 0.05)
		}
	}
	require.NoError(t, shrink(filepath.Join(t.TempDir(), "none.png"), ""))
}
