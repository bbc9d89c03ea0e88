// Package projections defines the meaning of a sequence of events. A projection is a pure fold: no clock, no
// randomness, no I/O, no environment, no error. The same events in the same order always produce the same state.
//
// A projection has a state type, transitions, and one Declare. Transitions are methods of the state type, or functions. Related
// projections share a file.
package projections
