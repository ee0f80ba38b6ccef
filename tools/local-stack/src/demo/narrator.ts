/** Tells a story on the terminal, each line with the seconds since it began. */
export interface Narrator {
  /** Without a time: headings, addresses, commands. */
  say(text: string): void;
  /** Something happened now. */
  tell(text: string): void;
  /** Counts the seconds from now on. */
  begin(): void;
}

const timeWidth = 7;

export function narrator(write: (text: string) => void, nowMs: () => number): Narrator {
  let beganAtMs = nowMs();
  return {
    say: (text) => write(`${text}\n`),
    begin() {
      beganAtMs = nowMs();
    },
    tell(text) {
      const seconds = `${((nowMs() - beganAtMs) / 1_000).toFixed(1)} s`;
      write(`${seconds.padStart(timeWidth)}  ${text}\n`);
    },
  };
}
