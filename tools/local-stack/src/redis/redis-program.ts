export interface RedisProgram {
  readonly path: string;
  /** The program needs these variables to find its libraries. */
  readonly env: Readonly<Record<string, string>>;
}

export type Report = (line: string) => void;
