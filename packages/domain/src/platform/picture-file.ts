/** What platforms serve, and all that is shown of it: nothing that a browser could run. */
export type PictureType = 'image/jpeg' | 'image/png';

export interface PictureFile {
  readonly type: PictureType;
  readonly width: number;
  readonly height: number;
}

/** A browser that draws more than this takes hundreds of megabytes for it, however few bytes were sent. */
const MAX_PIXELS_A_SIDE = 4_096;

/**
 * The form and size of a picture, by its own first bytes: what a server says about it may be wrong. Undefined for whatever
 * else it is, and for one that is larger than a cover ever is.
 */
export function readPictureFile(bytes: Uint8Array): PictureFile | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const file = pngFile(view) ?? jpegFile(view);
  if (!file) return undefined;
  const sides = [file.width, file.height];
  return sides.every((pixels) => pixels > 0 && pixels <= MAX_PIXELS_A_SIDE) ? file : undefined;
}

/** https://www.w3.org/TR/png-3/#5DataRep: the signature, then IHDR with width and height. */
function pngFile(view: DataView): PictureFile | undefined {
  if (view.byteLength < 33 || view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return undefined;
  if (view.getUint32(12) !== 0x49484452) return undefined;
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** ITU-T T.81, annex B: segments up to the frame header (SOF), which has height and width. */
function jpegFile(view: DataView): PictureFile | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // Bytes 0xff may stand in front of any marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameHeader(marker)) {
      return { type: 'image/jpeg', height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
    if (!hasLength(marker)) return undefined;
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

/** SOF0 to SOF15, without DHT, JPG and DAC, which stand between them. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Tables, application data and comments: what may stand in front of the frame. */
function hasLength(marker: number): boolean {
  return marker === 0xc4 || marker === 0xcc || (marker >= 0xdb && marker <= 0xfe);
}

/** Why a change's picture is not shown, as a sentence for the reader of the change. */
export const PICTURE_PROBLEMS = {
  absent: 'This picture is no longer available.',
  unreachable: 'The picture server did not respond.',
  too_large: 'The picture is too large to store.',
  not_a_picture: 'The file is not a JPEG or PNG picture.',
  unknown_id: 'The picture has an unknown ID format.',
} as const;

export type PictureProblem = keyof typeof PICTURE_PROBLEMS;
