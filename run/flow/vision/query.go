package vision

import "github.com/pentode-dev/pentode/run/flow"

const needsQuery = "a descriptor database"

func query() []*flow.Type {
	return []*flow.Type{
		{
			Name: "handle_descriptor_request",
			Doc:  "Answers a request for descriptors of a piece of video.",
			In: []flow.Port{
				{Name: "descriptor_request", Type: "kwiver:descriptor_request", Flags: flow.Required, Doc: "What is asked for."},
			},
			Out: []flow.Port{
				{Name: "track_descriptor_set", Type: "kwiver:track_descriptor_set", Doc: "Descriptors of tracks."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Shared, Doc: "The image."},
				{Name: "timestamp", Type: "kwiver:timestamp", Doc: "Time and number of the frame."},
				{Name: "filename", Type: "kwiver:file_name", Doc: "Name of the file."},
				{Name: "stream_id", Type: "kwiver:string", Doc: "Name of the stream."},
			},
			Keys: []flow.Key{
				{Name: "handler", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
			},
			Needs: needsQuery,
		},
		{
			Name: "perform_query",
			Doc:  "Searches a descriptor database and refines the result by feedback.",
			In: []flow.Port{
				{Name: "database_query", Type: "kwiver:database_query", Flags: flow.Required, Doc: "The query."},
				{Name: "iqr_feedback", Type: "kwiver:iqr_feedback", Doc: "What the user said about earlier results."},
				{Name: "result_descriptor_uids", Type: "kwiver:string_vector", Flags: flow.NoDep, Doc: "Names of descriptors an outside search found."},
				{Name: "result_descriptor_scores", Type: "kwiver:d_vector", Flags: flow.NoDep, Doc: "Scores of the descriptors an outside search found."},
			},
			Out: []flow.Port{
				{Name: "query_result", Type: "kwiver:query_result", Doc: "What was found."},
				{Name: "external_descriptor_set", Type: "kwiver:descriptor_set", Doc: "Descriptors for the outside search."},
				{Name: "external_exemplar_uids", Type: "kwiver:string_vector", Doc: "Names of the examples."},
				{Name: "external_positive_uids", Type: "kwiver:string_vector", Doc: "Names the user called right."},
				{Name: "external_negative_uids", Type: "kwiver:string_vector", Doc: "Names the user called wrong."},
			},
			Keys: []flow.Key{
				{Name: "descriptor_reader", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
				{Name: "track_reader", Kind: flow.Algo, Doc: "The algorithm, and under its name its own keys."},
				{Name: "external_handler", Kind: flow.Bool, Default: "true", Doc: "Whether another process searches."},
				{Name: "database_folder", Kind: flow.String, Doc: "Folder of the database."},
				{Name: "max_result_count", Kind: flow.Unsigned, Default: "100", Doc: "Largest number of results."},
				{Name: "descriptor_postfix", Kind: flow.String, Default: "_descriptors.csv", Doc: "How names of descriptor files end."},
				{Name: "track_postfix", Kind: flow.String, Default: "_tracks.kw18", Doc: "How names of track files end."},
				{Name: "index_postfix", Kind: flow.String, Default: ".index", Doc: "How names of index files end."},
			},
			Level: flow.CheckNone,
			Needs: needsQuery,
		},
		{
			Name: "read_d_vector",
			Doc:  "Takes vectors of numbers and prints them.",
			In: []flow.Port{
				{Name: "d_vector", Type: "kwiver:d_vector", Flags: flow.Required, Doc: "Numbers."},
			},
			Needs: needsQuery,
		},
	}
}
