package agent

import (
	"fmt"
	"strings"
)

// call is an MPI function: what it takes, and which of that is recorded.
//
// A recorded field is the name of a parameter, `bytes(count, datatype)`, or
// `total(counts)`, the sum over all ranks of the communicator.
type call struct {
	name       string
	params     []param
	begin, end []string
	returns    string // the C type; empty is int, MPI's error code
	after      string // what the agent does once the call has returned
}

type param struct{ kind, name string }

// kinds are how parameters are declared in C.
var kinds = map[string]string{
	"from": "const void *%s", "into": "void *%s", "int": "int %s", "ints": "const int %s[]", "out": "int *%s",
	"type": "MPI_Datatype %s", "types": "const MPI_Datatype %s[]", "newtype": "MPI_Datatype *%s", "comm": "MPI_Comm %s", "newcomm": "MPI_Comm *%s",
	"op": "MPI_Op %s", "status": "MPI_Status *%s", "statuses": "MPI_Status %s[]", "request": "MPI_Request *%s", "requests": "MPI_Request %s[]",
	"argc": "int *%s", "argv": "char ***%s", "group": "MPI_Group %s", "info": "MPI_Info %s", "aint": "MPI_Aint %s",
	"win": "MPI_Win %s", "newwin": "MPI_Win *%s", "file": "MPI_File %s", "newfile": "MPI_File *%s", "text": "const char *%s",
}

// calls are the functions of the catalogue's MPI domain.
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
		c("MPI_Recv", "into buf, int count, type datatype, int source, int tag, comm comm, status status", "buf count source tag bytes(count,datatype) comm"),
		c("MPI_Sendrecv", "from sendbuf, int sendcount, type sendtype, int dest, int sendtag, into recvbuf, int recvcount, type recvtype, int source, int recvtag, comm comm, status status",
			"sendbuf sendcount dest sendtag recvbuf recvcount source recvtag bytes(sendcount,sendtype) comm"),
		c("MPI_Isend", "from buf, int count, type datatype, int dest, int tag, comm comm, request request", "buf count dest tag bytes(count,datatype) comm"),
		c("MPI_Irecv", "into buf, int count, type datatype, int source, int tag, comm comm, request request", "buf count source tag bytes(count,datatype) comm"),
		c("MPI_Wait", "request request, status status", ""),
		c("MPI_Waitall", "int count, requests requests, statuses statuses", "count"),
		makeCall("MPI_Test", "request request, out flag, status status", "", "flag return_value"),
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

