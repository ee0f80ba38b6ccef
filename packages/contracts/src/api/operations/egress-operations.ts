import { z } from 'zod';
import { json, operationsOf } from './operation.js';

const egressAddressesSchema = z
  .object({
    addresses: z
      .array(z.string())
      .describe('IPv4 and IPv6 addresses and CIDR ranges. Empty if this installation does not publish them.'),
  })
  .meta({ id: 'EgressAddresses', description: 'The source addresses of webhook requests.' });

export const EGRESS_OPERATIONS = operationsOf('Destinations', {
  listEgressAddresses: {
    isPublic: true,
    route: 'GET /egress',
    summary: 'List the source addresses of webhooks',
    description:
      'Webhook requests come from these addresses. You can allow them in a firewall, but still verify signatures. ' +
      'This request needs no API key. ' +
      'You can cache the response for an hour, because new addresses are listed before we use them.',
    answers: {
      200: json('The source addresses.', egressAddressesSchema, { addresses: ['203.0.113.7', '2001:db8:1::/48'] }),
    },
  },
});
