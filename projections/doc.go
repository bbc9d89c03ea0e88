// Package projections says what a sequence of events means. A projection is a
// pure fold: no clock, no randomness, no I/O, no environment, no error. The
// same events in the same order give the same state, anywhere and always.
//
// Adding a projection adds a file: a state type, its transitions as methods,
// one Declare.
package projections
