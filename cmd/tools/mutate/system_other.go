//go:build !linux

package main

func boundMemory() {}

func endLeft(string) {}
