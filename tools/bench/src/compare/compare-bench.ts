import type { CatalogueState } from '@artist-watch/domain/catalogue';
import { compare } from '@artist-watch/domain/comparison/snapshot-comparison';
import type { Bench } from '../bench.js';
import { interleave, type Variant } from '../measuring/rounds.js';
import { changed, largeCatalogue, readAgain } from './large-catalogue.js';

const ROUNDS = 11;
const RUNS_OF_A_ROUND = 50;

export const compareBench: Bench = {
  title: 'Comparing two snapshots of an artist',
  method: `Two complete readings of an artist with 300 releases and 3,000 tracks, every field of them known, that share no
object: the same content, and one in which every tenth release differs. The yardstick is what V8 needs to write the same
catalogue as JSON and to read it back. Each round is ${RUNS_OF_A_ROUND} runs of one variant after the other, in this process, by its CPU time.`,

  async run({ quick, say }) {
    const [rounds, runs] = quick ? [1, 2] : [ROUNDS, RUNS_OF_A_ROUND];
    const baseline = largeCatalogue();
    const variants: Variant[] = [
      variant('unchanged', runs, compared(baseline, readAgain(baseline), 'nothing')),
      variant('changed', runs, compared(baseline, changed(baseline), 'something')),
      variant('JSON', runs, () => JSON.parse(JSON.stringify(baseline))),
    ];
    // V8 compiles what is hot during the first.
    if (!quick) await interleave(variants, 2);
    const measured = await interleave(variants, rounds, ({ variant: name, round, figures }) =>
      say(`round ${round}  ${name.padEnd(9)}  ${figures.cpuMsEach?.toFixed(3)} ms`),
    );
    const inMs = (name: string) => measured.spread('cpuMsEach', name);
    const toJson = (name: string) => measured.ratio('cpuMsEach', name, 'JSON');
    return [
      { name: 'an unchanged artist', value: inMs('unchanged'), unit: 'ms', atMost: 5 },
      { name: 'a changed artist', value: inMs('changed'), unit: 'ms', atMost: 5 },
      { name: 'JSON and back', value: inMs('JSON'), unit: 'ms' },
      { name: 'unchanged, to JSON and back', value: toJson('unchanged'), atMost: 0.5 },
      { name: 'changed, to JSON and back', value: toJson('changed'), atMost: 0.5 },
    ];
  },
};

function variant(name: string, runs: number, once: () => void): Variant {
  return {
    name,
    async measure() {
      // CPU time: what else the machine does takes no part of it.
      const before = process.cpuUsage();
      for (let run = 0; run < runs; run += 1) once();
      const { user, system } = process.cpuUsage(before);
      return { cpuMsEach: (user + system) / 1_000 / runs };
    },
  };
}

/** A comparison that does not find what is there would be fast for no good. */
function compared(baseline: CatalogueState, observed: CatalogueState, found: 'nothing' | 'something'): () => void {
  return () => {
    const differences = compare(baseline, observed);
    if ((differences.length === 0) !== (found === 'nothing')) throw new Error(`It found ${differences.length}.`);
  };
}
