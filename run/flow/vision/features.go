package vision

import "github.com/pentode-dev/pentode/run/flow"

const needsFeatures = "a feature algorithm"

func features() []*flow.Type {
	return []*flow.Type{
		{
			Name: "close_loops",
			Doc:  "Joins feature tracks that see the same place again after a loop.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "next_tracks", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Feature tracks up to the next frame."},
				{Name: "loop_back_tracks", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Feature tracks handed back from a later process."},
			},
			Out: []flow.Port{
				{Name: "feature_track_set", Type: "kwiver:feature_track_set", Doc: "Feature tracks."},
			},
			Keys: []flow.Key{
				{Name: "close_loops", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsFeatures,
		},
		{
			Name: "compute_homography",
			Doc:  "Estimates the homography from each frame to a reference frame out of feature tracks.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "feature_track_set", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Feature tracks."},
			},
			Out: []flow.Port{
				{Name: "homography_src_to_ref", Type: "kwiver:s2r_homography", Doc: "Homography from this frame to the reference frame."},
			},
			Keys: []flow.Key{
				{Name: "homography_generator", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsFeatures,
		},
		{
			Name: "detect_features",
			Doc:  "Finds feature points in an image.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
			},
			Out: []flow.Port{
				{Name: "feature_set", Type: "kwiver:feature_set", Doc: "Feature points."},
			},
			Keys: []flow.Key{
				{Name: "feature_detector", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsFeatures,
		},
		{
			Name: "detect_features_if_keyframe",
			Doc:  "Finds more feature points on frames that were chosen as key frames.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "next_tracks", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Feature tracks up to the next frame."},
				{Name: "loop_back_tracks", Type: "kwiver:feature_track_set", Flags: flow.NoDep, Doc: "Feature tracks handed back from a later process."},
			},
			Out: []flow.Port{
				{Name: "feature_track_set", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Feature tracks."},
			},
			Keys: []flow.Key{
				{Name: "augment_keyframes", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsFeatures,
		},
		{
			Name: "extract_descriptors",
			Doc:  "Computes a descriptor for every feature point of an image.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "feature_set", Type: "kwiver:feature_set", Flags: flow.Required, Doc: "Feature points."},
			},
			Out: []flow.Port{
				{Name: "descriptor_set", Type: "kwiver:descriptor_set", Doc: "Descriptors of features or detections."},
			},
			Keys: []flow.Key{
				{Name: "descriptor_extractor", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsFeatures,
		},
		{
			Name: "feature_matcher",
			Doc:  "Matches features of a frame with earlier ones and so makes tracks.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "feature_set", Type: "kwiver:feature_set", Flags: flow.Required, Doc: "Feature points."},
				{Name: "descriptor_set", Type: "kwiver:descriptor_set", Flags: flow.Required, Doc: "Descriptors of features or detections."},
			},
			Out: []flow.Port{
				{Name: "feature_track_set", Type: "kwiver:feature_track_set", Doc: "Feature tracks."},
			},
			Keys: []flow.Key{
				{Name: "feature_matcher", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
				{Name: "loop_closer", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsFeatures,
		},
		{
			Name: "feature_tracker",
			Doc:  "Follows feature points from frame to frame.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "feature_track_set", Type: "kwiver:feature_track_set", Flags: flow.NoDep, Doc: "Feature tracks."},
			},
			Out: []flow.Port{
				{Name: "feature_track_set", Type: "kwiver:feature_track_set", Doc: "Feature tracks."},
			},
			Keys: []flow.Key{
				{Name: "track_features", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsFeatures,
		},
		{
			Name: "keyframe_selection",
			Doc:  "Chooses the frames that later steps treat as key frames.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "next_tracks", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Feature tracks up to the next frame."},
				{Name: "loop_back_tracks", Type: "kwiver:feature_track_set", Flags: flow.NoDep, Doc: "Feature tracks handed back from a later process."},
			},
			Out: []flow.Port{
				{Name: "only_frame_data_tracks", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Tracks with the data of this frame only."},
				{Name: "to_loop_back_tracks", Type: "kwiver:feature_track_set", Flags: flow.Required, Doc: "Tracks for the process that closes the loop."},
			},
			Keys: []flow.Key{
				{Name: "keyframe_selection_1", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsFeatures,
		},
	}
}
