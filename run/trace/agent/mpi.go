package agent

import "strings"

// call is an MPI function with its parameters and the fields that are recorded.
//
// A recorded field is the name of a parameter, `bytes(count, datatype)`, or
// `total(counts)`, the sum over all ranks of the communicator. The parameter
// `status` is recorded as the source, the tag and the size of the message.
type call struct {
	name       string
	event      string // its event in the catalogue
	params     []param
	begin, end []string
	returns    string // the C type; empty means int, MPI's error code
	after      string // what the agent does after the call has returned
}

type param struct{ kind, name string }

// kinds maps kinds of parameters to their declarations in C.
var kinds = map[string]string{
	"from": "const void *%s", "into": "void *%s", "int": "int %s", "ints": "const int %s[]", "out": "int *%s", "outs": "int %s[]",
	"type": "MPI_Datatype %s", "types": "const MPI_Datatype %s[]", "newtype": "MPI_Datatype *%s", "comm": "MPI_Comm %s", "newcomm": "MPI_Comm *%s",
	"op": "MPI_Op %s", "status": "MPI_Status *%s", "statuses": "MPI_Status %s[]", "request": "MPI_Request *%s", "requests": "MPI_Request %s[]",
	"argc": "int *%s", "argv": "char ***%s", "group": "MPI_Group %s", "info": "MPI_Info %s", "aint": "MPI_Aint %s",
	"message": "MPI_Message *%s", "win": "MPI_Win %s", "newwin": "MPI_Win *%s", "file": "MPI_File %s", "newfile": "MPI_File *%s", "text": "const char *%s",
}

// otherEvent is the event of all functions without a separate one.
const otherEvent = "MPI_other"

