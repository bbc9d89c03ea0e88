// Package service runs the owner of a log as a process, and reaches the one that runs: it starts
// an owner in the background, serves until it is time to leave, mends a damaged store before it is
// opened, asks an owner questions, and takes the log over from it.
//
// Every function takes the journal directory or its lock. What a function may do to a directory
// that somebody else owns, it says.
package service
