import { expect, test } from '@jest/globals';
import { definitionsInSource } from './metric-definitions.js';

test('a metric is read with its type, name, meaning and labels, wherever it stands', () => {
  const source = `
    export class Journal {
      constructor(metrics: Metrics) {
        this.seconds = metrics.histogram<'route'>({
          name: 'request_seconds',
          help: 'From the arrival of a request ' + 'to the end of its answer.',
          labels: ['route', 'status'],
          buckets: [1, 2],
        });
        const inner = () => metrics.gauge({ name: 'depth', help: 'Jobs.', collect: (gauge) => gauge.set(1) });
      }
    }
    new client.Counter({ name: 'active_seconds_total', help: 'Time.', labelNames: ['kind'], registers: [registry] });
  `;
  expect(definitionsInSource(source)).toEqual([
    {
      type: 'histogram',
      name: 'request_seconds',
      help: 'From the arrival of a request to the end of its answer.',
      labels: ['route', 'status'],
    },
    { type: 'gauge', name: 'depth', help: 'Jobs.', labels: [] },
    { type: 'counter', name: 'active_seconds_total', help: 'Time.', labels: ['kind'] },
  ]);
});

test('a name that is not written out is refused, since the table would be short of it', () => {
  expect(() => definitionsInSource("metrics.counter({ name: prefix + '_total', help: 'h' });")).toThrow(
    'The name of a metric is not written out as text.',
  );
});

test('what only looks like a metric is left alone', () => {
  expect(definitionsInSource("counter({ name: 'x' }); words.counter('name'); new Counter(3);")).toEqual([]);
});
