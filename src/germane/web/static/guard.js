// A double click or a key pressed twice is a slip: the second one would answer what nobody has seen yet.

// Milliseconds. Systems take two clicks within half a second for a double click, and nobody reads a document in it.
export const DOUBLE_CLICK = 500;
// Milliseconds. Fingers that bounce press again within 0.2 s; who judges pictures on purpose takes longer for each.
export const DOUBLE_PRESS = 300;

export class Guard {
  constructor() {
    this.shownAt = -Infinity;
    this.key = null;
    this.keyAt = -Infinity;
  }

  // Something else is on the screen now.
  shown() {
    this.shownAt = performance.now();
  }

  // Whether a click or a key press repeats the one before it instead of answering what is on the screen.
  isSlip(event) {
    if (event.type !== "keydown") return event.detail > 1 || event.timeStamp - this.shownAt < DOUBLE_CLICK;
    const isAgain = event.key === this.key && event.timeStamp - this.keyAt < DOUBLE_PRESS;
    this.key = event.key;
    this.keyAt = event.timeStamp;
    return isAgain;
  }
}
