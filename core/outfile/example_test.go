package outfile_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pentode-dev/pentode/core/outfile"
)

// A file gets its name when it is complete, and no file is created outside of a
// fenced folder.
func ExampleFolder() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder := outfile.Folder{Dir: dir, Fenced: true}
	f, err := folder.Create("field.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintln(f, "1 2.5 4")
	_, err = os.Stat(filepath.Join(dir, "field.txt"))
	fmt.Println("before:", os.IsNotExist(err))
	fmt.Println("closed:", f.Close())
	_, err = folder.Create("../elsewhere.txt")
	fmt.Println(err != nil)
	// Output:
	// before: true
	// closed: <nil>
	// true
}
