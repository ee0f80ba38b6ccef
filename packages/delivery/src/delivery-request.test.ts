import { expect, test } from '@jest/globals';
import { webhookHeaders } from './delivery-request.js';

const delivery = { deliveryId: 'dlv_1', attemptNumber: 1, changeId: 'chg_1', body: '{}', standardWebhooks: false };

test.each(['constructor', 'toString', '__proto__', 'X-Token'])('a custom header named %s is sent', (name) => {
  const headers = webhookHeaders(delivery, [{ name, value: 'secret' }], '1', null);
  expect(Object.entries(headers)).toContainEqual([name, 'secret']);
});

test.each(['Accept', 'accept'])('a custom header named %s is not sent, because the service sends its own', (name) => {
  const headers = webhookHeaders(delivery, [{ name, value: 'text/html' }], '1', null);
  expect(Object.entries(headers).filter(([sent]) => /^accept$/i.test(sent))).toEqual([['Accept', '*/*']]);
});
