import { describe, expect, test } from '@jest/globals';
import { SHORT_VALUE_LENGTH } from './api/change.js';
import { sampleChange } from './change-examples.js';
import { webhookBody, webhookPayloadSchema } from './webhook-payload.js';

const FIRST_FIELDS = [
  'event',
  'change_id',
  'artist_id',
  'artist',
  'artist_platform_id',
  'entity_type',
  'entity_id',
  'entity_name',
  'severity',
  'change_type',
  'summary',
  'detected_at',
];

const { isTest, ...change } = {
  ...sampleChange('chg_1', new Date('2026-05-01T11:30:00.999Z')),
  entityId: '302127',
  confirmedAt: new Date('2026-05-01T12:00:00.500Z'),
};

describe('webhook bodies', () => {
  test('a webhook body starts with the twelve documented fields, followed by later additions', () => {
    const body = JSON.parse(webhookBody(change));
    expect(webhookPayloadSchema.parse(body)).toEqual(body);
    expect(Object.keys(body)).toEqual([...FIRST_FIELDS, 'before', 'after', 'platform_url', 'confirmed_at']);
    expect(body).toMatchObject({
      detected_at: 1_777_635_000,
      before: null,
      after: { platform_id: '302127', title: 'Discovery' },
      platform_url: 'https://www.deezer.com/album/302127',
      confirmed_at: 1_777_636_800,
    });
  });

  test('the body of a test webhook has the field `test`', () => {
    expect(isTest).toBe(true);
    expect(JSON.parse(webhookBody({ ...change, isTest }))).toHaveProperty('test', true);
  });

  test('a webhook body omits values that are too long and keeps all other values', () => {
    const after = { kind: 'text', value: 'x'.repeat(SHORT_VALUE_LENGTH) } as const;
    const body = JSON.parse(webhookBody({ ...change, before: { kind: 'text', value: 'short' }, after }));
    expect(body).toHaveProperty('before', 'short');
    expect(body).not.toHaveProperty('after');
  });
});
