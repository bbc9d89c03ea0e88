package service

import "journal/embedded/store/ownership"

// Start makes an owner of the directory start in the background, this program with the
// arguments owner --dir, as ownership.Start does.
func Start(dir string) error {
	exe, err := ownership.Executable()
	if err != nil {
		return err
	}
	return ownership.Start(dir, exe)
}

// StartSuccessor makes this program start in the background as the owner of a directory,
// in the place of an owner of an older build. It does not wait.
func StartSuccessor(dir string) (started bool, err error) {
	program, err := ownership.Executable()
	if err != nil {
		return false, err
	}
	return ownership.Succeed(dir, program)
}
