// How long a thing on the page is shown: a view, a card, a panel. Whatever a thing
// asked for while it was shown is nothing to the page after its end.

export class Life {
  ended = false;
  /** @type {Set<() => void>} */ endings = new Set();

  /** @param {Life} [within] it ends with this one */
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

  /** next ends this life and begins another in its place. */
  next() {
    this.end();
    return new Life(this.within);
  }

  /** until has something done at the end, unless the function that it returns is called before. @param {() => void} ending */
  until(ending) {
    this.endings.add(ending);
    return () => void this.endings.delete(ending);
  }

  /**
   * answer is the answer to a question. After the end it never comes, neither as a
   * value nor as an error: what waits for it stays undone.
   * @template T
   * @param {Promise<T>} question
   * @returns {Promise<T>}
   */
  answer(question) {
    return new Promise((resolve, reject) => {
      question.then((value) => this.ended || resolve(value), (error) => this.ended || reject(error));
    });
  }

  /** pause is over after some milliseconds; after the end it never is. @param {number} time */
  pause(time) {
    return this.answer(new Promise((resolve) => setTimeout(resolve, time)));
  }
}
