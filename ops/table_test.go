package ops

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryOpIsWhole(t *testing.T) {
	t.Parallel()
	for op := range Table() {
		assert.NotEmpty(t, op.DTypes, "%s: dtypes", op.Name)
		if op.Flat {
			assert.Nil(t, op.Grad, "%s has a derivative of zero and a rule for it", op.Name)
		}
		if s := op.Scalar; s != nil {
			assert.Nil(t, op.Compose, "%s is computed in two ways", op.Name)
			assert.NotNil(t, s.Host, "%s: the Go function", op.Name)
			assert.True(t, s.OpenCL != "" || s.OpenCLFor != nil, "%s: the OpenCL C expression", op.Name)
			assert.Positive(t, s.Flops, "%s: the cost", op.Name)
			assert.Equal(t, op.Name, s.Name)
		}
	}
}
