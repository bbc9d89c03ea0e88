//go:build !linux

package main

// boundMemory does nothing.
func boundMemory() {}

// endLeft does nothing.
func endLeft(string) {}
