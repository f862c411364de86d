package svg

// StyleSheet has the styles of inline pictures, for the page that contains
// them. It has no variables, since some converters do not support them, and its
// rules apply to nothing else on the page.
const StyleSheet = `.pentode-graph{font-family:"Inter","Segoe UI","Helvetica Neue",Arial,"Liberation Sans",sans-serif}
.pentode-graph .page{fill:#ffffff}
.pentode-graph .title{font-size:16px;font-weight:600;fill:#1e293b}
.pentode-graph .group{fill:#64748b;fill-opacity:.07;stroke:#94a3b8;stroke-opacity:.7}
.pentode-graph .grouplabel{font-size:11px;font-weight:600;fill:#475569;stroke:#f8fafc;stroke-opacity:.8;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.pentode-graph .label{font-size:13px;font-weight:600;text-anchor:middle;fill:#0f172a}
.pentode-graph .kind{font-size:11px;font-style:italic;text-anchor:middle;fill:#475569}
.pentode-graph .small{font-size:11px;text-anchor:middle;fill:#475569}
.pentode-graph .key{font-size:11px;fill:#334155}
.pentode-graph>.small{text-anchor:start}
.pentode-graph .port{font-size:11px;fill:#334155}
.pentode-graph .end{text-anchor:end}
.pentode-graph .middle{text-anchor:middle}
.pentode-graph .edge{fill:none;stroke:#64748b;stroke-width:1.4}
.pentode-graph .arrow{fill:#64748b}
.pentode-graph .dashed{stroke-dasharray:6 4}
.pentode-graph .dotted{stroke-dasharray:1.5 3.5;stroke-linecap:round}
.pentode-graph .thick{stroke-width:2.8}
.pentode-graph .edgelabel{font-size:11px;text-anchor:middle;fill:#475569}
.pentode-graph .plate{fill:#ffffff;fill-opacity:.88}
.pentode-graph .body{fill:#ffffff}
.pentode-graph .outline{fill:none}
.pentode-graph .dot{fill:#ffffff}
.pentode-graph .whole,.pentode-graph .outline,.pentode-graph .dot{stroke:#94a3b8;stroke-width:1.2}
.pentode-graph .whole,.pentode-graph .head{fill:#f1f5f9}
.pentode-graph .k1 .whole,.pentode-graph .k1 .head{fill:#dbeafe}.pentode-graph .k1 .whole,.pentode-graph .k1 .outline,.pentode-graph .k1 .dot{stroke:#5b8fd9}
.pentode-graph .k2 .whole,.pentode-graph .k2 .head{fill:#dcfce7}.pentode-graph .k2 .whole,.pentode-graph .k2 .outline,.pentode-graph .k2 .dot{stroke:#4fa973}
.pentode-graph .k3 .whole,.pentode-graph .k3 .head{fill:#fef3c7}.pentode-graph .k3 .whole,.pentode-graph .k3 .outline,.pentode-graph .k3 .dot{stroke:#c9982f}
.pentode-graph .k4 .whole,.pentode-graph .k4 .head{fill:#ede9fe}.pentode-graph .k4 .whole,.pentode-graph .k4 .outline,.pentode-graph .k4 .dot{stroke:#8d78d6}
.pentode-graph .k5 .whole,.pentode-graph .k5 .head{fill:#ffe4e6}.pentode-graph .k5 .whole,.pentode-graph .k5 .outline,.pentode-graph .k5 .dot{stroke:#d3748a}
.pentode-graph .k6 .whole,.pentode-graph .k6 .head{fill:#ccfbf1}.pentode-graph .k6 .whole,.pentode-graph .k6 .outline,.pentode-graph .k6 .dot{stroke:#3fa79d}
.pentode-graph .k7 .whole,.pentode-graph .k7 .head{fill:#ffedd5}.pentode-graph .k7 .whole,.pentode-graph .k7 .outline,.pentode-graph .k7 .dot{stroke:#d58a4c}
.pentode-graph .k8 .whole,.pentode-graph .k8 .head{fill:#fae8ff}.pentode-graph .k8 .whole,.pentode-graph .k8 .outline,.pentode-graph .k8 .dot{stroke:#b877c9}
.pentode-graph .wrong .whole,.pentode-graph .wrong .outline{stroke:#dc2626;stroke-width:1.8;stroke-dasharray:5 3}
@media (prefers-color-scheme:dark){
.pentode-graph .page{fill:#12161d}
.pentode-graph .title,.pentode-graph .label{fill:#e8edf4}
.pentode-graph .group{fill:#94a3b8;stroke:#64748b}
.pentode-graph .grouplabel,.pentode-graph .kind{fill:#b4c0d0}
.pentode-graph .grouplabel{stroke:#1a1f27}
.pentode-graph .small{fill:#a8b5c6}
.pentode-graph .port,.pentode-graph .key{fill:#cbd5e1}
.pentode-graph .edge{stroke:#8c9bb0}
.pentode-graph .arrow{fill:#8c9bb0}
.pentode-graph .edgelabel{fill:#b4c0d0}
.pentode-graph .plate{fill:#12161d}
.pentode-graph .body,.pentode-graph .dot{fill:#1a202a}
.pentode-graph .whole,.pentode-graph .head{fill:#283241}
.pentode-graph .k1 .whole,.pentode-graph .k1 .head{fill:#1c3557}
.pentode-graph .k2 .whole,.pentode-graph .k2 .head{fill:#173b28}
.pentode-graph .k3 .whole,.pentode-graph .k3 .head{fill:#43350f}
.pentode-graph .k4 .whole,.pentode-graph .k4 .head{fill:#332a5c}
.pentode-graph .k5 .whole,.pentode-graph .k5 .head{fill:#4a2230}
.pentode-graph .k6 .whole,.pentode-graph .k6 .head{fill:#123f3b}
.pentode-graph .k7 .whole,.pentode-graph .k7 .head{fill:#48290f}
.pentode-graph .k8 .whole,.pentode-graph .k8 .head{fill:#40224a}
.pentode-graph .wrong .whole,.pentode-graph .wrong .outline{stroke:#f87171}
}
`
