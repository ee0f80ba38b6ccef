import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type SignatureErrorReason, sign, type VerifyOptions, verify, WebhookSignatureError } from './index.js';

const SECRET = 'whsec_0123456789abcdef';
const OTHER_SECRET = 'whsec_fedcba9876543210';
const BODY = '{"event":"change.confirmed","artist":"Björk"}';
const T = 1_767_225_600;
const HEADER = sign({ body: BODY, secret: SECRET, timestamp: T });
const V1 = HEADER.slice(HEADER.indexOf('v1=') + 3);

function refusal(options: unknown): SignatureErrorReason | null {
  try {
    verify(options as VerifyOptions);
    return null;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return error.reason;
    throw error;
  }
}

function refusalOf(changed: Record<string, unknown>): SignatureErrorReason | null {
  return refusal({ header: HEADER, body: BODY, secret: SECRET, now: T, ...changed });
}

describe('verify', () => {
  test('the result for a valid request is its signing time', () => {
    expect(verify({ header: HEADER, body: BODY, secret: SECRET, now: new Date(T * 1000 + 5) })).toEqual({
      timestamp: T,
    });
  });

  test('the body can also be passed as bytes', () => {
    expect(refusalOf({ body: new TextEncoder().encode(BODY) })).toBeNull();
    expect(refusalOf({ body: Buffer.from(BODY) })).toBeNull();
  });

  test.each([
    ['fields in a different order', `v1=${V1},t=${T}`],
    ['spaces around parts', ` t = ${T} ,  v1 = ${V1} `],
    ['tabs around parts', `\tt=${T}\t,\tv1=${V1}\t`],
    ['unknown fields', `v0=old,t=${T},kid=1,v1=${V1},v2=new`],
    ['a field without a value', `t=${T},flag,v1=${V1}`],
    ['empty parts', `,t=${T},,v1=${V1},`],
    ['a second v1 that does not match the body', `t=${T},v1=${'0'.repeat(64)},v1=${V1}`],
    ['a second v1 that is malformed', `t=${T},v1=${V1},v1=short`],
    ['exactly 8 KiB', `t=${T},v1=${V1},pad=`.padEnd(8192, 'x')],
  ])('a header with %s is accepted', (_, header) => {
    expect(refusalOf({ header })).toBeNull();
  });

  test('during a rotation, a signature made with either secret is accepted', () => {
    expect(refusalOf({ secret: [OTHER_SECRET, SECRET] })).toBeNull();
    expect(refusalOf({ secret: [SECRET, OTHER_SECRET] })).toBeNull();
    expect(refusalOf({ secret: [OTHER_SECRET] })).toBe('signature_mismatch');
  });
});

