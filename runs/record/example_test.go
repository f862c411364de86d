package record_test

import (
	"fmt"
	"os"
	"time"

	"github.com/pentode-dev/pentode/runs/record"
)

// A record is stored below a folder of states, and found as the newest.
func ExampleStore() {
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store := record.Store{Dir: dir}
	now := time.Now()
	r := &record.Record{Version: record.Version, ID: "run-1", Kind: record.Folder, Started: now, Ended: now, Out: "/tmp/out", Tags: []string{"first"}}
	if err := store.Write(r, nil); err != nil {
		fmt.Println(err)
		return
	}
	newest, err := store.Newest(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(newest.ID, newest.Tags, newest.Stage())
	// Output:
	// run-1 [first] ended
}
