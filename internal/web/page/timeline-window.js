// A part of a time line, as the server sends it.

/**
 * @typedef {object} Window an answer of the server, see view_timeline.go
 * @property {number} from
 * @property {number} to
 * @property {number} pixel
 * @property {number} first
 * @property {number} count
 * @property {boolean} whole all arrows are there
 * @property {Map<number, [number, number][]>} tracks by track and lane: the index of the first bar, and the index after the last
 * @property {Float64Array} begins
 * @property {Float64Array} ends
 * @property {Float64Array} sent
 * @property {Float64Array} come
 * @property {Float64Array} curve
 * @property {Uint32Array} labels
 * @property {Uint32Array} spans
 * @property {Uint32Array} froms
 * @property {Uint32Array} tos
 */

/** read decodes the bytes of a window. @param {ArrayBuffer} bytes @param {{from: number, to: number, pixel: number, first: number, count: number}} asked @returns {Window} */
export function read(bytes, asked) {
  const [lanes, bars, arrows, points, whole] = new Uint32Array(bytes, 0, 8);
  let at = 32;
  const real = (/** @type {number} */ n) => new Float64Array(bytes, (at += 8 * n) - 8 * n, n);
  const number = (/** @type {number} */ n) => new Uint32Array(bytes, (at += 4 * n) - 4 * n, n);
  const begins = real(bars), ends = real(bars), sent = real(arrows), come = real(arrows), curve = real(points);
  const table = number(3 * lanes), labels = number(bars), spans = number(bars), froms = number(arrows), tos = number(arrows);
  /** @type {Map<number, [number, number][]>} */ const tracks = new Map();
  for (let i = 0, bar = 0; i < table.length; bar += table[i + 2], i += 3) {
    const list = tracks.get(table[i]) ?? [];
    tracks.set(table[i], list);
    list[table[i + 1]] = [bar, bar + table[i + 2]];
  }
  return { ...asked, whole: whole === 1, tracks, begins, ends, sent, come, curve, labels, spans, froms, tos };
}

/** lowerBound returns the first of some sorted numbers that is not below a value. @param {Float64Array} list @param {number} low @param {number} high @param {number} value */
export function lowerBound(list, low, high, value) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
