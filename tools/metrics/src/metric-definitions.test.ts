import { expect, test } from '@jest/globals';
import { definitionsInSource } from './metric-definitions.js';

test('metrics are found anywhere in a source file, with their type, name, help and labels', () => {
  const source = `
    export class Journal {
      constructor(metrics: Metrics) {
        this.seconds = metrics.histogram<'route'>({
          name: 'request_seconds',
          help: 'Seconds from a request ' + 'to its response.',
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
      help: 'Seconds from a request to its response.',
      labels: ['route', 'status'],
    },
    { type: 'gauge', name: 'depth', help: 'Jobs.', labels: [] },
    { type: 'counter', name: 'active_seconds_total', help: 'Time.', labels: ['kind'] },
  ]);
});

test('a metric with a computed name throws an error, so that no metric is missing from the table', () => {
  expect(() => definitionsInSource("metrics.counter({ name: prefix + '_total', help: 'h' });")).toThrow(
    'The name of a metric is not a string literal.',
  );
});

test('code that looks similar but defines no metric is ignored', () => {
  expect(definitionsInSource("counter({ name: 'x' }); words.counter('name'); new Counter(3);")).toEqual([]);
});
