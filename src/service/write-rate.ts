/** How far back the rate looks, milliseconds. */
const WINDOW_MS = 60_000;

/** Writes per second over about the last minute, from a counter that is looked at now and then. */
export class WriteRate {
  #looks: { readonly at: number; readonly count: number }[] = [];

  /** Notes the counter at a time (monotonic milliseconds) and gives the rate since a minute before, or since the first look. */
  look(at: number, count: number): number {
    this.#looks.push({ at, count });
    // The newest look that is a minute old is where the window begins.
    while ((this.#looks[1]?.at ?? at) <= at - WINDOW_MS) this.#looks.shift();
    const [first] = this.#looks;
    if (first === undefined || first.at >= at) return 0;
    return ((count - first.count) * 1_000) / (at - first.at);
  }
}
