// Package text cuts text at whole characters, measures it as agents and terminals do, and makes foreign text safe to show.
package text
