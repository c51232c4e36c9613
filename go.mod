module github.com/anycl/anycl

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/gofrs/flock v0.13.2
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/jgillich/go-opencl v0.0.0-20180608191952-a0efba3e5257
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.42.0
	gonum.org/v1/gonum v0.17.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
