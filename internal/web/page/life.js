// The lifetime of a part of the page: a view, a card, a panel. Answers to requests that
// the part made are dropped after its end.

export class Life {
  ended = false;
  /** @type {Set<() => void>} */ endings = new Set();

  /** @param {Life} [within] it ends when this life ends */
  constructor(within) {
    this.within = within;
    if (within?.ended) this.ended = true;
    else if (within) this.until(within.until(() => this.end()));
  }

  end() {
    this.ended = true;
    for (const ending of this.endings) ending();
    this.endings.clear();
  }

  /** next ends this life and starts a new one. */
  next() {
    this.end();
    return new Life(this.within);
  }

  /** until calls a function at the end of the life. The returned function cancels that. @param {() => void} ending */
  until(ending) {
    this.endings.add(ending);
    return () => void this.endings.delete(ending);
  }

  /**
   * answer waits for a promise. After the end it never settles, so code that waits
   * for it does not continue.
   * @template T
   * @param {Promise<T>} question
   * @returns {Promise<T>}
   */
  answer(question) {
    return new Promise((resolve, reject) => {
      question.then((value) => this.ended || resolve(value), (error) => this.ended || reject(error));
    });
  }

  /** pause resolves after some milliseconds, but never after the end of the life. @param {number} time */
  pause(time) {
    return this.answer(new Promise((resolve) => setTimeout(resolve, time)));
  }
}
