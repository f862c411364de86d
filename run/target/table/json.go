package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxFile limits the size of a table file; the built-in ones have 45 kB.
const maxFile = 16 << 20

// The file* types are the JSON form of a table, in which features and modes are referred to by
// name, not by number.
type file struct {
	Origin        string     `json:"origin"` // where the facts come from
	Architectures []fileArch `json:"architectures"`
	ABIs          []fileABI  `json:"abis"`
}

type fileArch struct {
	PU      string         `json:"pu"`
	Name    string         `json:"name"`
	Aliases map[string]int `json:"aliases"` // alias to the mode that it implies, 0 for none
	Extra   bool           `json:"extra"`
	ISAs    []fileISA      `json:"isas"`
}

type fileISA struct {
	Modes      []fileMode               `json:"modes"`
	Features   []fileFeature            `json:"features"`
	Base       []string                 `json:"base"`
	SIMD       []string                 `json:"simd"`
	NotSIMD    []string                 `json:"not_simd"`
	Crypto     []string                 `json:"crypto"`
	Conflicts  [][2]string              `json:"conflicts"`
	Processors map[string]fileProcessor `json:"processors"`
	Open       bool                     `json:"open"`
	SIMT       bool                     `json:"simt"`
}

type fileProcessor struct {
	Features []string   `json:"features"`
	Numbers  []string   `json:"numbers"`
	Level    bool       `json:"level"`
	Source   string     `json:"source"`
	GCC      fileOption `json:"gcc"`
	Clang    fileOption `json:"clang"`
	LLVM     fileOption `json:"llvm"`

	GCCTune   fileOption `json:"gcc_tune"`
	ClangTune fileOption `json:"clang_tune"`
}

type fileMode struct {
	Bits        int               `json:"bits"`
	Runs        []int             `json:"runs"`
	Endianness  []string          `json:"endianness"`
	Rare        []string          `json:"rare"`
	RareNote    string            `json:"rare_note"`
	Note        string            `json:"note"`
	Alignment   int               `json:"alignment"`
	Stack       int               `json:"stack"`
	Pointer     int               `json:"pointer"`
	Models      []string          `json:"models"`
	Base        []string          `json:"base"`
	CPU         string            `json:"cpu"`
	March       string            `json:"march"`
	Triples     map[string]string `json:"triples"`
	Layouts     map[string]string `json:"layouts"`
	Registers   []string          `json:"registers"`
	NoRegisters bool              `json:"no_registers"`
}

type fileFeature struct {
	Key          string     `json:"key"`
	Name         string     `json:"name"` // default: the key in upper case
	Aliases      []string   `json:"aliases"`
	Doubtful     []string   `json:"doubtful"`
	Implies      []string   `json:"implies"`
	Modes        []int      `json:"modes"`
	Group        bool       `json:"group"`
	Obsolete     bool       `json:"obsolete"`
	Experimental bool       `json:"experimental"`
	GCC          fileOption `json:"gcc"`
	Clang        fileOption `json:"clang"`
	NVCC         fileOption `json:"nvcc"`
	LLVM         string     `json:"llvm"` // default: the key
	Rust         string     `json:"rust"`
	Unstable     bool       `json:"rust_unstable"`
	Linux        string     `json:"linux"`
}

type fileOption struct {
	Flag  string   `json:"flag"`
	March string   `json:"march"`
	Since int      `json:"since"`
	Until int      `json:"until"`
	Macro string   `json:"macro"`
	Lacks []string `json:"lacks"`
	Adds  []string `json:"adds"`
}

type fileABI struct {
	Name            string   `json:"name"`
	Aliases         []string `json:"aliases"`
	PU              string   `json:"pu"` // default: CPU
	Arch            string   `json:"arch"`
	Modes           []int    `json:"modes"`
	Any             bool     `json:"any"`
	Parameters      []string `json:"parameters"`
	Returns         []string `json:"returns"`
	FloatParameters []string `json:"float_parameters"`
	FloatReturns    []string `json:"float_returns"`
	Saved           []string `json:"saved"`
	Stack           int      `json:"stack"`
	RedZone         int      `json:"red_zone"`
	Flags           []string `json:"flags"`
	Env             string   `json:"env"`
	Needs           []string `json:"needs"`
}

// decode reads one table file; its errors name the line.
func decode(r io.Reader) (*file, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the table: %w", err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("the table has more than %d MB", maxFile>>20)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var f file
	if err := d.Decode(&f); err != nil {
		return nil, explain(err, text, int(d.InputOffset()))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: text after the end of the table", lineAt(text, int(d.InputOffset())))
	}
	return &f, nil
}

// explain turns an error of encoding/json into a message that says what was expected and where.
func explain(err error, text []byte, offset int) error {
	var typ *json.UnmarshalTypeError
	var syn *json.SyntaxError
	switch {
	case errors.As(err, &typ):
		where := typ.Field
		if where == "" {
			where = "the table"
		}
		return fmt.Errorf("line %d: `%s` must be %s, found %s", lineAt(text, int(typ.Offset)), where, kindName(typ.Type.Kind().String()), typ.Value)
	case errors.As(err, &syn):
		at := max(0, min(int(syn.Offset)-1, len(text)))
		piece, _, _ := strings.Cut(string(text[at:min(at+20, len(text))]), "\n")
		if piece == "" { // an empty piece means a line break inside a string
			return fmt.Errorf("line %d: this is not JSON: the text at the end of the line is not closed", lineAt(text, at))
		}
		return fmt.Errorf("line %d: this is not JSON: `%s`", lineAt(text, at), strings.ToValidUTF8(piece, "?"))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the table ends too early", lineAt(text, len(text)))
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("line %d: a table has no key `%s`", lineAt(text, offset), strings.Trim(name, `"`))
	}
	return fmt.Errorf("line %d: %s", lineAt(text, offset), strings.TrimPrefix(err.Error(), "json: "))
}

func kindName(kind string) string {
	switch kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "slice", "array":
		return "a list"
	case "map", "struct":
		return "an object"
	}
	return "a whole number"
}

func lineAt(text []byte, offset int) int {
	return 1 + bytes.Count(text[:max(0, min(offset, len(text)))], []byte("\n"))
}