// fields are the recorded fields with their types, named as PInsight names them.
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
		f := Field{name, U32}
		switch c.kind(name) {
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

// value is the C expression of a recorded field, in the function for C or in
// one for Fortran, where every parameter is an address.
func (c *call) value(name string, fortran bool) string {
	at := func(name string) string {
		if fortran {
			return "*(MPI_Fint *)" + name
		}
		return name
	}
	if inner, ok := strings.CutPrefix(name, "bytes("); ok {
		count, datatype, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		if fortran {
			return fmt.Sprintf("bytes_of(%s, PMPI_Type_f2c(%s))", at(count), at(datatype))
		}
		return fmt.Sprintf("bytes_of(%s, %s)", count, datatype)
	}
	if inner, ok := strings.CutPrefix(name, "total("); ok {
		comm := "comm"
		if fortran {
			comm = "PMPI_Comm_f2c(*(MPI_Fint *)comm)"
		}
		return fmt.Sprintf("total(%s, %s)", strings.TrimSuffix(inner, ")"), comm)
	}
	switch c.kind(name) {
	case "":
		return "(uint64_t)(int64_t)" + name
	case "from", "into":
		return "(uint64_t)" + name
	case "out":
		return "(uint64_t)(" + name + " ? *(int *)" + name + " : 0)"
	case "op":
		if fortran {
			return at(name)
		}
		return "(uint64_t)" + name
	case "comm":
		if fortran {
			return at(name)
		}
		return "PMPI_Comm_c2f(comm)"
	}
	return at(name)
}

func (c *call) record(end bool, fortran bool) string {
	kind, recorded := "begin", c.begin
	if end {
		kind, recorded = "end", c.end
	}
	values := ""
	for _, name := range recorded {
		values += ", " + c.value(name, fortran)
	}
	return fmt.Sprintf("NOTE(&c, R_%s_%s%s);", c.name, kind, values)
}

// callsHeader is every call as C.
func callsHeader(events map[string]int) string {
	var b strings.Builder
	b.WriteString("static uint64_t total(const int *counts, MPI_Comm comm)\n{\n\tint size = 0, sum = 0;\n\tPMPI_Comm_size(comm, &size);\n\tfor (int i = 0; i < size; i++)\n\t\tsum += counts[i];\n\treturn sum;\n}\n")
	b.WriteString("\nstatic const char *const call_names[256] = {\n")
	for i := range calls {
		fmt.Fprintf(&b, "\t[%d] = \"%s\",\n", events[calls[i].name], calls[i].name)
	}
	b.WriteString("};\n")
	for i := range calls {
		calls[i].writeC(&b, events[calls[i].name])
		calls[i].writeFortran(&b, events[calls[i].name])
	}
	return b.String()
}

func (c *call) writeC(b *strings.Builder, event int) {
	var declared, names []string
	for _, p := range c.params {
		declared, names = append(declared, fmt.Sprintf(kinds[p.kind], p.name)), append(names, p.name)
	}
	if declared == nil {
		declared = []string{"void"}
	}
	returns := c.returns
	if returns == "" {
		returns = "int"
	}
	fmt.Fprintf(b, "\nEXPORT %s %s(%s)\n{\n", returns, c.name, strings.Join(declared, ", "))
	fmt.Fprintf(b, "\tstruct call c;\n\tif (call_begin(&c, %d, __builtin_return_address(0)))\n\t\t%s\n", event, c.record(false, false))
	fmt.Fprintf(b, "\t%s return_value = P%s(%s);\n", returns, c.name, strings.Join(names, ", "))
	b.WriteString(c.afterwards())
	fmt.Fprintf(b, "\tif (c.traced)\n\t\t%s\n\tcall_end(&c);\n\treturn return_value;\n}\n", c.record(true, false))
}

// afterwards takes the part in which clocks are marked before the call's end is recorded.
func (c *call) afterwards() string {
	if c.after == "" {
		return ""
	}
	return "\t" + c.after + "\n"
}

// writeFortran writes the function once for each name that compilers and
// bindings give it. The real one has the same name, in the next library.
func (c *call) writeFortran(b *strings.Builder, event int) {
	lower := strings.ToLower(c.name)
	spellings := []string{lower, lower + "_", lower + "__", strings.ToUpper(c.name), lower + "_f08_", "o" + lower + "_f"}
	params := c.params
	if c.returns == "" {
		if strings.HasPrefix(c.name, "MPI_Init") {
			params = params[2:] // Fortran has no argc and argv
		}
		params = append(params[:len(params):len(params)], param{"out", "ierror"})
	}
	if c.kind("filename") != "" {
		params = append(params, param{"length", "length"})
	}
	var declared, names, types []string
	for _, p := range params {
		kind := "void *"
		if p.kind == "length" {
			kind = "long "
		}
		declared, names, types = append(declared, kind+p.name), append(names, p.name), append(types, strings.TrimSpace(kind))
	}
	if declared == nil {
		declared, types = []string{"void"}, []string{"void"}
	}
	returns := c.returns
	if returns == "" {
		returns = "void"
	}
	for _, name := range spellings {
		fmt.Fprintf(b, "\nEXPORT %s %s(%s)\n{\n", returns, name, strings.Join(declared, ", "))
		fmt.Fprintf(b, "\tstatic %s (*next)(%s);\n", returns, strings.Join(types, ", "))
		fmt.Fprintf(b, "\tif (!next)\n\t\t*(void **)&next = dlsym(RTLD_NEXT, \"%s\");\n", name)
		fmt.Fprintf(b, "\tstruct call c;\n\tif (call_begin(&c, %d, __builtin_return_address(0)))\n\t\t%s\n", event, c.record(false, true))
		if returns == "double" {
			fmt.Fprintf(b, "\tdouble return_value = next();\n\tif (c.traced)\n\t\t%s\n\tcall_end(&c);\n\treturn return_value;\n}\n", c.record(true, true))
			continue
		}
		fmt.Fprintf(b, "\tnext(%s);\n%s", strings.Join(names, ", "), c.afterwards())
		fmt.Fprintf(b, "\tif (c.traced) {\n\t\tint return_value = ierror ? *(int *)ierror : 0;\n\t\t%s\n\t}\n\tcall_end(&c);\n}\n", c.record(true, true))
	}
}
