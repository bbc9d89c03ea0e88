// Package text cuts text at whole characters, as a person sees them, and counts
// it as agents do.
package text