describe('verify rejects a header that', () => {
  test.each<[string, unknown, SignatureErrorReason]>([
    ['is missing', undefined, 'missing_header'],
    ['is null', null, 'missing_header'],
    ['is empty', '', 'missing_header'],
    ['is blank', ' \t ', 'missing_header'],
    ['is a list', [HEADER], 'invalid_header'],
    ['is bytes', Buffer.from(HEADER), 'invalid_header'],
    ['is a boxed string', Object(HEADER), 'invalid_header'],
    ['is one character longer than 8 KiB', `t=${T},v1=${V1},pad=`.padEnd(8193, 'x'), 'header_too_long'],
    ['is very long', 'v1='.repeat(1_000_000), 'header_too_long'],
    ['has no t', `v1=${V1}`, 'missing_timestamp'],
    ['has T instead of t', `T=${T},v1=${V1}`, 'missing_timestamp'],
    ['has a completely different format', 'Bearer abc', 'missing_timestamp'],
    ['has t twice', `t=${T},v1=${V1},t=${T}`, 'duplicate_timestamp'],
    ['has t twice, one of them malformed', `t=x,t=${T},v1=${V1}`, 'duplicate_timestamp'],
    ['was sent twice, joined with a comma', `${HEADER}, ${HEADER}`, 'duplicate_timestamp'],
    ['has an empty t', `t=,v1=${V1}`, 'invalid_timestamp'],
    ['has t without a value', `t,v1=${V1}`, 'invalid_timestamp'],
    ['has a plus sign in t', `t=+${T},v1=${V1}`, 'invalid_timestamp'],
    ['has a negative t', `t=-${T},v1=${V1}`, 'invalid_timestamp'],
    ['has a fractional t', `t=${T}.0,v1=${V1}`, 'invalid_timestamp'],
    ['has an exponent in t', `t=1e9,v1=${V1}`, 'invalid_timestamp'],
    ['has a hexadecimal t', `t=0x10,v1=${V1}`, 'invalid_timestamp'],
    ['has a space inside t', `t=17672 25600,v1=${V1}`, 'invalid_timestamp'],
    ['has a line feed after t', `t=${T}\n,v1=${V1}`, 'invalid_timestamp'],
    ['has non-ASCII digits in t', `t=١٧٦٧,v1=${V1}`, 'invalid_timestamp'],
    ['has a no-break space before t', `t=\u00a0${T},v1=${V1}`, 'invalid_timestamp'],
    ['has no v1', `t=${T}`, 'missing_signature'],
    ['has v0 but no v1', `t=${T},v0=${V1}`, 'missing_signature'],
    ['has an empty v1', `t=${T},v1=`, 'invalid_signature'],
    ['has an upper-case v1', `t=${T},v1=${V1.toUpperCase()}`, 'invalid_signature'],
    ['has a v1 with one digit too few', `t=${T},v1=${V1.slice(1)}`, 'invalid_signature'],
    ['has a v1 with one digit too many', `t=${T},v1=${V1}0`, 'invalid_signature'],
    ['has a v1 with a second =', `t=${T},v1=${V1}=`, 'invalid_signature'],
    ['has a v1 that is not hex', `t=${T},v1=${'g'.repeat(64)}`, 'invalid_signature'],
    ['has a v1 followed by a line feed', `t=${T},v1=${V1}\n`, 'invalid_signature'],
    ['has the v1 of a different digest', `t=${T},v1=${'0'.repeat(64)}`, 'signature_mismatch'],
    ['has a t that differs from the signed one', `t=${T + 1},v1=${V1}`, 'signature_mismatch'],
    ['has the signed t with a leading zero', `t=0${T},v1=${V1}`, 'signature_mismatch'],
  ])('%s', (_, header, reason) => {
    expect(refusalOf({ header })).toBe(reason);
  });
});

describe('checks of the signing time', () => {
  test.each<[number, SignatureErrorReason | null]>([
    [299, null],
    [299.999, null],
    [300, 'timestamp_too_old'],
    [301, 'timestamp_too_old'],
    [-299, null],
    [-299.999, null],
    [-300, 'timestamp_in_future'],
    [-301, 'timestamp_in_future'],
  ])('a request signed %p seconds ago is rejected with %p (null: accepted)', (seconds, reason) => {
    expect(refusalOf({ now: T + seconds })).toBe(reason);
    expect(refusalOf({ now: new Date((T + seconds) * 1000) })).toBe(reason);
  });

  test('a signing time with hundreds of digits is treated as a wrong signature', () => {
    const t = '9'.repeat(400);
    const header = sign({ body: BODY, secret: SECRET, timestamp: 9 }).replace('t=9,', `t=${t},`);
    expect(refusalOf({ header })).toBe('signature_mismatch');
  });

  test('the signing time is checked only if the signature is valid', () => {
    expect(refusalOf({ now: T + 10_000, body: 'forged' })).toBe('signature_mismatch');
  });

  test.each([[undefined], [null], [Number.NaN], [Number.POSITIVE_INFINITY], [String(T)], [new Date('never')], [{}]])(
    'the current time must not be %p',
    (now) => {
      expect(refusalOf({ now })).toBe('invalid_now');
    },
  );
});

