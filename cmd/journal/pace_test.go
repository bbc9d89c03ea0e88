package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// This file is part of the tests, and of the program under test, which is linked with it: see linkProgram.

const (
	// ownPace lets budgets of the program last so many times as long as they say; without
	// it they last slowdown times longer, because no busy machine may fail a test of
	// something else.
	ownPace  = "JOURNAL_TEST_OWN_PACE"
	slowdown = 40
	// budgetsVariable names the directory where each process writes the budgets that
	// it spends, a file for each.
	budgetsVariable = "JOURNAL_TEST_BUDGETS"
)

// pace is that of the program under test.
func pace(budget time.Duration) time.Duration {
	if dir := os.Getenv(budgetsVariable); dir != "" {
		f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(os.Getpid())), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, budget)
		f.Close()
	}
	if own, err := strconv.Atoi(os.Getenv(ownPace)); err == nil {
		return time.Duration(own) * budget
	}
	return slowdown * budget
}
