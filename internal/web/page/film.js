// The pictures of a series, played as a film.

import { h } from "./dom.js";
import { Life } from "./life.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * film makes the buttons that play pictures. It never starts by itself, and waits for each picture to load.
 * @param {() => number} count
 * @param {() => number} now index of the shown picture
 * @param {(i: number) => Promise<void>} show resolves when the picture is loaded
 * @param {Life} life
 */
export function film(count, now, show, life) {
  /** @type {Life | null} */ let playing = null;
  const rate = h("select", { "aria-label": "Pictures a second" }, [1, 2, 5, 10, 25].map((n) => h("option", { value: n }, `${n} a second`)));
  rate.value = calm.matches ? 1 : 5; // start slowly if the user prefers less motion
  const pause = () => {
    playing?.end();
    playing = null;
    button.textContent = "Play";
  };
  const play = async () => {
    const mine = (playing = new Life(life));
    button.textContent = "Pause";
    let i = now() + 1 < count() ? now() : -1; // at the end it starts again
    while (!mine.ended && ++i < count()) {
      await Promise.all([mine.pause(1000 / Number(rate.value)), mine.answer(show(i))]);
    }
    if (playing === mine) pause();
  };
  const button = h("button", { type: "button", onclick: () => (playing ? pause() : play()) }, "Play");
  return { bar: h("p", { class: "toolbar" }, button, rate), pause };
}
