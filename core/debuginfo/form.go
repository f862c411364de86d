package debuginfo

import "encoding/binary"

// The DWARF tags, attributes and forms that are read. Others are skipped.
const (
	tagClass        = 0x02
	tagEntryPoint   = 0x03
	tagCompileUnit  = 0x11
	tagStruct       = 0x13
	tagUnion        = 0x17
	tagInlined      = 0x1d
	tagModule       = 0x1e
	tagSubprogram   = 0x2e
	tagInterface    = 0x38
	tagNamespace    = 0x39
	tagPartialUnit  = 0x3c
	tagSkeletonUnit = 0x4a

	attrName           = 0x03
	attrStmtList       = 0x10
	attrLowPC          = 0x11
	attrHighPC         = 0x12
	attrCompDir        = 0x1b
	attrOrigin         = 0x31
	attrSpecification  = 0x47
	attrRanges         = 0x55
	attrCallFile       = 0x58
	attrCallLine       = 0x59
	attrMainProgram    = 0x6a
	attrLinkageName    = 0x6e
	attrStrOffsetsBase = 0x72
	attrAddrBase       = 0x73
	attrRnglistsBase   = 0x74
	attrDwoName        = 0x76
	attrMIPSLinkage    = 0x2007
	attrGNUDwoName     = 0x2130
	attrGNUDwoID       = 0x2131
	attrGNURangesBase  = 0x2132
	attrGNUAddrBase    = 0x2133
)

// spec describes an attribute in an abbreviation: its meaning and its form.
type spec struct {
	attr, form uint16
	implicit   int64
}

// abbrev describes the entries of one kind.
type abbrev struct {
	tag      uint16
	children bool
	fixed    int // bytes of an entry after its code; -1 if they vary
	specs    []spec
}

// abbrevs are the abbreviations of a unit, by code.
type abbrevs struct {
	low    []abbrev // the abbreviations with the codes 1, 2, 3, …, which compilers use
	others map[uint64]abbrev
}

func (a *abbrevs) of(code uint64) *abbrev {
	if code-1 < uint64(len(a.low)) {
		return &a.low[code-1]
	}
	if found, ok := a.others[code]; ok {
		return &found
	}
	return nil
}

// readAbbrevs reads a table of abbreviations for units of a format.
func readAbbrevs(c cursor, format *format) (*abbrevs, bool) {
	list := &abbrevs{}
	for !c.failed {
		code := c.uleb()
		if code == 0 {
			return list, !c.failed
		}
		a := abbrev{tag: uint16(c.uleb()), children: c.uint(1) != 0}
		for !c.failed {
			s := spec{attr: uint16(c.uleb()), form: uint16(c.uleb())}
			if s.form == formImplicit {
				s.implicit = c.sleb()
			}
			if s.attr == 0 && s.form == 0 {
				break
			}
			a.specs = append(a.specs, s)
			if size := format.size(s.form); size < 0 || a.fixed < 0 {
				a.fixed = -1
			} else {
				a.fixed += size
			}
		}
		if code == uint64(len(list.low))+1 {
			list.low = append(list.low, a)
			continue
		}
		if list.others == nil {
			list.others = map[uint64]abbrev{}
		}
		list.others[code] = a
	}
	return nil, false
}

// The DWARF forms: how a value is encoded.
const (
	formAddr     = 0x01
	formBlock2   = 0x03
	formBlock4   = 0x04
	formData2    = 0x05
	formData4    = 0x06
	formData8    = 0x07
	formString   = 0x08
	formBlock    = 0x09
	formBlock1   = 0x0a
	formData1    = 0x0b
	formFlag     = 0x0c
	formSdata    = 0x0d
	formStrp     = 0x0e
	formUdata    = 0x0f
	formRefAddr  = 0x10
	formRef1     = 0x11
	formRef2     = 0x12
	formRef4     = 0x13
	formRef8     = 0x14
	formRefUdata = 0x15
	formIndirect = 0x16
	formOffset   = 0x17
	formExprloc  = 0x18
	formPresent  = 0x19
	formStrx     = 0x1a
	formAddrx    = 0x1b
	formRefSup4  = 0x1c
	formStrpSup  = 0x1d
	formData16   = 0x1e
	formLineStrp = 0x1f
	formRefSig8  = 0x20
	formImplicit = 0x21
	formLoclistx = 0x22
	formRnglistx = 0x23
	formRefSup8  = 0x24
	formStrx1    = 0x25
	formStrx4    = 0x28
	formAddrx1   = 0x29
	formAddrx4   = 0x2c
	formGNUAddr  = 0x1f01
	formGNUStr   = 0x1f02
	formGNURef   = 0x1f20
	formGNUStrp  = 0x1f21
)

