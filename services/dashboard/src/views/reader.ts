/** Who reads a page: what instants are written by. */
export interface Reader {
  /** IANA time zone. */
  readonly zone: string;
  /** What relative times count from; undefined writes exact ones. */
  readonly now: Date | undefined;
  /** The address of the file with all icons. */
  readonly icons: string;
}

let current: Reader = { zone: 'UTC', now: undefined, icons: '' };

/** Who reads what is being rendered, so that no view passes it on. */
export function currentReader(): Reader {
  return current;
}

/**
 * Renders a page or fragment for a reader. Rendering is synchronous, so there is one at a time; a context of Preact, asked
 * for by each instant and icon, took as long as everything else.
 */
export function renderFor(reader: Reader, render: () => string): string {
  current = reader;
  return render();
}
