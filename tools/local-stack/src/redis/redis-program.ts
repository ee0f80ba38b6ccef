/** An executable Redis or Valkey server. */
export interface RedisProgram {
  readonly path: string;
  /** Needed to find the program's libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/** Called before each slow step. */
export type Report = (line: string) => void;