// format determines the sizes of values.
type format struct {
	version int
	address int // bytes of an address
	offset  int // bytes of an offset
}

// size returns the number of bytes of a value, or -1 if it varies.
func (f *format) size(form uint16) int {
	switch form {
	case formPresent, formImplicit:
		return 0
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return 1
	case formData2, formRef2, formStrx1 + 1, formAddrx1 + 1:
		return 2
	case formStrx1 + 2, formAddrx1 + 2:
		return 3
	case formData4, formRef4, formStrx4, formAddrx4, formRefSup4:
		return 4
	case formData8, formRef8, formRefSig8, formRefSup8:
		return 8
	case formData16:
		return 16
	case formAddr:
		return f.address
	case formRefAddr:
		if f.version < 3 {
			return f.address
		}
		return f.offset
	case formStrp, formOffset, formLineStrp, formStrpSup, formGNURef, formGNUStrp:
		return f.offset
	}
	return -1
}

// class is what a value refers to.
type class uint8

const (
	nothing class = iota
	constant
	address      // an address, or a number in the table of addresses
	addressIndex // an index into the table of addresses
	offset       // an offset in another section
	listIndex    // an index into a table of offsets
	reference    // an offset of an entry in this unit
	global       // an offset of an entry in the section
	ownText      // an offset in this section
	mainText     // an offset in the section of strings
	lineText     // an offset in the strings of line tables
	textIndex    // an index into the table of strings
)

// value is the value of an attribute.
type value struct {
	class  class
	number uint64
}

// value reads a value.
func (c *cursor) value(s spec, f *format) value {
	form := s.form
	for form == formIndirect {
		form = uint16(c.uleb())
	}
	if size := f.size(form); size > 8 {
		c.skip(uint64(size))
		return value{}
	} else if size > 0 {
		return value{classOf(form), c.uint(size)}
	}
	switch form {
	case formImplicit:
		return value{constant, uint64(s.implicit)}
	case formPresent:
		return value{constant, 1}
	case formString:
		at := c.at
		c.text()
		return value{ownText, uint64(at)}
	case formBlock1:
		c.skip(c.uint(1))
	case formBlock2:
		c.skip(c.uint(2))
	case formBlock4:
		c.skip(c.uint(4))
	case formBlock, formExprloc:
		c.skip(c.uleb())
	case formSdata:
		return value{constant, uint64(c.sleb())}
	case formUdata, formLoclistx, formRefUdata, formStrx, formGNUStr, formAddrx, formGNUAddr, formRnglistx:
		return value{classOf(form), c.uleb()}
	default:
		c.fail()
	}
	return value{}
}

func classOf(form uint16) class {
	switch form {
	case formData1, formData2, formData4, formData8, formUdata, formFlag:
		return constant
	case formAddr:
		return address
	case formAddrx, formGNUAddr, formAddrx1, formAddrx1 + 1, formAddrx1 + 2, formAddrx4:
		return addressIndex
	case formOffset:
		return offset
	case formRnglistx:
		return listIndex
	case formRef1, formRef2, formRef4, formRef8, formRefUdata:
		return reference
	case formRefAddr:
		return global
	case formStrp:
		return mainText
	case formLineStrp:
		return lineText
	case formStrx, formGNUStr, formStrx1, formStrx1 + 1, formStrx1 + 2, formStrx4:
		return textIndex
	}
	return nothing
}

// pass skips a value.
func (c *cursor) pass(s spec, f *format) {
	if size := f.size(s.form); size >= 0 {
		c.skip(uint64(size))
		return
	}
	c.value(s, f)
}

// passAll skips the values of an entry.
func (c *cursor) passAll(a *abbrev, f *format) {
	if a.fixed >= 0 {
		c.skip(uint64(a.fixed))
		return
	}
	for _, s := range a.specs {
		c.pass(s, f)
	}
}

// tables are the debug sections of one file.
type tables struct {
	order                                                          binary.ByteOrder
	info, abbrev, str, lineStr, strOffsets, addr, ranges, rnglists []byte
}

// cursor returns a cursor at an offset in a section.
func (t *tables) cursor(section []byte, at uint64) cursor {
	c := cursor{data: section, order: t.order}
	c.seek(at)
	return c
}
