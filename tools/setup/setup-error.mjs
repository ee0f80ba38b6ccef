/** An error that the user can fix. Only its message is printed. */
export class SetupError extends Error {}
