import type { Platform } from '../catalogue.js';

const FORMS: Readonly<Record<Platform, RegExp>> = { deezer: /^[0-9]{1,20}$/, spotify: /^[0-9A-Za-z]{22}$/ };

/** Whether the platform can have something by this id; whether it has, the platform knows. */
export function isPlatformId(platform: Platform, id: string): boolean {
  return FORMS[platform].test(id);
}

/** Completes a sentence whose subject is an id: `"platform_id" is 1 to 20 digits …`. */
export const PLATFORM_ID_FORMS: Readonly<Record<Platform, string>> = {
  deezer: 'is 1 to 20 digits, such as "27"',
  spotify: 'is 22 letters and digits, such as "4tZwfgrHOc3mvqYlEYSvVi"',
};
