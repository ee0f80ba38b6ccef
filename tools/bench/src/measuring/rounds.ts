import { type Spread, spreadOf } from './statistics.js';

/** What one variant came to in one round: figures by name, the unit in the name (`cpuMsPerRequest`). */
export type Figures = Readonly<Record<string, number>>;

export interface Variant {
  readonly name: string;
  measure(): Promise<Figures>;
}

export interface Round {
  readonly variant: string;
  /** From 1. */
  readonly round: number;
  readonly figures: Figures;
}

/**
 * Measures the variants in turn, round after round, so that what the machine does besides hits all of them alike. Every
 * other round goes backwards, or the variant that is always second would always find the machine warmer.
 *
 * @param onRound called with each as it ends.
 */
export async function interleave(
  variants: readonly Variant[],
  rounds: number,
  onRound: (round: Round) => void = () => undefined,
): Promise<Rounds> {
  const measured: Round[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    for (const variant of number % 2 === 1 ? variants : variants.toReversed()) {
      const round = { variant: variant.name, round: number, figures: await variant.measure() };
      measured.push(round);
      onRound(round);
    }
  }
  return new Rounds(measured);
}

/** A round as a line of the raw figures. */
export function lineOf({ variant, round, figures }: Round, digits = 2): string {
  const numbers = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(digits)}`);
  return `${variant}, round ${round}: ${numbers.join(', ')}`;
}

export class Rounds {
  constructor(readonly all: readonly Round[]) {}

  /** A figure of one variant over all rounds. */
  spread(figure: string, variant: string): Spread {
    return spreadOf(this.of(figure, variant));
  }

  /**
   * One variant's figure divided by another's, round by round: the two were measured within seconds of each other, so a
   * machine that was busy for one was busy for both.
   */
  ratio(figure: string, variant: string, to: string): Spread {
    const divisors = this.of(figure, to);
    return spreadOf(this.of(figure, variant).map((value, index) => value / (divisors[index] as number)));
  }

  /** In the order of the rounds. */
  of(figure: string, variant: string): number[] {
    return this.all
      .filter((round) => round.variant === variant)
      .sort((one, other) => one.round - other.round)
      .map(({ figures }) => {
        const value = figures[figure];
        if (value === undefined) throw new Error(`"${variant}" has no figure "${figure}".`);
        return value;
      });
  }
}
