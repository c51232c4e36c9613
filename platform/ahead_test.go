package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ask makes programs on behalf of a graph, and returns how often the driver was asked for one.
func (c *programCalls) ask(t *testing.T, o *Opened, mark string, sources ...string) int32 {
	t.Helper()
	before := c.sources.Load() + c.binaries.Load()
	a := o.Ahead(mark)
	for _, s := range sources {
		_, err := o.Program(a.Context(t.Context()), "scale", s, "")
		require.NoError(t, err)
	}
	a.End()
	return c.sources.Load() + c.binaries.Load() - before
}

// eachCache runs test where the package keeps binaries, and where it keeps bitcode, if the driver has it; open is for one process each.
func eachCache(t *testing.T, test func(t *testing.T, calls *programCalls, open func() *Opened)) {
	for name, as := range map[string]func(*Device){"binaries": keepBinaries, "bitcode": func(*Device) {}} {
		t.Run(name, func(t *testing.T) {
			calls, options := &programCalls{}, &Options{CacheDir: t.TempDir()}
			open := func() *Opened {
				o := freshAs(t, calls.options(), options, as)
				runScale(t, o, "first.cl", 80, 10) // which confirms what an inline device was proven to do
				return o
			}
			if open().ahead == nil {
				t.Skip("the driver keeps its programs itself")
			}
			test(t, calls, open)
		})
	}
}

func TestProgramsOfAnEarlierProcessAreLoadedBeforeTheyAreAskedFor(t *testing.T) {
	eachCache(t, func(t *testing.T, calls *programCalls, open func() *Opened) {
		first := open()
		calls.ask(t, first, "graph", scale(81), scale(82))

		second := open()
		before := calls.binaries.Load()
		a := second.Ahead("graph")
		second.ahead.Settle()
		assert.EqualValues(t, 2, calls.binaries.Load()-before, "both are loaded, and nobody has asked")
		for _, s := range []string{scale(81), scale(82)} {
			_, err := second.Program(a.Context(t.Context()), "scale", s, "")
			require.NoError(t, err)
		}
		a.End()
		assert.EqualValues(t, 2, calls.binaries.Load()-before, "those are given")
		assert.EqualValues(t, 3, second.Stats().ProgramsLoaded)
		assert.Zero(t, second.ahead.Settle())
		assert.Zero(t, calls.ask(t, second, "graph", scale(81)), "what the process has is not loaded again")
	})
}

func TestProgramsThatNobodyAsksForAreClosedAndForgotten(t *testing.T) {
	eachCache(t, func(t *testing.T, calls *programCalls, open func() *Opened) {
		first := open()
		calls.ask(t, first, "graph", scale(83), scale(84))

		second := open()
		assert.EqualValues(t, 1, calls.ask(t, second, "another", scale(83)), "of another graph nothing is loaded")
		a := second.Ahead("graph")
		require.Equal(t, 1, second.ahead.Settle(), "of the two, the process has one")
		_, err := second.Program(a.Context(t.Context()), "scale", scale(83), "")
		require.NoError(t, err)
		a.End()
		assert.Zero(t, second.ahead.Settle())

		third := open()
		a = third.Ahead("graph")
		assert.Equal(t, 1, third.ahead.Settle(), "it is not loaded again")
		a.End()
		unasked := open()
		unasked.Ahead("graph") // Close closes what is loaded
		assert.Equal(t, 1, unasked.ahead.Settle(), "a graph that asked for nothing keeps its note")
	})
}

func TestDamagedNotesAndEntriesAreDoneWithout(t *testing.T) {
	eachCache(t, func(t *testing.T, calls *programCalls, open func() *Opened) {
		first := open()
		calls.ask(t, first, "graph", scale(85))
		calls.ask(t, first, "text", scale(86))
		require.NoError(t, first.ahead.Notes.Save(first.device.programID("programs of text", ""), []byte("no JSON")))

		second := open()
		calls.refuses.Store(true)
		a := second.Ahead("graph")
		second.ahead.Settle()
		calls.refuses.Store(false)
		_, err := second.Program(a.Context(t.Context()), "scale", scale(85), "")
		require.NoError(t, err, "what could not be loaded is made when it is asked for")
		a.End()
		second.Ahead("text").End()
		assert.Zero(t, second.ahead.Settle())
	})
}
