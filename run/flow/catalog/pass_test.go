package catalog

import (
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// TestPassed checks that data which processes only pass on are reported if the process at the end cannot take them.
func TestPassed(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"second.output_1", "filter.image", ""},
		{"second.output_2", "filter.image", "`second.output_2` passes on `kwiver:file_name` from `input.image_file_name`, but `filter.image` takes `kwiver:image`"},
		{"second.output_3", "filter.image", ""}, // input 3 is not connected
	} {
		p := flow.New(Standard())
		p.AddProcess("input", "frame_list_input", pipe.Set("image_list_file", "a.txt", "image_reader:type", "ocv"))
		for _, name := range []string{"first", "second"} {
			p.AddProcess(name, "downsample", nil)
		}
		p.AddProcess("filter", "image_filter", pipe.Set("filter:type", "vxl_average"))
		for _, pair := range [][2]string{{"input.image", "first.input_1"}, {"input.image_file_name", "first.input_2"},
			{"first.output_1", "second.input_1"}, {"first.output_2", "second.input_2"}, {c.from, c.to}} {
			p.Connect(pair[0], pair[1])
		}
		var found []string
		for _, q := range p.Check() {
			if q.Kind == pipe.TypeMismatch {
				found = append(found, q.Message)
			}
		}
		if got := strings.Join(found, "; "); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || len(found) > 1 {
			t.Errorf("%s to %s: have %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
