//go:build !linux

package main

// boundMemory does nothing.
func boundMemory() {}

// killLeftover does nothing: it finds the processes by /proc, which only Linux has.
func killLeftover(string) {}
