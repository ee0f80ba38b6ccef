import { hash } from 'node:crypto';

/** A strong validator (RFC 9110 section 8.8.3): the same tag for the same bytes only. */
export function entityTag(body: Uint8Array | string): string {
  return `"${hash('sha1', body, 'base64url')}"`;
}

/** RFC 9110 section 13.1.2: does the caller have this already? Our tags hold no comma, so the list splits at each. */
export function isHeld(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((part) => {
    const held = part.trim();
    return held === '*' || held === tag || held === `W/${tag}`;
  });
}
