package cldriver

import "fmt"

func Names() []string                  { return nil }
func Load(name string) (Driver, error) { return nil, fmt.Errorf("%s: not built", name) }
