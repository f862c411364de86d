// The shapes of the server's answers, for those who check the types of these modules. Nothing here runs.

/** @typedef {{ path?: string, line?: number }} Place in a file of the page; empty: it lies outside */
/** @typedef {{ line: number, column: number, offset: number }} Position */

/** @typedef {{ message: string, safe: boolean, edits: { path: string, start: number, end: number, text: string }[] }} Fix */
/** @typedef {{ code: string, severity: "error" | "warning" | "info", message: string, help?: string[], path: string, line?: number, start?: Position, end?: Position,
 *   labels?: { message: string, path: string, start?: Position }[], notes?: string[], fixes?: Fix[] }} Finding */
/** @typedef {{ errors: number, warnings: number, infos: number }} Counts */
/** @typedef {{ files: { path: string, language: string }[], diagnostics: Finding[], summary: Counts }} Check */
/** @typedef {{ code: string, severity: string, title: string, count: number }} Group of findings */

/** @typedef {{ what: string, path?: string, line?: number, column?: number, text?: string, why?: string, note?: string }} Step where a value comes from */
/** @typedef {{ key: string, value: string, type: string, flags: string[], origin: Step[] }} Setting */
/** @typedef {{ key: string, value: string, was: string }} Changed */

/** @typedef {{ path: string, language: string, title: string, role: string, runs: boolean } & Counts} FileEntry */
/** @typedef {{ id: string, path: string, kind: string, state: string, message?: string, started: string, elsewhere?: boolean, launch?: string, node?: string }} Run */
/** @typedef {{ root: string, name: string, full: string, read_only: boolean, is_run: boolean, starts: string, parts: { role: string, path: string, lines: string[] }[],
 *   files: FileEntry[], check: Check, groups: Group[], many: boolean, settled: string, runs: Run[] }} Folder */

/** @typedef {{ id: string, label: string, kind: string, closed?: boolean } & Place} GraphNode */
/** @typedef {{ from: string, from_port: string, to: string, to_port: string, label: string } & Place} GraphEdge */
/** @typedef {{ title: string, svg: string, parts: { name: string, open: boolean }[], nodes: GraphNode[], edges: GraphEdge[] }} Graph */
/** @typedef {{ name: string, type: string }} Port */
/** @typedef {GraphNode & { file: string, language: string, in: Port[], out: Port[], detail: string[], settings: Setting[], doc: { text: string, keys: Record<string, string> }, findings: Finding[] }} NodeDetail */
/** @typedef {{ path: string, full: string, language: string, pieces: { c?: string, t: string, a: number }[], check: Check, settings: Setting[], fields: number, view: string, graph?: Graph }} OpenFile */

/** @typedef {{ name: string, value: number, unit?: string }} Figure */
/** @typedef {Place & { file: string, part: string, key: string, value: string, at?: string, from?: string, of?: string[] }} RecordedSetting */
/** @typedef {{ file: string, part: string, key: string, was: string, is: string, was_at?: string, is_at?: string, was_place: Place, is_place: Place }} SettingChange */
/** @typedef {Counts & { run: string, kind: string, what: string, state: string, started: string, took_s: number, exit: number, results: number, tags: string[],
 *   before?: string, changes: SettingChange[], changed: number }} RecordEntry */
/** @typedef {{ path: string, size: number, process?: string, note?: string, written?: string, shows?: string, series: string, gone?: string }} Result */
/** @typedef {RecordEntry & { command: string[], out: string, host: { name: string, system: string, cpus: number }, end: string, findings: Finding[],
 *   settings: RecordedSetting[], figures: Figure[], files: Result[], traces: string[] }} RecordedRun */
/** @typedef {{ path: string, process?: string, state: string, how?: { part?: string, what: string }[], note?: string, causes: (Place & { file: string, key: string, at?: string, steps: number })[],
 *   shows?: string, series: string }} ComparedResult */
/** @typedef {{ a: RecordEntry, b: RecordEntry, settings: SettingChange[], derived: number, others: string[], results: ComparedResult[],
 *   figures: { name: string, unit?: string, was: number, is: number, of: [number, number] }[], differ: number, equal: number, measured: number, traces: string[] }} Comparison */
