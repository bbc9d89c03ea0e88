// Package scrub reads both copies of a log where they lie, a little at a time, so that damage at rest is found while the
// other copy is good. It changes nothing but the file of how far it has come, which is a cache.
package scrub
