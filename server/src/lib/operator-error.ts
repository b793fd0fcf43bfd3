/** Something is wrong with the set-up. The message is for the person who runs Holdfast: one line, with the way out. */
export class OperatorError extends Error {}
