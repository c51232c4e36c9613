//go:build !amd64

package vector

// Has is false where there is no assembly: nothing else here is called then.
const Has = false

func Radix2(int, *Args) {}
func Radix3(int, *Args) {}
func Radix4(int, *Args) {}
func Radix5(int, *Args) {}
func Odd(int, *Args)    {}
func Rows4(int, *Args)  {}
func Store(int, *Tile)  {}

func Unpack(int, *Halves) {}
