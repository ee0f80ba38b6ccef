import { describe, expect, test } from '@jest/globals';
import { effectOf } from './actor.js';

describe('effects of actions', () => {
  test.each([
    ['destination.changed', { changed: 'name, address' }, 'sends_data'],
    ['destination.changed', { changed: 'headers, rules' }, 'sends_data'],
    ['destination.changed', { changed: 'name, rules' }, undefined],
    ['destination.changed', { changed: 'Standard Webhooks headers' }, undefined],
    ['member.role_changed', { role: 'owner' }, 'opens_data'],
    ['member.role_changed', { role: 'member' }, undefined],
    ['change.shared', {}, 'opens_data'],
    ['destination.deleted', {}, undefined],
    ['toString', {}, undefined],
  ])('the action %s with %j has the effect %s', (action, details, effect) => {
    expect(effectOf(action, details)).toBe(effect);
  });
});
