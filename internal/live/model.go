package live

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

type (
	tick     struct{}
	finished struct{}
	failure  struct{ err error }
	opened   struct{ lines []string } // the lines of a page that was opened
)

// The screens of a view.
const (
	showList = iota
	showDetail
	showLog
	showPage
	showHelp
)

// question is an action that the user must confirm.
type question struct {
	question string
	do       func() error
}

// model is the view's state, as the terminal library requires it.
type model struct {
	source  *Source
	keys    bool   // whether keys are read
	whole   bool   // whether the view uses the whole terminal
	stop    func() // what Ctrl-C does
	picture Picture

	width, height int
	shows         int
	name, mark    string   // names of the chosen and of the marked row
	text          []string // of the shown page
	scroll        scroll   // of the shown log
	filter        string
	typing        bool
	asks          *question
	trouble       string
	over          bool
	looked        bool
	ready         atomic.Bool // a picture was passed to the library
	flush         func()      // of the view
}

func (m *model) Init() tea.Cmd { return func() tea.Msg { return tick{} } }

func (m *model) next() tea.Cmd {
	return tea.Tick(every, func(time.Time) tea.Msg { return tick{} })
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tick:
		m.picture, m.looked = m.source.Look(), true
		go m.flush() // flush waits for this loop, so it needs its own goroutine
		return m, m.next()
	case failure:
		if m.trouble = ""; msg.err != nil {
			m.trouble = msg.err.Error()
		}
	case opened:
		m.shows, m.text, m.scroll = showPage, msg.lines, scroll{above: len(msg.lines) * maxLog} // scrolled to the beginning
	case finished:
		m.picture, m.looked, m.over = m.source.Look(), true, true
		m.shows, m.filter, m.typing, m.asks, m.keys = showList, "", false, nil, false
		return m, tea.Quit
	case tea.KeyPressMsg:
		return m, m.press(msg)
	}
	return m, nil
}

func (m *model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = m.whole
	v.DisableBracketedPasteMode = true // only keys are read
	if m.looked {
		v.Content = m.frame()
		m.ready.Store(true)
	}
	switch {
	case m.over && m.source.Brief:
		v.Content = ""
	case m.over:
		v.Content += "\n" // the library clears the last line
	}
	return v
}

// press does what a key is for.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	word := key.String()
	if word == "ctrl+c" {
		m.stop()
		return nil
	}
	m.trouble = ""
	switch {
	case m.asks != nil:
		return m.answer(word)
	case m.typing:
		m.typeFilter(word, key.Text)
		return nil
	}
	if page := m.pageOf(word); page != nil {
		return m.open(page)
	}
	switch word {
	case "q":
		return tea.Quit
	case "?":
		m.toggle(showHelp)
	case "l":
		if m.source.Pages == nil {
			m.toggle(showLog)
		}
	case "space":
		m.toggleMark()
	case "enter":
		if m.source.Pages != nil { // back from a page
			m.toggle(m.shows)
			break
		}
		m.chosen(m.rows()) // choose the first if none was chosen
		m.toggle(showDetail)
	case "esc":
		m.filter = ""
		m.toggle(m.shows)
	case "/":
		m.typing, m.filter = true, ""
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup":
		m.move(-m.page())
	case "pgdown":
		m.move(m.page())
	case "home", "g":
		m.move(-maxLog)
	case "end", "G":
		m.move(maxLog)
	case "p":
		if m.source.Pause != nil {
			on := !m.picture.Paused
			return doing(func() error { return m.source.Pause(on) })
		}
	case "s":
		m.ask("stop "+m.source.Title+"?", m.source.Stop)
	case "r":
		if m.source.Restart != nil {
			m.chosen(m.rows())
			name := m.name
			m.ask("restart "+name+"?", func() error { return m.source.Restart(name) })
		}
	}
	return nil
}

// pageOf returns the page that a key opens.
func (m *model) pageOf(word string) *Page {
	for i := range m.source.Pages {
		if page := &m.source.Pages[i]; page.Key == word && m.shows != showPage {
			return page
		}
	}
	return nil
}

// open makes the text of a page in the background.
func (m *model) open(page *Page) tea.Cmd {
	if m.chosen(m.rows()) < 0 {
		return nil
	}
	chosen, marked := m.name, m.mark
	return func() tea.Msg {
		lines, err := page.Text(chosen, marked)
		if err != nil {
			return failure{err}
		}
		return opened{lines}
	}
}

// toggleMark marks the chosen row, or removes its mark.
func (m *model) toggleMark() {
	if m.source.Pages == nil || m.shows != showList || m.chosen(m.rows()) < 0 {
		return
	}
	if m.mark == m.name {
		m.mark = ""
		return
	}
	m.mark = m.name
}

// doing runs an action that may take a while in the background.
func doing(do func() error) tea.Cmd {
	return func() tea.Msg { return failure{do()} }
}

func (m *model) ask(text string, do func() error) {
	if do != nil {
		m.asks = &question{text, do}
	}
}

func (m *model) answer(word string) tea.Cmd {
	do := m.asks.do
	m.asks = nil
	if word != "y" {
		return nil
	}
	return doing(do)
}

func (m *model) typeFilter(word, text string) {
	switch word {
	case "enter":
		m.typing = false
	case "esc":
		m.typing, m.filter = false, ""
	case "backspace":
		if r := []rune(m.filter); len(r) > 0 {
			m.filter = string(r[:len(r)-1])
		}
	default:
		m.filter += text
	}
}

func (m *model) toggle(what int) {
	if m.shows == what {
		what = showList
	}
	m.shows, m.scroll = what, scroll{}
}

// passes reports whether a text contains the filter.
func (m *model) passes(text string) bool {
	return m.filter == "" || strings.Contains(strings.ToLower(text), strings.ToLower(m.filter))
}

func (m *model) filtered(t Section) Section {
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return !m.passes(strings.Join(r.Cells, " ")) })
	return t
}

// rows returns the visible part of the table from which a row is chosen.
func (m *model) rows() Section {
	if len(m.picture.Sections) == 0 {
		return Section{}
	}
	return m.filtered(m.picture.Sections[0])
}

// chosen returns the index of the chosen row; the first if none is chosen.
func (m *model) chosen(t Section) int {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Name == m.name })
	if i < 0 && len(t.Rows) > 0 {
		i, m.name = 0, t.Rows[0].Name
	}
	return i
}

// move chooses another row, or scrolls the log if one is shown.
func (m *model) move(by int) {
	if m.scrolls() {
		m.scroll.by(-by, m.log)
		return
	}
	t := m.rows()
	if i := m.chosen(t); i >= 0 {
		m.name = t.Rows[min(max(i+by, 0), len(t.Rows)-1)].Name
	}
}

// scrolls reports whether keys scroll a log.
func (m *model) scrolls() bool {
	return m.shows == showLog || m.shows == showPage || m.shows == showDetail && m.source.LogOf != nil
}

// page returns how many lines the page keys scroll: the visible lines, minus one that stays
// visible.
func (m *model) page() int {
	if m.scrolls() {
		return max(1, m.scroll.page-1)
	}
	return max(1, m.room()-3)
}
