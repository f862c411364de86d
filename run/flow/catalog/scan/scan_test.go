package scan_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/catalog/scan"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

// optics is the source code of a small installation, which declares ports, keys and type names in every supported way.
var optics = fstest.MapFS{
	"CMakeLists.txt": file(`project( Optics )
set( OPTICS_VERSION_MAJOR 2 )
set( OPTICS_VERSION_MINOR 1 )
`),
	"traits.h": file(`
#define create_port_trait(PN, TN, DESCR) nothing \
  create_port_trait( wrong, wrong, "of the preprocessor" )
create_type_trait( image, "optics:image", image_sptr );
create_type_trait( shared_only, "optics:other", int );
create_port_trait( image, image, "An image." );
create_port_trait( left_image, image, "The left " "image." );
`),
	"core/blur_process.h": file(`
namespace optics {
// create_port_trait( image, shared_only, "in a comment" )
class OPTICS_EXPORT blur_process final
  : public sprokit::process
{
public:
  PLUGIN_INFO( "blur",
               "Blurs \"images\"." )
  blur_process( config const& c );
private:
  class priv { int x; };
};
/* an algorithm has a name too */
class gauss : public vital::algo::filter { PLUGIN_INFO( "gauss", "No process." ) };
}
`),
	"core/blur_process.cxx": file(`
create_config_trait( radius, unsigned, "3", "How far, \
and further." );
create_config_trait( sharp, bool, "false", "Whether." );
create_named_config_trait( title, "view:title", std::string, "x", "A key with another name." );
create_algorithm_name_config_trait( kernel );
namespace optics {
void blur_process::priv::nothing() { if( x ) { y( "declare_input_port_using_trait( right_image, required )" ); } }
void
blur_process
::make_ports()
{
  sprokit::process::port_flags_t required;
  sprokit::process::port_flags_t const shared = { flag_output_shared };
  required.insert( flag_required );
  port_flags_t both = required;
  both.insert( flag_input_nodep );

  declare_input_port_using_trait( image, required );
  declare_input_port_using_trait( left_image, both, "Again." );
  declare_input_port_using_trait( from_elsewhere, optional );
  for( size_t i = 0; i < 2; ++i )
  {
    declare_input_port( priv::names[i], type_any, optional, port_description_t( "One of two." ) );
  }
  declare_input_port( "camera" + std::to_string( i ), image_port_trait::type_name, required, "Many." );
  declare_output_port( priv::port_out, type_flow_dependent + priv::tag, shared, "What came in." );
  declare_output_port( port_t( "status" ), "text", optional, "How it went." );
}
void blur_process::make_config()
{
  declare_config_using_trait( radius );
  declare_tunable_config_using_trait( sharp );
  declare_config_using_trait( title );
  declare_config_using_trait( kernel );
  declare_configuration_key( "mode", "fast", config_block_description_t( "How." ), true );
  declare_configuration_key( computed( x ), "", "Not known." );
  set_nested_algo_configuration( "writer", config, d->m_writer );
}
process::port_t const blur_process::priv::port_out = process::port_t( "result" );
process::port_t const blur_process::priv::names[2] = { process::port_t( "a" ), process::port_t( "b" ) };
static const std::string tag( "t" );
}
`),
	"core/merge_process.cxx": file(`
class merge_process : public blur_process
{
  void input_port_undefined( port_t const& name ) override
  {
    port_flags_t required;
    required.insert( flag_required );
    if( a ) { declare_input_port( name, image_port_trait::type_name, required, "" ); }
  }
  bool output_port_undefined( port_t const& name ) { return any( name ); }
};
`),
	"core/register.cxx": file(`
void register_factories( loader& vpm )
{
  auto fact = vpm.ADD_PROCESS( optics::merge_process );
  fact->add_attribute( plugin_factory::PLUGIN_NAME, "merge" )
    .add_attribute( plugin_factory::PLUGIN_DESCRIPTION, "Merges "
                    "images." );
  fact = vpm.ADD_ALGORITHM( "x", optics::gauss );
  fact->add_attribute( plugin_factory::PLUGIN_NAME, "no_process" );
}
`),
	"core/tests/test_process.cxx": file(`class p : public process { PLUGIN_INFO( "of_a_test", "" ) };`),
	"templates/t.cxx":             file(`class @name@ : public process { PLUGIN_INFO( "@name@", "" ) };`),
	"python/base.py": file(`
class KwiverProcess(process.PythonProcess):
    def __init__(self, conf):
        self.add_type_trait("detections", "optics:detections")
        self.add_port_trait("detections", "detections", "What was found.")
        self.declare_input_port("of_all", "x", none, "Not a port of the others.")
`),
	"python/find.py": file(`
# class Wrong(KwiverProcess):
def add_declare_input_port(process, name, type, flag, doc):
    process.add_port_trait(name, type, doc)
    process.declare_input_port_using_trait(name, flag)

class Find(KwiverProcess):
    """ self.declare_input_port_using_trait('in_a_text', required)
    """
    def __init__(self, conf):
        KwiverProcess.__init__(self, conf)
        optional = process.PortFlags()
        required = process.PortFlags()
        required.add(self.flag_required)
        self.add_config_trait("depth", "depth", ('4'),
'How deep.')
        self.declare_config_using_trait("depth")
        self.declare_configuration_key("speed", "1", "How fast.")
        add_declare_config(self, 'weights', 'w.bin', 'The weights.')
        self.declare_input_port_using_trait('image', required)
        self.add_port_trait('second', 'image', 'Another one.')
        self.declare_input_port_using_trait('second', optional)
        for i in range(n):
            add_declare_input_port(self, 'image' + str(i), 'image',
                required, 'Input %d' % i)
            self.declare_input_port(f"mask{i}", self.type_any, optional, "A mask.")
            self.declare_input_port('corner{}'.format(i), 'optics:edge', optional, "A corner.")
            self.declare_input_port('edge%d' % i, 'optics:edge', optional, "An edge.")
        self.declare_output_port_using_trait('detections', optional)

def __sprokit_register__():
    from sprokit.pipeline import process_factory
    process_factory.add_process('find',
        'Finds '
        'things.', Find)
    process_factory.add_process(name, doc, cls)
`),
	"data.txt": file("PLUGIN_INFO( \"no_source\", \"\" )"),
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// TestFolder checks the types found in C++ and Python sources: ports with types and flags, keys with kinds and defaults. A
// computed port name becomes a pattern; after a computed key, the list of keys is open.
func TestFolder(t *testing.T) {
	s := &scan.Scanner{}
	if err := s.Folder("src", optics); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"blur": `Blurs "images". (OPTICS 2.1 src/core/blur_process.cxx)
in image optics:image required An image.
in left_image optics:image required,nodep Again.
in from_elsewhere _any
in a _any One of two.
in b _any One of two.
in camera<n> optics:image Many.
out result _flow_dependent/t shared What came in.
out status text How it went.
key radius unsigned 3 How far, and further.
key sharp bool false Whether.
key view:title string x A key with another name.
key kernel any The algorithm; its keys are below its name.
key mode string fast How. tunable
key writer any`,
		"merge": `Merges images. (OPTICS 2.1 src/core/merge_process.cxx)
in image optics:image required An image.
in left_image optics:image required,nodep Again.
in from_elsewhere _any
in a _any One of two.
in b _any One of two.
in camera<n> optics:image Many.
in <any> optics:image
out result _flow_dependent/t shared What came in.
out status text How it went.
out <any> _any
key radius unsigned 3 How far, and further.
key sharp bool false Whether.
key view:title string x A key with another name.
key kernel any The algorithm; its keys are below its name.
key mode string fast How. tunable
key writer any`,
		"find": `Finds things. (OPTICS 2.1 src/python/find.py)
in image optics:image required An image.
in second optics:image Another one.
in image<n> optics:image Input %d
in mask<any> _any A mask.
in corner<any> optics:edge A corner.
in edge<n> optics:edge An edge.
out detections optics:detections What was found.
key depth string 4 How deep.
key speed string 1 How fast.
key weights string w.bin The weights.`,
	}
	for _, typ := range s.Types() {
		if have := describe(typ); have != want[typ.Name] {
			t.Errorf("%s:\n%s\nwant\n%s", typ.Name, have, want[typ.Name])
		}
		if !typ.OpenKeys {
			t.Errorf("the keys of %s are not open", typ.Name)
		}
		delete(want, typ.Name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}

// TestSameNames checks that a C++ class and a Python class of the same name in the same folder are kept apart.
func TestSameNames(t *testing.T) {
	s := &scan.Scanner{}
	err := s.Folder("hello", fstest.MapFS{
		"detector.h":   file("class EXPORT detector : public algorithm_impl< detector, vital::algo::image_object_detector > {};\n"),
		"register.cxx": file("void register_factories( plugin_loader& vpm ) { auto fact = vpm.ADD_ALGORITHM( \"hello\", viame::detector ); }\n"),
		"detector.py": file("class detector(KwiverProcess):\n    def __init__(self, conf):\n        self.declare_input_port_using_trait('image', self.flag_required)\n" +
			"def __sprokit_register__():\n    process_factory.add_process('detector', 'Finds.', detector)\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	types, algorithms := s.Types(), s.Algorithms()
	if len(types) != 1 || types[0].Name != "detector" || len(algorithms) != 1 || algorithms[0].Name != "hello" || algorithms[0].Role != "image_object_detector" {
		t.Errorf("types %v, algorithms %v, want the type detector, and the algorithm hello for image_object_detector", types, algorithms)
	}
}

// TestLaterSource checks that the type of the later source is used if two sources have the same name. If a source has no version,
// the name of its folder is used.
func TestLaterSource(t *testing.T) {
	s := &scan.Scanner{}
	for _, name := range []string{"old", "new"} {
		tree := fstest.MapFS{"p.cxx": file(`class p : public process { PLUGIN_INFO( "p", "` + name + `" ) };`)}
		if err := s.Folder(name, tree); err != nil {
			t.Fatal(err)
		}
	}
	types := s.Types()
	if len(types) != 1 || types[0].Doc != "new" || types[0].Version != "new" {
		t.Errorf("have %+v, want len(types) = 1, types[0].Doc = %q and types[0].Version = %q", types, "new", "new")
	}
	for text, want := range map[string]string{"project(Lens VERSION 3.4.1 LANGUAGES CXX)": "Lens 3.4.1", "project(Lens)": "folder"} {
		s := &scan.Scanner{}
		tree := fstest.MapFS{"CMakeLists.txt": file(text), "p.cxx": file(`class p : public process { PLUGIN_INFO( "p", "" ) };`)}
		if err := s.Folder("folder", tree); err != nil {
			t.Fatal(err)
		}
		if have := s.Types()[0].Version; have != want {
			t.Errorf("%s: version %s, want %s", text, have, want)
		}
	}
}

// TestCutSource checks that declarations before the point where a source is cut off are found.
func TestCutSource(t *testing.T) {
	const whole = `class p : public process {}; void f() { auto fact = vpm.ADD_PROCESS( p ); fact->add_attribute( PLUGIN_NAME, "cut"`
	for end := range len(whole) + 1 {
		s := &scan.Scanner{}
		if err := s.Folder("folder", fstest.MapFS{"p.cxx": file(whole[:end])}); err != nil {
			t.Fatal(err)
		}
		if types := s.Types(); end == len(whole) && (len(types) != 1 || types[0].Name != "cut") {
			t.Errorf("have %+v, want the type %q", types, "cut")
		}
	}
}

// TestTexts checks escape sequences in C++ strings, and that a description becomes one line.
func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		`"a\tb"`: "a b", `"a\nb"`: "a b", `"a\\b\"c"`: `a\b"c`, "\"a\\\nb\"": "ab", `"a" "b"`: "ab", `R"(a\tb)"`: `a\tb`, `R"x(a)"b)x"`: `a)"b`,
	} {
		s := &scan.Scanner{}
		tree := fstest.MapFS{"p.cxx": file(`class p : public process { PLUGIN_INFO( "p", ` + text + ` ) };`)}
		if err := s.Folder("folder", tree); err != nil {
			t.Fatal(err)
		}
		if have := s.Types(); len(have) != 1 || have[0].Doc != want {
			t.Errorf("%s: have %+v, want %q", text, have, want)
		}
	}
}

// printed is output of plugin_explorer. It is not valid JSON, because the default of `pattern` is not escaped.
const printed = `    [
        {
            "proc_type" : "blur"
            , "description" : "Blurs \"images\".\nAll of them."
            , "class_type" : "optics::blur<"x">"
            , "properties" : 
                [
                    "_no_reentrant"
                    , "_python"
                ]
            , "configuration" : 
                [
                    {
                        "key" : "pattern"
                        , "default" : "C:\images\"%04d".png
next line"
                        , "tunable" : "true"
                        , "description" : "Names of files."
                    }
                    , {
                        "key" : "writer"
                        , "tunable" : "false"
                        , "description" : "The algorithm that writes."
                    }
                ]
            , "input_ports" : 
                [
                    {
                        "name" : "image"
                        , "type" : "optics:image"
                        , "description" : "An image."
                        , "flags" : 
                            [
                                "_nodep"
                                , "_required"
                            ]
                    }
                ]
            , "output_ports" : 
                [
                    {
                        "name" : "image"
                        , "type" : "_flow_dependent/image"
                        , "description" : ""
                        , "flags" : 
                            [
                                "_shared"
                            ]
                    }
                ]
        }
        , {
            "proc_type" : "nothing"
            , "description" : "Does nothing."
        }
    ]
`

// TestExplorer checks that the output of plugin_explorer is read as printed, and also as valid JSON.
func TestExplorer(t *testing.T) {
	const blur = `Blurs "images". All of them. (types.json types.json)
in image optics:image required,nodep An image.
out image _flow_dependent/image shared
key pattern string %s Names of files. tunable
key writer any The algorithm that writes.`
	proper := strings.NewReplacer(`"C:\images\"%04d".png`+"\nnext line\"", `"%04d.png"`, `"optics::blur<"x">"`, `"x"`).Replace(printed)
	for _, c := range []struct{ text, pattern string }{{printed, `C:\images\"%04d".png` + "\nnext line"}, {proper, "%04d.png"}} {
		s := &scan.Scanner{}
		if err := s.Explorer("types.json", c.text); err != nil {
			t.Fatal(err)
		}
		types := s.Types()
		if len(types) != 2 || describe(types[0]) != fmt.Sprintf(blur, c.pattern) || !slices.Equal(types[0].Properties, []string{"_no_reentrant", "_python"}) || types[1].Name != "nothing" {
			t.Errorf("have %s %v, want len(types) = 2, describe(types[0]) = %v, types[0].Properties = %v and types[1].Name = %q", describe(types[0]), types, fmt.Sprintf(blur, c.pattern), []string{"_no_reentrant", "_python"}, "nothing")
		}
	}
	for _, text := range []string{"", "{}", "[]", "nothing of it", `[{"proc_type": "two words"}]`} {
		if err := (&scan.Scanner{}).Explorer("types.json", text); err == nil || !strings.Contains(err.Error(), "it has no process types") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func describe(t *pipe.Type) string {
	lines := []string{fmt.Sprintf("%s (%s %s)", t.Doc, t.Version, t.Origin)}
	add := func(words ...string) { // adds the words that are not empty
		lines = append(lines, strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "))
	}
	for _, p := range t.In {
		add("in", p.Name, p.Type, p.Flags.String(), p.Doc)
	}
	for _, p := range t.Out {
		add("out", p.Name, p.Type, p.Flags.String(), p.Doc)
	}
	for _, k := range t.Keys {
		tunable := ""
		if k.Tunable {
			tunable = "tunable"
		}
		add("key", k.Name, string(k.Kind), k.Default, k.Doc, tunable)
	}
	return strings.Join(lines, "\n")
}

// valid reports types that a catalogue cannot represent.
func valid(t *testing.T, s *scan.Scanner) {
	var text strings.Builder
	if err := (catalog.Declarations{Types: s.Types(), Algorithms: s.Algorithms(), Placeholders: s.Placeholders()}).Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := catalog.AddTypes(&pipe.Registry{}, strings.NewReader(text.String())); err != nil {
		t.Errorf("%v\n%s", err, text.String())
	}
}

func FuzzCxx(f *testing.F) {
	for name, source := range optics {
		if strings.HasSuffix(name, ".cxx") || strings.HasSuffix(name, ".h") {
			f.Add(string(source.Data))
		}
	}
	f.Add("PLUGIN_INFO(")
	f.Fuzz(func(t *testing.T, text string) {
		s := &scan.Scanner{}
		s.File("a.h", text)
		s.File("a.cxx", text+"\nclass p : public process { PLUGIN_INFO( \"p\", \"\" ) };")
		valid(t, s)
	})
}

func FuzzPython(f *testing.F) {
	for name, source := range optics {
		if strings.HasSuffix(name, ".py") {
			f.Add(string(source.Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := &scan.Scanner{}
		s.File("a.py", text)
		valid(t, s)
	})
}

func FuzzExplorer(f *testing.F) {
	f.Add(printed)
	f.Fuzz(func(t *testing.T, text string) {
		s := &scan.Scanner{}
		if s.Explorer("types.json", text) == nil {
			valid(t, s)
		}
	})
}

// TestDecorated checks that a decorator that registers a class names its type, and that the standard traits are known without
// KWIVER's sources.
func TestDecorated(t *testing.T) {
	s := &scan.Scanner{}
	s.File("fish.py", `
def register_process(name=None, doc=''):
    return lambda cls: cls

class Base(KwiverProcess):
    def __init__(self, conf):
        self.declare_input_port_using_trait('image', flags)
        add_declare_input_port(self, 'files', 'string_vector', flags, 'Names.')

@register_process(name='find_fish', doc='Finds fish.')
class Find(Base):
    def __init__(self, conf):
        self.declare_output_port_using_trait('detected_object_set', flags)

@tools.register
@other("x")
class Plain(Base): pass

@register_process(NAMES[0])
class Computed(Base): pass

@register_process('no_class')
def function(): pass

class Unmarked(Base): pass

@register_process('an_algorithm')
class Algorithm(Detector): pass
`)
	var have []string
	for _, typ := range s.Types() {
		have = append(have, typ.Name+": "+describe(typ))
	}
	want := `Plain:  (fish.py fish.py)
in image kwiver:image An image.
in files kwiver:string_vector Names.
find_fish: Finds fish. (fish.py fish.py)
in image kwiver:image An image.
in files kwiver:string_vector Names.
out detected_object_set kwiver:detected_object_set Objects that were found.`
	if got := strings.Join(have, "\n"); got != want {
		t.Errorf("have\n%s\nwant\n%s", got, want)
	}
}

// TestNoDeclarations checks that text which only looks like a declaration is ignored: comments, annotations without a value,
// preprocessor lines.
func TestNoDeclarations(t *testing.T) {
	s := &scan.Scanner{}
	s.File("still.py", `
class Still(pentode.Process):
    kept = port.input("integer")
    plain: port.input("integer")
    other = 1 # ; hidden = port.input("integer")
`)
	s.File("still.cxx", "class still : public sprokit::process { PLUGIN_INFO( \"still\", \"\" ) };\n"+
		"still::still() {\n  # define X declare_input_port( \"hidden\", \"integer\", optional, \"\" );\n  declare_input_port( \"kept\", \"integer\", optional, \"\" );\n}\n")
	for _, typ := range s.Types() {
		if len(typ.In) != 1 || typ.In[0].Name != "kept" {
			t.Errorf("%s: %s; want len(typ.In) = 1 and typ.In[0].Name = %q", typ.Name, describe(typ), "kept")
		}
	}
	if n := len(s.Types()); n != 2 {
		t.Errorf("%d types, want 2", n)
	}
}

// TestInherited checks that a C++ class has the ports of its base classes, even through classes without declarations, and even if
// headers and methods are in different folders.
func TestInherited(t *testing.T) {
	s := &scan.Scanner{}
	err := s.Folder("src", fstest.MapFS{
		"include/base.h":   file(`namespace a { class base : public sprokit::process { base(); }; }`),
		"include/middle.h": file(`class middle : public a::base {};`),
		"include/last.h":   file(`class last : public middle { void configure(); };`),
		"include/priv.h":   file(`struct other { int last; };`),
		"lib/base.cxx":     file(`a::base::base() { declare_input_port( "number", "integer", none, "A number." ); }`),
		"lib/last.cxx":     file(`void last::configure() { declare_output_port( "sum", "integer", none, "A sum." ); }`),
		"lib/register.cxx": file(`void f() { vpm.ADD_PROCESS( last )->add_attribute( PLUGIN_NAME, "last" ); vpm.ADD_PROCESS( middle )->add_attribute( PLUGIN_NAME, "middle" ); }`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, typ := range s.Types() {
		have = append(have, typ.Name+": "+describe(typ))
	}
	want := `last:  (src src/lib/last.cxx)
in number integer A number.
out sum integer A sum.
middle:  (src src/lib/register.cxx)
in number integer A number.`
	if got := strings.Join(have, "\n"); got != want {
		t.Errorf("have\n%s\nwant\n%s", got, want)
	}
}

// TestMethodsAlone checks that the keys of an algorithm are found in a source that has only the class's methods.
func TestMethodsAlone(t *testing.T) {
	s := &scan.Scanner{}
	err := s.Folder("src", fstest.MapFS{
		"stamp.h":      file(`class stamp : public vital::algorithm_impl< stamp, vital::algo::image_io > { static constexpr char const* name = "stamp"; };`),
		"stamp.cxx":    file(`vital::config_block_sptr stamp::get_configuration() const { vital::algo::image_io::get_nested_algo_configuration( "image_reader", config, reader ); return config; }`),
		"register.cxx": file(`void f() { register_algorithm< stamp >( vpm ); }`),
	})
	if err != nil {
		t.Fatal(err)
	}
	all := s.Algorithms()
	if len(all) != 1 || all[0].Open || len(all[0].Keys) != 1 || all[0].Keys[0].Name != "image_reader" || all[0].Keys[0].Role != "image_io" {
		t.Errorf("have %+v, want one algorithm that is not open, with the key image_reader for image_io", all)
	}
}

// TestUnread checks that an algorithm whose name the sources do not show is listed, with its role if that is known.
func TestUnread(t *testing.T) {
	s := &scan.Scanner{}
	err := s.Folder("src", fstest.MapFS{
		"named.h":   file(`class named : public vital::algorithm_impl< named, vital::algo::image_io > { static constexpr char const* name = "named"; };`),
		"info.h":    file(`class info : public vital::algo::image_io { public: PLUGIN_INFO( "info", "Says so." ) };`),
		"secret.h":  file(`class secret : public vital::algo::image_filter { public: PLUGIN_INFO( secret_name(), "Says nothing." ) };`),
		"adder.cxx": file(`void f() { vpm.ADD_ALGORITHM( "added", added ); } class added : public vital::algo::image_io {};`),
		"factory.h": file(`class registrar { template< typename algorithm_t > void add() { register_algorithm< algorithm_t >(); } };`),
		"register.cxx": file(`
template< typename T > void register_algorithm( loader& vpm );
void f() {
  register_algorithm< named >( vpm );
  reg.register_algorithm< info >();
  reg.register_algorithm< added >();
  reg.register_algorithm< ns::secret >();
  reg.register_algorithm< elsewhere >();
  reg.register_algorithm< other >( "kwiver:other" );
  register_algorithm< one, two >( m, "one" );
}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []pipe.Unread{{Class: "secret", Role: "image_filter", Origin: "src/register.cxx"}, {Class: "elsewhere", Origin: "src/register.cxx"}}
	if have := s.Unread(); !reflect.DeepEqual(have, want) {
		t.Errorf("have %+v, want %+v", have, want)
	}
}

// TestEither checks that two classes registered under the same name in a source are merged: an input is required only if both
// require it. A class of a later source replaces both.
func TestEither(t *testing.T) {
	folder := fstest.MapFS{
		"measure.cxx": file(`class measure : public sprokit::process { PLUGIN_INFO( "measure", "In C++." ) };
measure::measure() {
  port_flags_t required; required.insert( flag_required );
  declare_input_port( "left", "image", required, "" );
  declare_input_port( "time", "timestamp", required, "" );
  declare_output_port( "sum", "double", required, "" );
  declare_configuration_key( "depth", "3", "" );
}`),
		"measure.py": file(`
class Measure(KwiverProcess):
    def __init__(self, conf):
        required = process.PortFlags()
        required.add(self.flag_required)
        self.declare_input_port('left', 'image', required, '')
        self.declare_output_port('sum', 'integer', none, '')
        self.declare_output_port('rest', 'integer', required, '')
        self.declare_configuration_key('width', '4', '')
add_process('measure', 'In Python.', Measure)
`),
	}
	s := &scan.Scanner{}
	if err := s.Folder("src", folder); err != nil {
		t.Fatal(err)
	}
	want := `In C++. (src src/measure.cxx)
in left image required
in time timestamp
out sum _any
out rest integer
key depth string 3
key width string 4`
	if have := describe(s.Types()[0]); have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
	if err := s.Folder("later", fstest.MapFS{"measure.py": folder["measure.py"]}); err != nil {
		t.Fatal(err)
	}
	if all := s.Types(); len(all) != 1 || len(all[0].In) != 1 || len(all[0].Keys) != 1 {
		t.Errorf("have %s; want len(all) = 1, len(all[0].In) = 1 and len(all[0].Keys) = 1", describe(all[0]))
	}
}

// TestPlaceholders checks which strings in sources count as placeholders: those that consist only of a placeholder.
func TestPlaceholders(t *testing.T) {
	s := &scan.Scanner{}
	s.File("train.py", "line = line.replace( '[-MODEL-FILE-]', name )\nprint('see [-OTHER-] there')\n")
	s.File("train.cxx", `replace( "[-CLASSES_2-]", names ); a["[-"] = b["-]"];`)
	want := map[string]string{"MODEL-FILE": "train.py", "CLASSES_2": "train.cxx"}
	if have := s.Placeholders(); !maps.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

// TestStandardTraits: the scanner gives a class the same types and texts as the base class in the package `pentode` gives it at
// run time.
func TestStandardTraits(t *testing.T) {
	text, err := os.ReadFile("../../../../python/pentode/kwiver/sprokit/processes/kwiver_process.py")
	if err != nil {
		t.Fatal(err)
	}
	types, ports, ok := strings.Cut(string(text), "_PORTS = {")
	if !ok {
		t.Fatal("there is no table of ports")
	}
	canonical := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^    "(\w+)": "(.+)",$`).FindAllStringSubmatch(types, -1) {
		canonical[m[1]] = m[2]
	}
	declare, want := "class All(KwiverProcess):\n    def f(self):\n", []string{" (all.py all.py)"}
	for _, m := range regexp.MustCompile(`(?m)^    "(\w+)": \("(\w+)", "(.+)"\),$`).FindAllStringSubmatch(ports, -1) {
		declare += "        self.declare_input_port_using_trait('" + m[1] + "', none)\n"
		want = append(want, "in "+m[1]+" "+canonical[m[2]]+" "+m[3])
	}
	for _, name := range slices.Sorted(maps.Keys(canonical)) {
		declare += "        add_declare_output_port(self, 'of_" + name + "', '" + name + "', none, '')\n"
		want = append(want, "out of_"+name+" "+canonical[name])
	}
	s := &scan.Scanner{}
	s.File("all.py", declare+"add_process('all', '', All)\n")
	if have := describe(s.Types()[0]); have != strings.Join(want, "\n") || len(want) < 40 {
		t.Errorf("have\n%s\nwant\n%s", have, strings.Join(want, "\n"))
	}
}
