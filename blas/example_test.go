package blas_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/anycl/anycl/blas"
)

// One line, and a program that uses gonum computes on a device where that is faster. Where
// there is none it runs as before.
func Example() {
	defer blas.Use(nil).Close()

	a := mat.NewDense(2, 2, []float64{4, 1, 2, 3})
	b := mat.NewVecDense(2, []float64{1, 2})
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.1f\n", x.RawVector().Data)
	// Output: [0.1 0.6]
}