// calls are the functions of the catalogue's MPI domain, and the functions that complete requests or receive messages.
var calls = func() []call {
	const (
		buffers = "from sendbuf, int sendcount, type sendtype, into recvbuf, int recvcount, type recvtype"
		reduced = "from sendbuf, into recvbuf, int count, type datatype, op op"
		remote  = "int target_rank, aint target_disp, int target_count, type target_datatype"
	)
	c := func(name, params, begin string) call { return makeCall(name, params, begin, "return_value") }
	list := []call{
		c("MPI_Init", "argc argc, argv argv", ""),
		makeCall("MPI_Init_thread", "argc argc, argv argv, int required, out provided", "required", "provided return_value"),
		c("MPI_Finalize", "", ""),
		c("MPI_Send", "from buf, int count, type datatype, int dest, int tag, comm comm", "buf count dest tag bytes(count,datatype) comm"),
		makeCall("MPI_Recv", "into buf, int count, type datatype, int source, int tag, comm comm, status status", "buf count source tag bytes(count,datatype) comm", "return_value status"),
		makeCall("MPI_Sendrecv", "from sendbuf, int sendcount, type sendtype, int dest, int sendtag, into recvbuf, int recvcount, type recvtype, int source, int recvtag, comm comm, status status",
			"sendbuf sendcount dest sendtag recvbuf recvcount source recvtag bytes(sendcount,sendtype) comm", "return_value status"),
		makeCall("MPI_Isend", "from buf, int count, type datatype, int dest, int tag, comm comm, request request", "buf count dest tag bytes(count,datatype) comm", "return_value request"),
		makeCall("MPI_Irecv", "into buf, int count, type datatype, int source, int tag, comm comm, request request", "buf count source tag bytes(count,datatype) comm", "return_value request"),
		makeCall("MPI_Wait", "request request, status status", "request", "return_value status"),
		c("MPI_Waitall", "int count, requests requests, statuses statuses", "count"),
		makeCall("MPI_Test", "request request, out flag, status status", "request", "flag return_value status"),
		c("MPI_Bcast", "into buffer, int count, type datatype, int root, comm comm", "buffer count root bytes(count,datatype) comm"),
		c("MPI_Barrier", "comm comm", "comm"),
		c("MPI_Reduce", reduced+", int root, comm comm", "sendbuf recvbuf count root op bytes(count,datatype) comm"),
		c("MPI_Allreduce", reduced+", comm comm", "sendbuf recvbuf count op bytes(count,datatype) comm"),
		c("MPI_Scatter", buffers+", int root, comm comm", "sendbuf sendcount recvbuf recvcount root bytes(recvcount,recvtype) comm"),
		c("MPI_Gather", buffers+", int root, comm comm", "sendbuf sendcount recvbuf recvcount root bytes(sendcount,sendtype) comm"),
		c("MPI_Allgather", buffers+", comm comm", "sendbuf sendcount recvbuf recvcount bytes(sendcount,sendtype) comm"),
		c("MPI_Alltoall", buffers+", comm comm", "sendbuf sendcount recvbuf recvcount bytes(sendcount,sendtype) comm"),
		c("MPI_Gatherv", "from sendbuf, int sendcount, type sendtype, into recvbuf, ints recvcounts, ints displs, type recvtype, int root, comm comm", "sendbuf sendcount recvbuf root bytes(sendcount,sendtype) comm"),
		c("MPI_Scatterv", "from sendbuf, ints sendcounts, ints displs, type sendtype, into recvbuf, int recvcount, type recvtype, int root, comm comm", "sendbuf recvbuf recvcount root bytes(recvcount,recvtype) comm"),
		c("MPI_Allgatherv", "from sendbuf, int sendcount, type sendtype, into recvbuf, ints recvcounts, ints displs, type recvtype, comm comm", "sendbuf sendcount recvbuf total(recvcounts) bytes(sendcount,sendtype) comm"),
		c("MPI_Alltoallv", "from sendbuf, ints sendcounts, ints sdispls, type sendtype, into recvbuf, ints recvcounts, ints rdispls, type recvtype, comm comm", "sendbuf total(sendcounts) recvbuf total(recvcounts) comm"),
		c("MPI_Alltoallw", "from sendbuf, ints sendcounts, ints sdispls, types sendtypes, into recvbuf, ints recvcounts, ints rdispls, types recvtypes, comm comm", "sendbuf total(sendcounts) recvbuf total(recvcounts) comm"),
		c("MPI_Reduce_scatter", "from sendbuf, into recvbuf, ints counts, type datatype, op op, comm comm", "sendbuf recvbuf total(counts) op comm"),
		c("MPI_Reduce_scatter_block", "from sendbuf, into recvbuf, int recvcount, type datatype, op op, comm comm", "sendbuf recvbuf recvcount op bytes(recvcount,datatype) comm"),
		c("MPI_Scan", reduced+", comm comm", "sendbuf recvbuf count op bytes(count,datatype) comm"),
		c("MPI_Exscan", reduced+", comm comm", "sendbuf recvbuf count op bytes(count,datatype) comm"),
		makeCall("MPI_Comm_rank", "comm comm, out rank", "comm", "rank return_value"),
		makeCall("MPI_Comm_size", "comm comm, out size", "comm", "size return_value"),
		c("MPI_Comm_split", "comm comm, int color, int key, newcomm newcomm", "color key comm"),
		c("MPI_Comm_create", "comm comm, group group, newcomm newcomm", "comm"),
		c("MPI_Comm_dup", "comm comm, newcomm newcomm", "comm"),
		c("MPI_Type_commit", "newtype datatype", ""),
		c("MPI_Type_free", "newtype datatype", ""),
		c("MPI_Wtime", "", ""),
		c("MPI_Wtick", "", ""),
		c("MPI_Win_create", "into base, aint size, int disp_unit, info info, comm comm, newwin win", "base disp_unit comm"),
		c("MPI_Win_lock", "int lock_type, int rank, int assert, win win", "lock_type rank"),
		c("MPI_Win_unlock", "int rank, win win", "rank"),
		c("MPI_Put", "from origin_addr, int origin_count, type origin_datatype, "+remote+", win win", "origin_addr origin_count target_rank bytes(origin_count,origin_datatype)"),
		c("MPI_Get", "into origin_addr, int origin_count, type origin_datatype, "+remote+", win win", "origin_addr origin_count target_rank bytes(origin_count,origin_datatype)"),
		c("MPI_Accumulate", "from origin_addr, int origin_count, type origin_datatype, "+remote+", op op, win win", "origin_addr origin_count target_rank op bytes(origin_count,origin_datatype)"),
		c("MPI_File_open", "comm comm, text filename, int amode, info info, newfile fh", "amode comm"),
		c("MPI_File_close", "newfile fh", ""),
		c("MPI_File_read", "file fh, into buf, int count, type datatype, status status", "buf count bytes(count,datatype)"),
		c("MPI_File_write", "file fh, from buf, int count, type datatype, status status", "buf count bytes(count,datatype)"),
	}
	for i := range list {
		list[i].event = list[i].name
	}
	kin := []call{
		c("MPI_Waitany", "int count, requests requests, out index, status status", "count"),
		makeCall("MPI_Waitsome", "int count, requests requests, out outcount, outs indices, statuses statuses", "count", "outcount return_value"),
		makeCall("MPI_Testall", "int count, requests requests, out flag, statuses statuses", "count", "flag return_value"),
		makeCall("MPI_Testany", "int count, requests requests, out index, out flag, status status", "count", "flag return_value"),
		makeCall("MPI_Testsome", "int count, requests requests, out outcount, outs indices, statuses statuses", "count", "outcount return_value"),
		makeCall("MPI_Probe", "int source, int tag, comm comm, status status", "source tag comm", "return_value status"),
		makeCall("MPI_Iprobe", "int source, int tag, comm comm, out flag, status status", "source tag comm", "flag return_value status"),
		makeCall("MPI_Mprobe", "int source, int tag, comm comm, message message, status status", "source tag comm", "return_value status"),
		makeCall("MPI_Improbe", "int source, int tag, comm comm, out flag, message message, status status", "source tag comm", "flag return_value status"),
		makeCall("MPI_Mrecv", "into buf, int count, type datatype, message message, status status", "buf count bytes(count,datatype)", "return_value status"),
		makeCall("MPI_Sendrecv_replace", "into buf, int count, type datatype, int dest, int sendtag, int source, int recvtag, comm comm, status status",
			"buf count dest sendtag source recvtag bytes(count,datatype) comm", "return_value status"),
	}
	for i := range kin {
		kin[i].event = otherEvent
	}
	list = append(list, kin...)
	for i := range list {
		switch c := &list[i]; c.name {
		case "MPI_Init", "MPI_Init_thread":
			c.after = "initialized();"
		case "MPI_Finalize":
			c.after = "finalized();"
		case "MPI_Wtime", "MPI_Wtick":
			c.returns, c.end = "double", nil
		}
	}
	return list
}()

