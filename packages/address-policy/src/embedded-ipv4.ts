import { type IpAddress, ipv4Of } from './ip-address.js';

/**
 * The IPv4 address that a translator, a tunnel or the system itself would take out of an IPv6 address: these are ways
 * around a check of IPv4 ranges. Undefined when there is none.
 */
export function embeddedIpv4(address: IpAddress): IpAddress | undefined {
  if (address.family !== 6) return undefined;
  const form = FORMS.find(({ starts }) => starts.every(([at, byte]) => address.bytes[at] === byte));
  return form && ipv4Of(form.ipv4(address.bytes));
}

interface EmbeddedForm {
  /** The bytes that give the form away, by their place. */
  readonly starts: readonly (readonly [at: number, byte: number])[];
  ipv4(bytes: readonly number[]): readonly number[];
}

const lastFour = (bytes: readonly number[]) => bytes.slice(12);
const zeros = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => [from + index, 0] as const);

const FORMS: readonly EmbeddedForm[] = [
  // ::ffff:a.b.c.d, mapped (RFC 4291)
  { starts: [...zeros(0, 10), [10, 0xff], [11, 0xff]], ipv4: lastFour },
  // ::ffff:0:a.b.c.d, translated (RFC 2765)
  { starts: [...zeros(0, 8), [8, 0xff], [9, 0xff], [10, 0], [11, 0]], ipv4: lastFour },
  // ::a.b.c.d, compatible (RFC 4291)
  { starts: zeros(0, 12), ipv4: lastFour },
  // 64:ff9b::a.b.c.d, NAT64 (RFC 6052)
  { starts: [[0, 0], [1, 0x64], [2, 0xff], [3, 0x9b], ...zeros(4, 12)], ipv4: lastFour },
  // 64:ff9b:1:aabb:cc:ddee::, NAT64 of a local network with its /48 prefix (RFC 8215, RFC 6052 section 2.2)
  {
    starts: [
      [0, 0],
      [1, 0x64],
      [2, 0xff],
      [3, 0x9b],
      [4, 0],
      [5, 1],
    ],
    ipv4: (bytes) => [...bytes.slice(6, 8), ...bytes.slice(9, 11)],
  },
  // 2002:aabb:ccdd::, 6to4 (RFC 3056)
  {
    starts: [
      [0, 0x20],
      [1, 0x02],
    ],
    ipv4: (bytes) => bytes.slice(2, 6),
  },
  // 2001:0:…, Teredo: the client's address, inverted (RFC 4380)
  {
    starts: [
      [0, 0x20],
      [1, 0x01],
      [2, 0],
      [3, 0],
    ],
    ipv4: (bytes) => bytes.slice(12).map((byte) => byte ^ 0xff),
  },
  // …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d, ISATAP under any prefix (RFC 5214)
  {
    starts: [
      [8, 0],
      [9, 0],
      [10, 0x5e],
      [11, 0xfe],
    ],
    ipv4: lastFour,
  },
  {
    starts: [
      [8, 2],
      [9, 0],
      [10, 0x5e],
      [11, 0xfe],
    ],
    ipv4: lastFour,
  },
];
