package service

import (
	"os"

	"journal/embedded/ownership"
)

// Start makes an owner of the directory start in the background, this program with the
// arguments owner --dir, as ownership.Start does.
func Start(dir string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return ownership.Start(dir, exe)
}