/** @typedef {RecordedSetting & { whole_run?: boolean, state: string, now?: string }} OriginSetting */
/** @typedef {{ process: string, edge: string, way: string[], settings: OriginSetting[], more: number, inputs: { path: string, state: string }[], parents: string[], missing: string[] }} Origin */

/** @typedef {{ name: string, words: string, size: number, align: number, saves: number, advice: string }} Machine */
/** @typedef {{ depth: number, name: string, type: string, cells: ([number, number] | null)[] }} LayoutLine */
/** @typedef {{ names: string[], known: string[], name: string, type: string, machines: Machine[], lines: LayoutLine[], more: number, why: string, needs: string[] }} Layout */
/** @typedef {{ machine: string, size: number, value: number, count: number, from: number, page: number, bytes: string,
 *   fields: { path: string, type: string, offset: number, size: number, value: string }[] }} Decoded */
/** @typedef {{ about: string, value: string, layer: string, at?: string } & Place} Decided */
/** @typedef {{ domain: string, region: string, events: string[], units: string[], often: string, lines: Decided[], whole: boolean }} TracedSet */
/** @typedef {{ units: string[], traced: TracedSet[], more: number }} Policy */
/** @typedef {{ known: string[], with: string, facts: { group: string, name: string, a: string, b: string, differs: boolean }[], runs: [string, string], links: string }} Target */
/** @typedef {{ key: string, value: string, type: string, doc: string, default: string, choices: string[], min?: number, max?: number, tunable: boolean, readers: string[] } & Place} Field */

/** @typedef {{ program?: string, by: string, elapsed_ns: number, processes: number, threads: number, events: number, lost: number, unfinished: number, rows: Record<string, any>[],
 *   messages?: Traffic[], messages_to_unknown_ranks?: number, sizes?: { call: string, from_bytes: number, count: number, bytes: number, total_ns: number }[] }} Report */
/** @typedef {{ from: number, to: number, count: number, bytes: number }} Traffic between ranks */
/** @typedef {{ kind: string, where: string, cost_ns: number, count: number, longest_ns: number, for?: string, for_cost_ns?: number } & Place} Slow */
/** @typedef {{ program?: string, elapsed_ns: number, threads: number, lost: number, programs?: number, unmatched: number, causes: Slow[], kinds: Record<string, string> }} Why */
/** @typedef {{ instants?: boolean, counter?: { label: number, most: number }, spans: number, leaves: number }} Lane */
/** @typedef {{ process: string, name: string, rank: number, pid: number, tid: number, lost?: number, deeper?: number, lanes: Lane[] }} Track */
/** @typedef {{ name: string, event: string, where?: string, file?: string, line?: number }} Label */
/** @typedef {{ program: string, start: number, length: number, spans: number, labels: Label[], tracks: Track[], arrows: number, apart: number }} TimelineHead */

/** @typedef {{ path: string, text: string, hash: string }} Text */
/** @typedef {{ diff: string, also: Changed[], refused: Finding[], written: boolean }} Edited */
/** @typedef {{ check: Check, added: Finding[], written: boolean, hash: string, theirs?: Text }} Saved */
/** @typedef {{ label: string, detail: string, doc: string, insert: string, start: [number, number], end: [number, number] }} Completion */

/**
 * The answers by what is asked for; others are not described.
 * @typedef {{
 *   run: Folder, graph: Graph, node: NodeDetail, file: OpenFile, records: RecordEntry[], record: RecordedRun, compare: Comparison, origin: Origin,
 *   layout: Layout, decode: Decoded, policy: Policy, target: Target, decided: Decided[],
 *   report: Report, why: Why, form: Field[], text: Text, timeline: { of: string, making: number, head?: TimelineHead },
 * }} Answers
 */

/**
 * The answers to what is posted.
 * @typedef {{ form: Edited, set: Edited, fix: Edited, text: Saved, complete: Completion[] }} PostAnswers
 */

export {};