func makeCall(name, params, begin, end string) call {
	c := call{name: name, begin: strings.Fields(begin), end: strings.Fields(end)}
	for text := range strings.SplitSeq(params, ", ") {
		if kind, name, ok := strings.Cut(text, " "); ok {
			c.params = append(c.params, param{kind, name})
		}
	}
	return c
}

func (c *call) kind(name string) string {
	for _, p := range c.params {
		if p.name == name {
			return p.kind
		}
	}
	return ""
}

// fields returns the recorded fields with their types, under PInsight's names.
func (c *call) fields(recorded []string) []Field {
	var list []Field
	for _, name := range recorded {
		if strings.HasPrefix(name, "bytes(") {
			list = append(list, Field{"bytes", U64})
			continue
		}
		if counts, ok := strings.CutPrefix(name, "total("); ok {
			list = append(list, Field{"total_" + strings.TrimSuffix(counts, "s)"), U32})
			continue
		}
		if c.kind(name) == "status" {
			list = append(list, Field{"source", I32}, Field{"tag", I32}, Field{"bytes", U64})
			continue
		}
		f := Field{name, U32}
		switch c.kind(name) {
		case "request":
			f.Type = Hex
		case "from", "into":
			f.Type = Hex
		case "op":
			f = Field{"mpi_op", Hex}
		case "comm", "out", "":
			f.Type = I32
		}
		list = append(list, f)
	}
	return list
}
