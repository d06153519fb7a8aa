package savepoint

// reasons are the errors of the files in testdata/savepoints/invalid.
func reasons() map[string]string {
	const sub = "operator 1 of 1 (000102030405060708090a0b0c0d0e0f): subtask entry 1 of 1: "
	return map[string]string{
		"changelog-delta-kind":      "offset 90: " + sub + "managed keyed state: changes, 1 of 1: the changes hold a handle that is none of changes; the file is damaged",
		"changelog-nested":          "offset 254: " + sub + "managed keyed state: materialized parts, 1 of 1: materialized parts, 1 of 1: changelog handles are nested more than 8 deep; the file is damaged",
		"channels-huge":             "offset 67: " + sub + "2147483647 input channel states, but only 4 bytes follow; the file is damaged or incomplete",
		"coordinator-file":          "offset 48: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): the coordinator state is a RelativeFile handle, but it must lie in the file; the file is damaged",
		"finished-index":            "offset 53: " + sub + "the subtask's index is 3, not 0 to 1; the file is damaged",
		"finished-with-coordinator": "offset 57: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): the operator is fully finished (-1 subtasks) and has coordinator state, which cannot be; the file is damaged",
		"huge-masters":              "offset 16: 2147483647 master states, but only 0 bytes follow; the file is damaged or incomplete",
		"huge-operators":            "offset 20: 2147483647 operators, but only 0 bytes follow; the file is damaged or incomplete",
		"inline-length-huge":        "offset 52: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): coordinator state: the length of the inline state is 2147483647 bytes, but only 0 follow; the file is damaged or incomplete",
		"inline-length-negative":    "offset 52: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): coordinator state: the length of the inline state is -1, which is negative; the file is damaged",
		"key-groups-huge":           "offset 70: " + sub + "managed keyed state: 2147483647 key groups from 0 on reach past the last possible one, 32767; the file is damaged",
		"key-groups-negative":       "offset 70: " + sub + "managed keyed state: -1 key groups: the number is negative; the file is damaged",
		"key-groups-overflow":       "offset 66: " + sub + "managed keyed state: the first key group is 2147483647, not 0 to 32767; the file is damaged",
		"keyed-tag-negative":        "offset 65: " + sub + "managed keyed state: unknown tag 255 of the keyed state handles; the file is damaged or newer than what is known (Flink 2.3)",
		"little-endian":             "offset 0: the magic number is in the wrong byte order; the file was converted on its way",
		"master-magic":              "offset 20: master state 1 of 1: the magic number of the master state is 00000000, not c96b1696; the file is damaged",
		"master-trailing":           "offset 34: master state 1 of 1: the master state's payload ends after 10 bytes of the 12 that were stated; the file is damaged",
		"max-parallelism-0":         "offset 44: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): the maxParallelism is 0, not 1 to 32768; the file is damaged",
		"negative-checkpoint-id":    "offset 8: the checkpoint id is -1, which is negative; the file is damaged",
		"negative-masters":          "offset 16: -1 master states: the number is negative; the file is damaged or no Flink metadata",
		"no-properties":             "offset 10972: properties: the file ends inside the object stream's header, 4 bytes short: the file is incomplete; copy it again",
		"operator-mode":             "offset 69: " + sub + "managed operator state: the mode of an operator state is 3, not 0, 1 or 2; the file is damaged",
		"operator-state-null":       "offset 65: " + sub + "raw operator state: operator state is announced and then missing; the file is damaged",
		"operator-states-huge":      "offset 62: " + sub + "managed operator state: 2147483647 operator states, but only 0 bytes follow; the file is damaged or incomplete",
		"parallelism-above-max":     "offset 40: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): the parallelism is 5, not 1 to the maxParallelism, 4; the file is damaged",
		"properties-bad-handle":     "offset 10977: properties: a reference to object 5 of 0; the file is damaged",
		"properties-cut":            "offset 11713: properties: the file ends inside a string, 3 bytes short: the file is incomplete; copy it again",
		"properties-magic":          "offset 10972: properties: the header is acee0005, not aced0005: no Java object stream; the file is damaged",
		"stream-tag":                "offset 48: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): coordinator state: unknown tag 99 of the stream handles; the file is damaged or newer than what is known (Flink 2.3)",
		"subtask-index":             "offset 53: " + sub + "the subtask's index is 2, not 0 to 1; the file is damaged",
		"utf-bad":                   "offset 51: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): coordinator state: the inline state's name is not modified UTF-8 at its byte 0; the file is damaged",
		"utf-too-long":              "offset 51: operator 1 of 1 (000102030405060708090a0b0c0d0e0f): coordinator state: the file ends inside the inline state's name, 65532 bytes short: the file is incomplete; copy it again",
		"version-1":                 "offset 4: format 1 is that of Flink 1.2 and older, which no later Flink reads; formats 2 to 7 are supported",
		"version-8":                 "offset 4: format 8 is not known; formats 2 (Flink 1.3) to 7 are supported",
		"wrong-magic":               "offset 0: the magic number is 504b0304, not 4960672d: this is no Flink metadata file; give the _metadata of a savepoint or checkpoint",
	}
}
