package pipe

// facts collects what is known about the data of every output before the run, producers first.
// It reports contradictions, such as a plane cut out of a one-dimensional array, or a
// two-dimensional array at a port that takes three dimensions.
func (c *checker) facts() {
	for _, i := range c.plan.Order {
		n := &c.plan.Nodes[i]
		if n.Type == nil {
			continue
		}
		fine, own := c.factsFit(n), n.Type.Runs()
		for k := range n.Out {
			out := &n.Out[k]
			if a, ok := asArray(out.Type); ok {
				out.Facts = &Facts{Kind: a.kind, Shape: unknownShape(a.axes)}
			}
			if !fine || own == nil || own.Tell == nil {
				continue
			}
			told, err := own.Tell(out.Name, Values{n.Config, own}, func(input string) Facts { return c.arriving(n, input) })
			if err != nil {
				c.reportTell(n, err)
				break // report one mistake only once
			}
			out.tell(told)
		}
	}
}

// tell adds the facts that a process knows about an output to those that follow from the type
// of the port.
func (p *PlanPort) tell(told Facts) {
	if told.Kind == 0 && told.Shape == nil && !told.Ranged {
		return
	}
	if p.Facts == nil {
		p.Facts = &Facts{}
	}
	f := p.Facts
	if told.Kind != 0 {
		f.Kind = told.Kind
	}
	if told.Shape != nil {
		f.Shape = told.Shape
	}
	if told.Ranged {
		f.Low, f.High, f.Ranged = told.Low, told.High, true
	}
}

// arriving returns what is known about the data that arrive at an input.
func (c *checker) arriving(n *PlanNode, input string) Facts {
	for i := range n.In {
		if p := &n.In[i]; p.Name == input && len(p.Edges) > 0 {
			return c.plan.Given(&c.plan.Edges[p.Edges[0]])
		}
	}
	return Facts{}
}

// factsFit reports inputs whose type does not fit the arriving data. It returns true if there
// are none.
func (c *checker) factsFit(n *PlanNode) bool {
	fine := true
	for i := range n.In {
		want, ok := asArray(n.In[i].Type)
		if !ok || len(n.In[i].Edges) == 0 {
			continue
		}
		e := &c.plan.Edges[n.In[i].Edges[0]]
		have := c.plan.Given(e)
		given := arrayType{kind: have.Kind, axes: -1}
		if have.Shape != nil {
			given.axes = len(have.Shape)
		}
		if _, ok := given.meet(want); !ok {
			l := e.link()
			c.atLink(&l, false, TypeMismatch, "`%s` gives `%s`, but `%s` takes `%s`", l.From, given, l.To, want)
			fine = false
		}
	}
	return fine
}

// reportTell reports an error that Type.Tell returned.
func (c *checker) reportTell(n *PlanNode, err error) {
	if at, ok := KeyOf(err); ok {
		c.atKey(&n.Node, at.Key, BadValue, "process `%s`: %v", n.Name, err).Severity = at.Severity
		return
	}
	c.atNode(&n.Node, BadValue, "process `%s`: %v", n.Name, err)
}

func unknownShape(axes int) []int {
	if axes < 0 {
		return nil
	}
	shape := make([]int, axes)
	for i := range shape {
		shape[i] = -1
	}
	return shape
}
