package agent

// pythonRecords are the records for Python, under PInsight's names. They contain no
// arguments or values of the program.
func pythonRecords() []Record {
	const thread = "u32 python_thread_id"
	return []Record{
		{Python, "function_begin", "pysysmon_py_start", fields(thread)},
		{Python, "function_end", "pysysmon_py_return", fields(thread + ", u16 raised")},
		{Python, "c_call_begin", "pysysmon_c_start", fields("text callee_name, " + thread)},
		{Python, "c_call_end", "pysysmon_c_return", fields("text callee_name, " + thread + ", u16 raised")},
		{Python, "import", "pysysmon_import", fields(thread)},
	}
}
