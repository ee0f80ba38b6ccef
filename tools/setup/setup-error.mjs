/** Something the person at the keyboard can put right; shown as its message alone. */
export class SetupError extends Error {}
