import type { CatalogueState } from '@artist-watch/domain/catalogue';
import { compare } from '@artist-watch/domain/comparison/snapshot-comparison';
import type { Bench } from '../bench.js';
import { interleave, type Variant } from '../measuring/rounds.js';
import { changed, largeCatalogue, readAgain } from './large-catalogue.js';

const ROUNDS = 11;
const RUNS_OF_A_ROUND = 50;

export const compareBench: Bench = {
  title: 'Comparing two snapshots of an artist',
  method: `
Two complete observations of an artist with 300 releases and 3,000 tracks, all fields known, without a shared object: one with
the same content, one in which every tenth release differs. The reference is the time that V8 needs to write the same catalogue
as JSON and to parse it. Each round is ${RUNS_OF_A_ROUND} sequential runs of one variant, in this process, by CPU time.`,

  async run({ quick, say }) {
    const [rounds, runs] = quick ? [1, 2] : [ROUNDS, RUNS_OF_A_ROUND];
    const baseline = largeCatalogue();
    const variants: Variant[] = [
      variant('unchanged', runs, compared(baseline, readAgain(baseline), 'nothing')),
      variant('changed', runs, compared(baseline, changed(baseline), 'something')),
      variant('JSON', runs, () => JSON.parse(JSON.stringify(baseline))),
    ];
    // V8 compiles the hot code during the first run.
    if (!quick) await interleave(variants, 2);
    const measured = await interleave(variants, rounds, ({ variant: name, round, figures }) =>
      say(`round ${round}  ${name.padEnd(9)}  ${figures.cpuMsEach?.toFixed(3)} ms`),
    );
    const inMs = (name: string) => measured.spread('cpuMsEach', name);
    const toJson = (name: string) => measured.ratio('cpuMsEach', name, 'JSON');
    return [
      { name: 'comparing an unchanged artist', value: inMs('unchanged'), unit: 'ms', atMost: 5 },
      { name: 'comparing a changed artist', value: inMs('changed'), unit: 'ms', atMost: 5 },
      { name: 'writing and parsing the JSON of the artist', value: inMs('JSON'), unit: 'ms' },
      {
        name: 'comparing an unchanged artist, relative to writing and parsing its JSON',
        value: toJson('unchanged'),
        atMost: 0.5,
      },
      {
        name: 'comparing a changed artist, relative to writing and parsing its JSON',
        value: toJson('changed'),
        atMost: 0.5,
      },
    ];
  },
};

function variant(name: string, runs: number, once: () => void): Variant {
  return {
    name,
    async measure() {
      // CPU time isn't affected by other work on the machine.
      const before = process.cpuUsage();
      for (let run = 0; run < runs; run += 1) once();
      const { user, system } = process.cpuUsage(before);
      return { cpuMsEach: (user + system) / 1_000 / runs };
    },
  };
}

/** A comparison that finds no changes would be fast for the wrong reason. */
function compared(baseline: CatalogueState, observed: CatalogueState, found: 'nothing' | 'something'): () => void {
  return () => {
    const differences = compare(baseline, observed);
    if ((differences.length === 0) !== (found === 'nothing'))
      throw new Error(`The comparison found ${differences.length} differences.`);
  };
}
