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

const SIDE = 256;

/** Draws a disc on a diagonal gradient, with a palette: 128 colors for the ground, and 128 for the disc. */
function drawPicture(id: string): Buffer {
  const [hue = 0, range = 0, size = 0, place = 0] = Buffer.from(id, 'hex');
  const [radius, center] = [48 + size / 4, 96 + place / 4];
  const palette = Array.from({ length: 256 }, (_, index) => {
    const along = (index % 128) / 128;
    const isDisc = index >= 128;
    return rgb(hue * 1.4 + (20 + range / 5) * along + (isDisc ? 180 : 0), (isDisc ? 0.6 : 0.25) + along / 4);
  });
  const rows = Array.from({ length: SIDE }, (_, y) => {
    const isDisc = (x: number) => Math.hypot(x - center, y - center) < radius;
    return [0, ...Array.from({ length: SIDE }, (__, x) => (isDisc(x) ? 128 : 0) + ((x + y) >> 2))];
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Converts a color with a saturation of 45% (https://www.w3.org/TR/css-color-4/#hsl-to-rgb). */
function rgb(hue: number, lightness: number): number[] {
  const amplitude = 0.45 * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const place = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  });
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
