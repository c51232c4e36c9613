// Package sample makes tasks of every kind for tests of kernels, by family, and their operands: scalar functions as package ops
// defines them, operands with the values that hurt. Tests of families, golden files and the checker's cells run the same ones.
package sample
