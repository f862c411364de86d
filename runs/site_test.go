package runs

import "testing"

// Sites that were started by hand meet under a name that does not depend on the content of their pipelines, so sites with different pipelines can
// detect the difference.
func TestRunName(t *testing.T) {
	for _, c := range []struct{ flag, launched, path, want string }{
		{"", "", "camera.pipe", "camera"},
		{"", "", "/somewhere/else/camera 2.b.pipe", "camera_2_b"},
		{"monday", "", "camera.pipe", "monday"},
		{"", "of-a-plan", "camera.pipe", "of-a-plan"},
		{"monday", "of-a-plan", "camera.pipe", "monday"},
	} {
		t.Setenv("PENTODE_RUN", c.launched)
		p := &pipeRun{Options: Options{Pipeline: PipelineOptions{Site: "deck", NATS: "nats://somewhere", Run: c.flag}}}
		if ticket, err := p.admission(c.path); err != nil || ticket.Run != c.want {
			t.Errorf("%+v: %+v, %v", c, ticket, err)
		}
	}
}
