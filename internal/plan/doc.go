// Package plan decides where the tasks of a graph run, and makes a [Program] of that.
//
// A [Model] predicts the times of runs and chooses a [Placement]; [Build] turns both into a Program: the memories
// of each engine, where every value lies in them, and the steps of a run. All of it is data. Nothing here allocates
// an engine's memory or submits work: package exec does, for as many instances of a Program as it likes.
package plan