describe('checks of the arguments', () => {
  test.each([[undefined], [null], [''], [[]], [['']], [[SECRET, '']], [[SECRET, 1]], [0], [{}], [Buffer.from(SECRET)]])(
    'the secret must not be %p',
    (secret) => {
      expect(refusalOf({ secret })).toBe('invalid_secret');
    },
  );

  test.each([[undefined], [null], [{ event: 'change.confirmed' }], [[123]], [1], [new ArrayBuffer(4)], [[BODY]]])(
    'the raw body must not be %p',
    (body) => {
      expect(refusalOf({ body })).toBe('invalid_body');
    },
  );

  test('arguments that throw an error when they are read are rejected', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const hostile = {
      get header(): string {
        throw new Error('hostile');
      },
    };
    expect(refusal(undefined)).toBe('invalid_input');
    expect(refusal(null)).toBe('invalid_input');
    expect(refusal(hostile)).toBe('invalid_input');
    expect(refusal(revoked.proxy)).toBe('invalid_input');
    expect(refusalOf({ secret: revoked.proxy })).toBe('invalid_input');
    expect(refusalOf({ body: revoked.proxy })).toBe('invalid_body');
  });
});

describe('for any input,', () => {
  const secrets = fc.string({ minLength: 1, maxLength: 64 });
  const bodies = fc.uint8Array({ maxLength: 200 });
  const times = fc.nat(4_000_000_000);

  test('a signed request is accepted if and only if the clocks differ by less than 300 s', () => {
    fc.assert(
      fc.property(bodies, secrets, times, fc.integer({ min: -400, max: 400 }), (body, secret, timestamp, skew) => {
        const header = sign({ body, secret, timestamp });
        expect(refusal({ header, body, secret, now: timestamp + skew }) === null).toBe(Math.abs(skew) < 300);
      }),
    );
  });

  test('a body with one flipped bit is rejected', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.nat(7), (body, at, bit) => {
        const header = sign({ body, secret: SECRET, timestamp: T });
        const flipped = Uint8Array.from(body);
        const index = at % flipped.length;
        flipped[index] = (flipped[index] ?? 0) ^ (1 << bit);
        expect(refusal({ header, body: flipped, secret: SECRET, now: T })).toBe('signature_mismatch');
      }),
    );
  });

  test('a signature made with a different secret is rejected', () => {
    fc.assert(
      fc.property(secrets, secrets, (secret, other) => {
        fc.pre(secret !== other);
        const header = sign({ body: BODY, secret, timestamp: T });
        expect(refusal({ header, body: BODY, secret: other, now: T })).toBe('signature_mismatch');
      }),
    );
  });

  test('neither the order of the fields nor unknown fields change the result', () => {
    const unknown = fc
      .stringMatching(/^[a-su-z][0-9a-z]{0,5}=[ -+.-~]{0,20}$/)
      .filter((part) => !part.startsWith('v1='));
    fc.assert(
      fc.property(fc.array(unknown, { maxLength: 5 }), fc.infiniteStream(fc.nat()), (extra, places) => {
        const parts = [`t=${T}`, `v1=${V1}`, ...extra]
          .map((part) => ({ part, place: places.next().value as number }))
          .sort((a, b) => a.place - b.place)
          .map(({ part }) => part);
        expect(refusalOf({ header: parts.join(',') })).toBeNull();
      }),
    );
  });

  test('verify throws only WebhookSignatureError, whatever the arguments', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withTypedArray: true, withNullPrototype: true });
    const fields = fc.record(
      {
        header: fc.oneof(anything, fc.constant(HEADER), fc.string({ unit: 'binary' })),
        body: fc.oneof(anything, fc.constant(BODY)),
        secret: fc.oneof(anything, fc.constant(SECRET)),
        now: fc.oneof(anything, fc.constant(T)),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fields, anything), (options) => {
        refusal(options);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a header assembled at random from valid parts is accepted only with one t and the right v1', () => {
    const piece = fc.constantFrom('t', 'v1', '=', ',', ' ', String(T), V1, 'v2', '0');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const header = pieces.join('');
        if (refusalOf({ header }) === null) {
          expect(header.replaceAll(' ', '').split(',')).toEqual(expect.arrayContaining([`t=${T}`, `v1=${V1}`]));
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
