package tensor_test

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

func ExampleFromSlice() {
	data := []float32{1, 2.5, 3, -4, 5, 6}
	x, err := tensor.FromSlice(data, 2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	data[0] = 10 // seen through x: nothing was copied
	fmt.Println(x)

	_, err = tensor.FromSlice(data, 4, 2)
	fmt.Println(err)
	// Output:
	// float32 [2 3]
	// [[10.   2.5  3. ]
	//  [-4.   5.   6. ]]
	// tensor: shape [4 2] of float32 takes 8 elements, the data has 6
}

func ExampleTensor_Slice() {
	x := tensor.Must(tensor.FromSlice([]int32{0, 1, 2, 3, 4, 5, 6}))
	fmt.Println(tensor.Must(x.Slice(0, 1, 6, 2)))
	fmt.Println(tensor.Must(x.Slice(0, 6, -1, -3)))
	// Output:
	// int32 [3]
	// [1 3 5]
	// int32 [3]
	// [6 3 0]
}

func ExampleCast() {
	x := tensor.Must(tensor.FromSlice([]float64{-1, 2.9, 300}))
	fmt.Println(tensor.Must(tensor.Cast(x, tensor.Uint8)))
	// Output:
	// uint8 [3]
	// [  0   2 255]
}
