//go:build unix

package main

import _ "golang.org/x/sys/unix"
