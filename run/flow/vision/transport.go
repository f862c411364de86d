package vision

import "github.com/pentode-dev/pentode/run/flow"

const needsTransport = "a KWIVER serializer or transport"

func transport() []*flow.Type {
	return []*flow.Type{
		{
			Name: "deserializer",
			Doc:  "Turns serialized messages back into data for the ports of its group.",
			In: []flow.Port{
				{Name: "<any>", Type: "kwiver:serialized_message", Flags: flow.Required, Doc: "One port for each connection."},
			},
			Out: []flow.Port{
				{Name: "<any>", Type: "_flow_dependent/", Flags: flow.Required, Doc: "One port for each connection."},
			},
			Keys: []flow.Key{
				{Name: "serialization_type", Kind: flow.String, Doc: "Which serializer is used."},
				{Name: "dump_message", Kind: flow.Bool, Default: "false", Doc: "Whether messages are also logged."},
			},
			Needs: needsTransport,
		},
		{
			Name: "serializer",
			Doc:  "Turns the data of a group of ports into one serialized message.",
			In: []flow.Port{
				{Name: "<any>", Type: "_flow_dependent/", Flags: flow.Required, Doc: "One port for each connection."},
			},
			Out: []flow.Port{
				{Name: "<any>", Type: "kwiver:serialized_message", Flags: flow.Shared | flow.Required, Doc: "One port for each connection."},
			},
			Keys: []flow.Key{
				{Name: "serialization_type", Kind: flow.String, Doc: "Which serializer is used."},
				{Name: "dump_message", Kind: flow.Bool, Default: "false", Doc: "Whether messages are also logged."},
			},
			Needs: needsTransport,
		},
		{
			Name: "file_transport_send",
			Doc:  "Appends serialized messages to a file.",
			In: []flow.Port{
				{Name: "serialized_message", Type: "kwiver:serialized_message", Flags: flow.Required, Doc: "One message."},
			},
			Keys: []flow.Key{
				{Name: "file_name", Kind: flow.String, Default: "serialized_data.dat", Doc: "The file."},
			},
			Needs: needsTransport,
		},
		{
			Name: "zmq_transport_receive",
			Doc:  "Receives serialized messages from ZeroMQ publishers.",
			Out: []flow.Port{
				{Name: "serialized_message", Type: "kwiver:serialized_message", Flags: flow.Required, Doc: "One message."},
			},
			Keys: []flow.Key{
				{Name: "port", Kind: flow.Int, Default: "5550", Doc: "Port number."},
				{Name: "num_publishers", Kind: flow.Int, Default: "1", Doc: "How many publishers to listen to."},
				{Name: "connect_host", Kind: flow.String, Default: "localhost", Doc: "Host of the publishers."},
			},
			Needs: needsTransport,
		},
		{
			Name: "zmq_transport_send",
			Doc:  "Publishes serialized messages over ZeroMQ.",
			In: []flow.Port{
				{Name: "serialized_message", Type: "kwiver:serialized_message", Flags: flow.Required, Doc: "One message."},
			},
			Keys: []flow.Key{
				{Name: "port", Kind: flow.Int, Default: "5550", Doc: "Port number."},
				{Name: "expected_subscribers", Kind: flow.Int, Default: "1", Doc: "How many subscribers to wait for."},
			},
			Needs: needsTransport,
		},
		{
			Name: "kw_archive_writer",
			Doc:  "Writes images with their metadata into a KW archive.",
			In: []flow.Port{
				{Name: "timestamp", Type: "kwiver:timestamp", Flags: flow.Required, Doc: "Time and number of the frame."},
				{Name: "image", Type: "kwiver:image", Flags: flow.Required, Doc: "The image."},
				{Name: "homography_src_to_ref", Type: "kwiver:s2r_homography", Doc: "Homography from this frame to the reference frame."},
				{Name: "corner_points", Type: "kwiver:corner_points", Doc: "Where the corners of the image lie on the ground."},
				{Name: "gsd", Type: "kwiver:gsd", Doc: "Ground size of a pixel."},
				{Name: "filename", Type: "kwiver:file_name", Doc: "Name of the file."},
				{Name: "stream_id", Type: "kwiver:string", Doc: "Name of the stream."},
			},
			Out: []flow.Port{
				{Name: "complete_flag", Type: "kwiver:bool", Doc: "True when the archive is finished."},
			},
			Keys: []flow.Key{
				{Name: "output_directory", Kind: flow.String, Default: ".", Doc: "Folder of the archive."},
				{Name: "base_filename", Kind: flow.String, Doc: "How the names of its files begin."},
				{Name: "separate_meta", Kind: flow.Bool, Default: "true", Doc: "Whether metadata get a file of their own."},
				{Name: "mission_id", Kind: flow.String, Doc: "Name of the mission."},
				{Name: "stream_id", Kind: flow.String, Doc: "Name of the stream."},
				{Name: "compress_image", Kind: flow.Bool, Default: "true", Doc: "Whether images are compressed."},
			},
			Needs: needsTransport,
		},
	}
}
