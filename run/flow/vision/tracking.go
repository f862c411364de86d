package vision

import "github.com/pentode-dev/pentode/run/flow"

const needsTracking = "a detection or tracking algorithm"

func tracking() []*flow.Type {
	return []*flow.Type{
		{
			Name: "associate_detections_to_tracks",
			Doc:  "Assigns the detections of a frame to the tracks they continue, by the cost matrix it is given.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Doc: "The image."},
				{Name: "object_track_set", Type: "kwiver:object_track_set", Flags: flow.Required, Doc: "Object tracks."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
				{Name: "matrix_d", Type: "kwiver:matrix_d", Flags: flow.Required, Doc: "Cost of each pair of track and detection."},
			},
			Out: []flow.Port{
				{Name: "object_track_set", Type: "kwiver:object_track_set", Doc: "Object tracks."},
				{Name: "all_detections", Type: "kwiver:detected_object_set", Doc: "Every detection, used or not."},
				{Name: "unused_detections", Type: "kwiver:detected_object_set", Doc: "Detections that no track took."},
			},
			Keys: []flow.Key{
				{Name: "track_associator", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsTracking,
		},
		{
			Name: "compute_association_matrix",
			Doc:  "Computes what it costs to continue each track with each detection.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Doc: "The image."},
				{Name: "object_track_set", Type: "kwiver:object_track_set", Flags: flow.NoDep | flow.Required, Doc: "Object tracks."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Out: []flow.Port{
				{Name: "matrix_d", Type: "kwiver:matrix_d", Doc: "Cost of each pair of track and detection."},
				{Name: "object_track_set", Type: "kwiver:object_track_set", Doc: "Object tracks."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Doc: "Detections of one frame."},
			},
			Keys: []flow.Key{
				{Name: "matrix_generator", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Level: flow.CheckNone,
			Needs: needsTracking,
		},
		{
			Name: "compute_track_descriptors",
			Doc:  "Computes descriptors that make tracks or detections comparable.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "object_track_set", Type: "kwiver:object_track_set", Doc: "Object tracks."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Doc: "Detections of one frame."},
			},
			Out: []flow.Port{
				{Name: "track_descriptor_set", Type: "kwiver:track_descriptor_set", Doc: "Descriptors of tracks."},
				{Name: "descriptor_set", Type: "kwiver:descriptor_set", Doc: "Descriptors of features or detections."},
				{Name: "string_vector", Type: "kwiver:string_vector", Doc: "Names that belong to the descriptors."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Doc: "Detections of one frame."},
			},
			Keys: []flow.Key{
				{Name: "computer", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
				{Name: "inject_to_detections", Kind: flow.Bool, Default: "false", Doc: "Whether descriptors are stored in their detections too."},
				{Name: "add_custom_uid", Kind: flow.Bool, Default: "false", Doc: "Whether each descriptor gets a name of its own."},
				{Name: "uid_basename", Kind: flow.String, Doc: "How those names begin."},
				{Name: "flush_on_last", Kind: flow.Bool, Default: "true", Doc: "Whether the last frame sends what is still held back."},
			},
			Level: flow.CheckNone,
			Needs: needsTracking,
		},
		{
			Name: "detected_object_filter",
			Doc:  "Keeps, drops or changes detections by a filter.",
			In: []flow.Port{
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Out: []flow.Port{
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Doc: "Detections of one frame."},
			},
			Keys: []flow.Key{
				{Name: "filter", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsTracking,
		},
		{
			Name: "image_object_detector",
			Doc:  "Finds objects in each image.",
			In: []flow.Port{
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
			},
			Out: []flow.Port{
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Doc: "Detections of one frame."},
			},
			Keys: []flow.Key{
				{Name: "detector", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsTracking,
		},
		{
			Name: "initialize_object_tracks",
			Doc:  "Starts new tracks from detections that no track took.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Doc: "The image."},
				{Name: "object_track_set", Type: "kwiver:object_track_set", Doc: "Object tracks."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Out: []flow.Port{
				{Name: "object_track_set", Type: "kwiver:object_track_set", Doc: "Object tracks."},
			},
			Keys: []flow.Key{
				{Name: "track_initializer", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsTracking,
		},
		{
			Name: "merge_detection_sets",
			Doc:  "Puts the detections of all its inputs into one set.",
			In: []flow.Port{
				{Name: "<any>", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "One port for each connection."},
			},
			Out: []flow.Port{
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Needs: needsTracking,
		},
		{
			Name: "read_object_track",
			Doc:  "Reads object tracks from a file.",
			Out: []flow.Port{
				{Name: "object_track_set", Type: "kwiver:object_track_set", Doc: "Object tracks."},
			},
			Keys: []flow.Key{
				{Name: "file_name", Kind: flow.String, Doc: "The file."},
				{Name: "reader", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsTracking,
		},
		{
			Name: "read_track_descriptor",
			Doc:  "Reads track descriptors from a file.",
			Out: []flow.Port{
				{Name: "track_descriptor_set", Type: "kwiver:track_descriptor_set", Doc: "Descriptors of tracks."},
			},
			Keys: []flow.Key{
				{Name: "file_name", Kind: flow.String, Doc: "The file."},
				{Name: "reader", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsTracking,
		},
		{
			Name: "refine_detections",
			Doc:  "Improves detections with the help of their image.",
			In: []flow.Port{
				{Name: "image", Type: "kwiver:image", Doc: "The image."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Out: []flow.Port{
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Doc: "Detections of one frame."},
			},
			Keys: []flow.Key{
				{Name: "refiner", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsTracking,
		},
		{
			Name: "shift_detected_object_set",
			Doc:  "Delays detections by a number of frames, or pulls them forward.",
			In: []flow.Port{
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Out: []flow.Port{
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Keys: []flow.Key{
				{Name: "offset", Kind: flow.Int, Default: "0", Doc: "Frames to shift by; negative pulls forward."},
			},
			Needs: needsTracking,
		},
		{
			Name: "write_object_track",
			Doc:  "Writes object tracks to a file.",
			In: []flow.Port{
				{Name: "image_file_name", Type: "kwiver:file_name", Doc: "Name of the image file."},
				{Name: "object_track_set", Type: "kwiver:object_track_set", Flags: flow.Required, Doc: "Object tracks."},
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
			},
			Keys: []flow.Key{
				{Name: "file_name", Kind: flow.String, Doc: "The file."},
				{Name: "writer", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Level: flow.CheckSync,
			Needs: needsTracking,
		},
		{
			Name: "write_track_descriptor",
			Doc:  "Writes track descriptors to a file.",
			In: []flow.Port{
				{Name: "image_file_name", Type: "kwiver:file_name", Doc: "Name of the image file."},
				{Name: "track_descriptor_set", Type: "kwiver:track_descriptor_set", Flags: flow.Required, Doc: "Descriptors of tracks."},
			},
			Keys: []flow.Key{
				{Name: "file_name", Kind: flow.String, Doc: "The file."},
				{Name: "writer", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsTracking,
		},
	}
}
