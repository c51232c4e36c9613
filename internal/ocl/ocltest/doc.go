// Package ocltest holds the helpers that tests of the OpenCL engine and of its kernel families share: the device, opened once a
// package; tasks run on an engine (Execute, Verify) or plan by plan without one (Bench); facts of devices that the machine need
// not have (CPU, GPU); comparison of results; how much of a grid a test tries (OneIn, NumbersOnly). It does not import the
// engine, so that the engine's own tests can use it. Tasks of every kind to run are in package sample.
package ocltest
