import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** A string is an IPv4 address. */
export type NameServerAnswer = string | 'no such name' | 'failure';

export interface NameServer {
  /** The server listens on port 53 of this address. */
  readonly address: string;
  close(): void;
}

/**
 * A separate loopback address allows port 53, the only one that some programs query. Returns undefined without the
 * permission to listen.
 */
export async function startNameServer(answerFor: (name: string) => NameServerAnswer): Promise<NameServer | undefined> {
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const socket = createSocket('udp4');
  const isBound = await bindTo(socket, address);
  if (!isBound) {
    socket.close();
    return undefined;
  }
  socket.on('message', (question, from) => {
    const answer = answerTo(question, answerFor);
    if (answer) socket.send(answer, from.port, from.address);
  });
  return { address, close: () => socket.close() };
}

async function bindTo(socket: Socket, address: string): Promise<boolean> {
  socket.bind(53, address);
  return once(socket, 'listening').then(
    () => true,
    () => false,
  );
}

const HEADER_BYTES = 12;
const TYPE_A = 1;
const CLASS_IN = 1;
const ANSWERED = 0x8180;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

/** The response repeats the question, followed by a record if there is one (RFC 1035 section 4). */
function answerTo(question: Buffer, answerFor: (name: string) => NameServerAnswer): Buffer | undefined {
  const nameEnd = question.indexOf(0, HEADER_BYTES);
  if (nameEnd < 0 || question.length < nameEnd + 5) return undefined;
  const labels: string[] = [];
  for (let at = HEADER_BYTES; at < nameEnd; at += 1 + (question[at] ?? 0)) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)));
  }
  const answer = answerFor(labels.join('.'));
  const asksForIpv4 = question.readUInt16BE(nameEnd + 1) === TYPE_A;
  const records = answer === 'failure' || answer === 'no such name' || !asksForIpv4 ? [] : [recordOf(answer)];
  const code = answer === 'failure' ? SERVER_FAILURE : answer === 'no such name' ? NO_SUCH_NAME : 0;
  const header = Buffer.alloc(HEADER_BYTES);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(ANSWERED | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question.subarray(HEADER_BYTES, nameEnd + 5), ...records]);
}

function recordOf(address: string): Buffer {
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(4, 10);
  return Buffer.concat([record, Buffer.from(address.split('.').map(Number))]);
}
