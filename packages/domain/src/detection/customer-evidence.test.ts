import { describe, expect, test } from '@jest/globals';
import { makeDifference } from '../change/difference.js';
import { customerEvidence } from './customer-evidence.js';
import type { SuspicionObservation } from './suspicion.js';
import type { SuspicionNote } from './suspicion-note.js';

const at = (minute: number) => new Date(Date.UTC(2026, 4, 1, 12, minute));

const observation = (minute: number, parts: Partial<SuspicionObservation> = {}): SuspicionObservation => ({
  observedAt: at(minute),
  paths: { listMissing: true, directRead: 'gone' },
  seen: null,
  snapshotId: 'snp_1',
  ...parts,
});

const removed = makeDifference({ type: 'release_removed', entityId: '1', entityName: 'Night Drive' });

const evidenceWith = (notes: readonly SuspicionNote[]) =>
  customerEvidence({ difference: removed, observations: [observation(0)], notes });

describe('evidence for a customer', () => {
  test('the evidence lists each observation with both of its reads, in chronological order', () => {
    const evidence = customerEvidence({
      difference: removed,
      observations: [observation(0), observation(20, { paths: { listMissing: true, directRead: 'not_asked' } })],
      notes: [
        {
          kind: 'not_counted',
          at: at(10),
          lastAt: at(12),
          times: 2,
          why: 'incomplete',
          detail: 'proxy 10.0.0.7 did not respond',
          snapshotId: 'snp_2',
        },
      ],
    });
    expect(evidence.map(({ kind, observedAt, readings }) => ({ kind, observedAt, readings }))).toEqual([
      {
        kind: 'counted',
        observedAt: at(0),
        readings: [
          { read: 'list', said: 'missing' },
          { read: 'direct', said: 'gone' },
        ],
      },
      { kind: 'not_counted', observedAt: at(10), readings: [] },
      { kind: 'counted', observedAt: at(20), readings: [{ read: 'list', said: 'missing' }] },
    ]);
    expect(evidence[1]?.text).toBe(
      '2 checks could not be compared, because not everything could be read. They do not count.',
    );
  });

  test('the evidence contains the new value', () => {
    const [one] = customerEvidence({
      difference: makeDifference({
        type: 'label_changed',
        entityId: '1',
        entityName: 'A',
        before: 'Old',
        after: 'New',
      }),
      observations: [observation(0, { seen: 'New', paths: { listMissing: true, directRead: 'not_asked' } })],
      notes: [],
    });
    expect(one).toMatchObject({
      text: 'A full check showed “New”.',
      seen: { kind: 'text', value: 'New' },
      readings: [{ read: 'list', said: 'changed' }],
    });
  });

  test('the evidence describes both kinds of brake in the same way, so that it reveals nothing about other artists', () => {
    const texts = (['artist', 'fleet'] as const).map((by) => evidenceWith([{ kind: 'held', at: at(1), by }])[1]?.text);
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toMatch(/artist|account/);
  });

  test('the evidence contains nothing about operators, snapshots or our own errors', () => {
    const decision = { at: at(1), by: 'mia@operator.example', reason: 'ticket 42' };
    const evidence = evidenceWith([
      { kind: 'released', ...decision },
      { kind: 'dismissed', ...decision },
      { kind: 'stands_no_longer', at: at(2), snapshotId: 'snp_2' },
    ]);
    expect(evidence).toHaveLength(1);
    expect(JSON.stringify(evidence)).not.toMatch(/operator|ticket|snp_/);
  });
});
