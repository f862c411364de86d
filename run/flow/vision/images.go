package vision

import "github.com/pentode-dev/pentode/run/flow"

const needsImages = "an image or video algorithm"

func images() []*flow.Type {
	return []*flow.Type{
		{
			Name: "compute_stereo_depth_map",
			Doc:  "Computes a depth map from a left and a right image.",
			In: []flow.Port{
				{Name: "left_image", Type: "kwiver:image", Flags: flow.Required, Doc: "Image of the left camera."},
				{Name: "right_image", Type: "kwiver:image", Flags: flow.Required, Doc: "Image of the right camera."},
			},
			Out: []flow.Port{
				{Name: "depth_map", Type: "kwiver:image", Doc: "Depth of each pixel."},
			},
			Keys: []flow.Key{
				{Name: "computer", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsImages,
		},
		{
			Name: "detect_motion",
			Doc:  "Marks in a heat map where an image sequence moves.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "coordinate_system_updated", Type: "kwiver:logical", Doc: "Whether the coordinate system changed with this frame."},
			},
			Out: []flow.Port{
				{Name: "motion_heat_map", Type: "kwiver:image", Flags: flow.Required, Doc: "How much each pixel moved."},
			},
			Keys: []flow.Key{
				{Name: "algo", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsImages,
		},
		{
			Name: "draw_detected_object_set",
			Doc:  "Draws detections into their image.",
			In: []flow.Port{
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "detected_object_set", Type: "kwiver:detected_object_set", Flags: flow.Required, Doc: "Detections of one frame."},
			},
			Out: []flow.Port{
				{Name: "image", Type: "kwiver:image", Flags: flow.Shared, Doc: "The image."},
			},
			Keys: []flow.Key{
				{Name: "draw_algo", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsImages,
		},
		{
			Name: "draw_tracks",
			Doc:  "Draws feature tracks into their image.",
			In: []flow.Port{
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "feature_track_set", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Feature tracks."},
			},
			Out: []flow.Port{
				{Name: "output_image", Type: "kwiver:image", Doc: "The image with the drawing."},
			},
			Keys: []flow.Key{
				{Name: "draw_tracks", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsImages,
		},
		{
			Name: "image_filter",
			Doc:  "Sends each image through a filter.",
			In: []flow.Port{
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
			},
			Out: []flow.Port{
				{Name: "image", Type: "kwiver:image", Flags: flow.Shared, Doc: "The image."},
			},
			Keys: []flow.Key{
				{Name: "filter", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsImages,
		},
		{
			Name: "stabilize_image",
			Doc:  "Tracks features and gives the homography that holds the picture still.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
			},
			Out: []flow.Port{
				{Name: "homography_src_to_ref", Type: "kwiver:s2r_homography", Doc: "Homography from this frame to the reference frame."},
			},
			Keys: []flow.Key{
				{Name: "track_features", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
				{Name: "homography_generator", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsImages,
		},
		{
			Name: "video_input",
			Doc:  "Reads a video frame by frame.",
			Out: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Shared, Doc: "The image."},
				{Name: "metadata", Type: "kwiver:metadata", Flags: flow.Shared, Doc: "Metadata of the frame."},
				{Name: "frame_rate", Type: "kwiver:frame_rate", Doc: "Frames per second."},
			},
			Keys: []flow.Key{
				{Name: "video_reader", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
				{Name: "video_filename", Kind: flow.String, Doc: "The video."},
				{Name: "frame_time", Kind: flow.Double, Default: "0.03333333", Doc: "Seconds per frame where the source does not say."},
			},
			Needs: needsImages,
		},
		{
			Name: "image_viewer",
			Doc:  "Shows each image in a window.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
			},
			Keys: []flow.Key{
				{Name: "pause_time", Kind: flow.Float, Default: "0", Doc: "Seconds each image stays; 0 waits for a key."},
				{Name: "annotate_image", Kind: flow.Bool, Default: "false", Doc: "Whether the frame number is drawn."},
				{Name: "title", Kind: flow.String, Default: "Display window", Doc: "Title of the window."},
				{Name: "header", Kind: flow.String, Doc: "Text above."},
				{Name: "footer", Kind: flow.String, Doc: "Text below."},
			},
			Needs: needsImages,
		},
	}
}
