package cli

import "github.com/pentode-dev/pentode/run/data"

type jsonLayout struct {
	Version int          `json:"version"`
	Targets []jsonTarget `json:"targets"`
}

type jsonTarget struct {
	Target    string     `json:"target"`
	Bits      int64      `json:"bits"`
	ByteOrder string     `json:"byte_order"`
	Types     []jsonType `json:"types"`
}

type jsonType struct {
	Name    string       `json:"name"`
	Type    string       `json:"type"`
	Size    int64        `json:"size"`
	Align   int64        `json:"align"`
	Members []jsonMember `json:"members"`
	Holes   []jsonHole   `json:"holes"`
	Advice  *jsonAdvice  `json:"advice,omitempty"`
}

type jsonMember struct {
	Name    string       `json:"name"`
	Type    string       `json:"type"`
	Offset  int64        `json:"offset"`
	Size    int64        `json:"size"`
	Align   int64        `json:"align"`
	Members []jsonMember `json:"members,omitempty"`
	Holes   []jsonHole   `json:"holes,omitempty"`
}

type jsonHole struct {
	Offset int64 `json:"offset"`
	Size   int64 `json:"size"`
}

type jsonAdvice struct {
	Saves int64    `json:"saves"`
	Move  string   `json:"move,omitempty"`
	After string   `json:"after,omitempty"`
	Order []string `json:"order"`
}

func layoutJSON(all []targetTypes) jsonLayout {
	out := jsonLayout{Version: 1}
	for _, t := range all {
		target := jsonTarget{Target: t.machine.Name, Bits: 8 * t.machine.Pointer, ByteOrder: "little", Types: []jsonType{}}
		if t.machine.BigEndian {
			target.ByteOrder = "big"
		}
		for _, named := range t.types {
			j := jsonType{Name: named.name, Type: data.HeadWord(named.Type), Size: named.Size(), Align: named.Align(), Members: []jsonMember{}, Holes: []jsonHole{}}
			if rows := data.Layout(named.Type); len(rows) != 1 || rows[0].Name != "" || rows[0].Type == nil {
				members, holes, _ := jsonRows(rows, 0)
				j.Members, j.Holes = append(j.Members, members...), append(j.Holes, holes...)
			}
			if r, ok := named.Type.(*data.Record); ok {
				if a, ok := data.Advise(r); ok {
					j.Advice = &jsonAdvice{Saves: a.Saves, Move: a.Move, After: a.After, Order: a.Order}
				}
			}
			target.Types = append(target.Types, j)
		}
		out.Targets = append(out.Targets, target)
	}
	return out
}

// jsonRows makes the rows of one depth, each with those inside it, and returns how many it took.
func jsonRows(rows []data.Row, depth int) (members []jsonMember, holes []jsonHole, taken int) {
	for i := 0; i < len(rows); {
		r := rows[i]
		switch {
		case r.Depth < depth:
			return members, holes, i
		case r.Type == nil:
			holes = append(holes, jsonHole{r.Offset, r.Size})
			i++
		default:
			m := jsonMember{Name: r.Name, Type: r.Type.String(), Offset: r.Offset, Size: r.Size, Align: r.Type.Align()}
			var n int
			m.Members, m.Holes, n = jsonRows(rows[i+1:], depth+1)
			members = append(members, m)
			i += n + 1
		}
	}
	return members, holes, len(rows)
}
