// Readable numbers with their units.

/** quantity formats a number in short form: 40, 1.2k, 20.0M. @param {number} n */
export function quantity(n) {
  for (const [size, letter] of /** @type {[number, string][]} */ ([[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])) {
    if (n >= size) return (n / size).toFixed(1) + letter;
  }
  return n > 0 && n < 10 && !Number.isInteger(n) ? n.toFixed(1) : n.toFixed(0);
}

const thousands = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** grouped formats an integer with thousands separators. @param {number} n */
export function grouped(n) {
  return n < 1000 ? n.toFixed(0) : thousands.format(n);
}

/** share formats a part of 1 as a percentage. @param {number} n */
export function share(n) {
  return `${Math.round(100 * Math.min(1, Math.max(0, n)))} %`;
}

/** span formats a duration. @param {number} seconds */
export function span(seconds) {
  if (seconds > 0 && seconds < 1e-6) return `${Math.round(seconds * 1e9)} ns`;
  if (seconds < 1e-3) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Math.round(seconds * 1e3)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  if (minutes < 4 * 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 24 / 60).toLocaleString("en")} days`;
}

/** bytes formats an amount of memory. @param {number} n */
export function bytes(n) {
  if (n <= 0) return "–";
  for (const [size, unit] of /** @type {[number, string][]} */ ([[1 << 30, "GB"], [1 << 20, "MB"], [1 << 10, "KB"]])) {
    if (n >= size) return `${(n / size).toFixed(1)} ${unit}`;
  }
  return `${n} B`;
}

/** plural formats a count with its noun. @param {number} n @param {string} one @param {string} [many] */
export function plural(n, one, many = `${one}s`) {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}
