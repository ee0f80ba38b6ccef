import { crc32, deflateSync } from 'node:zlib';
import { type RequestHandler, Router } from 'express';

/** Both platforms keep serving old pictures. */
const PATHS = [/^\/images\/(?:artist|cover)\/([0-9a-f]{32})\/\d+x\d+-000000-80-0-0\.jpg$/, /^\/image\/([0-9a-f]{40})$/];

export function picturesRouter(): Router {
  const router = Router();
  const serve: RequestHandler = (request, response) => {
    const id = PATHS.map((path) => path.exec(request.path)?.[1]).find((found) => found !== undefined) ?? '';
    // The first 16 hex digits of a Spotify id encode only the picture's kind and size.
    response.type('png').send(drawPicture(id.slice(-24)));
  };
  router.get(PATHS, serve);
  return router;
}

const CELLS = 8;
const CELL_PIXELS = 40;

function drawPicture(id: string): Buffer {
  const digit = (index: number) => Number.parseInt(id[index % id.length] ?? '0', 16);
  const colours = [0, 1].map((which) => Buffer.from([0, 1, 2].map((part) => 17 * digit(3 * which + part))));
  const pixels = CELLS * CELL_PIXELS;
  const rows = Array.from({ length: pixels }, (_, y) => {
    const row = Array.from({ length: CELLS }, (__, x) => {
      const cell = CELLS * Math.floor(y / CELL_PIXELS) + x;
      const colour = colours[(digit(6 + Math.floor(cell / 4)) >> (cell % 4)) & 1] as Buffer;
      return Buffer.concat(Array<Buffer>(CELL_PIXELS).fill(colour));
    });
    return Buffer.concat([Buffer.from([0]), ...row]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const data = deflateSync(Buffer.concat(rows));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
