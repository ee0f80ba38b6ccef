import { type Spread, spreadOf } from './statistics.js';

/** Names end with the unit (`cpuMsPerRequest`). */
export type Figures = Readonly<Record<string, number>>;

export interface Variant {
  readonly name: string;
  measure(): Promise<Figures>;
}

export interface Round {
  readonly variant: string;
  /** 1-based. */
  readonly round: number;
  readonly figures: Figures;
}

/**
 * Alternates between the variants, so that other work affects them equally. Every second round runs in reverse order,
 * because the machine is warmer when the second variant runs.
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

export function lineOf({ variant, round, figures }: Round, digits = 2): string {
  const numbers = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(digits)}`);
  return `${variant}, round ${round}: ${numbers.join(', ')}`;
}

export class Rounds {
  constructor(readonly all: readonly Round[]) {}

  spread(figure: string, variant: string): Spread {
    return spreadOf(this.of(figure, variant));
  }

  /** Divides figures from the same round, because a busy machine affects both variants in it. */
  ratio(figure: string, variant: string, to: string): Spread {
    const divisors = this.of(figure, to);
    return spreadOf(this.of(figure, variant).map((value, index) => value / (divisors[index] as number)));
  }

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
