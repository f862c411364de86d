// Times of a trace, to the nanosecond.

const units = /** @type {[number, string][]} */ ([[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]]);

// Marks are written in every frame, so each format is made only once.
const digits = new Intl.NumberFormat("en", { maximumFractionDigits: 9 }), some = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }), whole = new Intl.NumberFormat("en");

/** exact formats a duration with all of its digits. @param {number} ns */
export function exact(ns) {
  const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) ?? units[3];
  return `${digits.format(ns / size)} ${unit}`;
}

/** short formats a duration with few digits. @param {number} ns */
export function short(ns) {
  const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) ?? units[3];
  return `${some.format(ns / size)} ${unit}`;
}

/** tick returns the distance of marks that divide a duration into about this many parts, and their texts. @param {number} length @param {number} parts */
export function tick(length, parts) {
  const about = length / parts, power = 10 ** Math.floor(Math.log10(about));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= about) ?? about);
  const [size, unit] = units.find(([size]) => step >= size) ?? units[3];
  return { step, text: (/** @type {number} */ t) => `${whole.format(Math.round(t / size) || 0)} ${unit}` };
}
