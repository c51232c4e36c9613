package sparse_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/sparse"
)

func TestMatrixMarketFilesAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []float64
	}{
		{"%%MatrixMarket matrix coordinate real general\n% said\n\n2 3 3\n1 1 1.5\n2 3 -2e1\n 2 3 1\n", []float64{1.5, 0, 0, 0, 0, -19}},
		{"%%MatrixMarket matrix coordinate integer symmetric\r\n2 2 2\r\n1 1 3\r\n2 1 4\r\n", []float64{3, 4, 4, 0}},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4", []float64{0, -4, 4, 0}},
		{"%%matrixmarket matrix coordinate pattern general\n2 2 1\n2 1\n", nil},
		{"%%MatrixMarket MATRIX Coordinate Pattern General\n2 2 1\n2 1\n", []float64{0, 0, 1, 0}},
		{"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", []float64{1, 3, 2, 4}},
		{"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", []float64{1, 2, 2, 3}},
		{"%%MatrixMarket matrix array real skew-symmetric\n2 2\n7\n", []float64{0, -7, 7, 0}},
		{"%%MatrixMarket matrix coordinate real general\n0 5 0\n", []float64{}},
	} {
		a, err := sparse.ReadMatrixMarket(strings.NewReader(c.text))
		if c.want == nil {
			assert.Error(t, err)
			continue
		}
		require.NoError(t, err, c.text)
		m, err := a.CSR()
		require.NoError(t, err)
		assert.Equal(t, c.want, m.Dense(), c.text)
	}
}

func TestMatrixMarketMistakesHaveTheirLine(t *testing.T) {
	t.Parallel()
	real := "%%MatrixMarket matrix coordinate real general\n"
	for _, c := range []struct {
		text, what string
		line       int
	}{
		{"", "empty", 1},
		{"hello\n", "begin", 1},
		{"%%MatrixMarket vector coordinate real general\n", "vector", 1},
		{"%%MatrixMarket matrix dense real general\n", "dense", 1},
		{"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "complex elements are not supported", 1},
		{"%%MatrixMarket matrix coordinate real hermitian\n", "hermitian matrices are not supported", 1},
		{"%%MatrixMarket matrix coordinate quaternion general\n", "quaternion", 1},
		{"%%MatrixMarket matrix array pattern general\n", "pattern", 1},
		{real, "size", 2},
		{real + "2 2\n", "2 numbers", 2},
		{real + "2 -2 1\n", "-2", 2},
		{real + "99999999999 2 1\n", "99999999999", 2},
		{real + "2 2 2\n1 1 1\n% end\n", "ends after 1 elements", 5},
		{real + "2 2 1\n3 1 1\n", "(3, 1)", 3},
		{real + "2 2 1\n1 0 1\n", "(1, 0)", 3},
		{real + "2 2 1\n1 1 x\n", "\"x\"", 3},
		{real + "2 2 1\n1 1 nan\n", "nan", 3},
		{real + "2 2 1\n1 1 1e999\n", "1e999", 3},
		{real + "2 2 1\n1 1\n", "2 words", 3},
		{real + "2 2 1\n1 1 1\n1 2 1\n", "more elements", 4},
		{real + strings.Repeat("x", 9999), "longer", 2},
		{strings.Replace(real, "general", "symmetric", 1) + "2 3 1\n", "not symmetric", 2},
		{strings.Replace(real, "general", "symmetric", 1) + "2 2 1\n1 2 1\n", "above the diagonal", 3},
		{strings.Replace(real, "general", "skew-symmetric", 1) + "2 2 1\n1 1 1\n", "diagonal", 3},
		{real + "2147483646 2147483646 2147483646\n1 1 1\n", "ends after 1", 4},
	} {
		_, err := sparse.ReadMatrixMarket(strings.NewReader(c.text))
		m, ok := errors.AsType[*sparse.MarketError](err)
		if assert.True(t, ok, "%.60q: %v", c.text, err) {
			assert.ErrorContains(t, err, c.what)
			assert.Equal(t, c.line, m.Line, "%.60q: %v", c.text, err)
		}
	}
	broken := errors.New("broken")
	_, err := sparse.ReadMatrixMarket(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	a := random[float64](t, 40, 30, 200, 9)
	var b bytes.Buffer
	require.NoError(t, sparse.WriteMatrixMarket(&b, a))
	c, err := sparse.ReadMatrixMarket(&b)
	require.NoError(t, err)
	again, err := c.CSR()
	require.NoError(t, err)
	assert.Equal(t, a, again)
}

func FuzzMatrixMarket(f *testing.F) {
	f.Add("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1.5\n")
	f.Add("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := sparse.ReadMatrixMarket(strings.NewReader(text))
		if err == nil {
			require.NoError(t, a.Check())
		}
	})
}
