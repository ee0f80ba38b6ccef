import { createContext } from 'preact';

/** Who reads a page: what instants and numbers are written by. */
export interface Reader {
  /** IANA time zone. */
  readonly zone: string;
  /** BCP 47. */
  readonly locale: string;
  /** What relative times count from; undefined writes exact ones. */
  readonly now: Date | undefined;
  /** The address of the file with all icons. */
  readonly icons: string;
}

/** Given around every page and fragment, so that no view passes it on. */
export const ReaderContext = createContext<Reader>({ zone: 'UTC', locale: 'en-GB', now: undefined, icons: '' });
