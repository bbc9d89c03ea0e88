// Package transcript reads the transcripts of Claude Code, 1.0 to 2.1: as steps for an
// import, as receipts of what its compactions left, and for the parent of a fork.
//
// The order of steps is that of the rows in the file. In every transcript that was
// looked at a row stands after its parent, and rows of abandoned branches did
// happen; times are not monotonic and order nothing. A row whose uuid was seen already
// says nothing new.
package transcript
