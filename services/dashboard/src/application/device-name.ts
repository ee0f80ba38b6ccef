import Bowser from 'bowser';

/** Of a browser that nobody knows its own words are shown, and not all of them. */
const MAX_UNKNOWN_CHARS = 60;

/** A browser as its member knows it: "Firefox on Windows". @param userAgent what the browser says of itself */
export function deviceName(userAgent: string): string {
  if (userAgent === '') return 'An unnamed browser';
  const { browser, os, platform } = Bowser.parse(userAgent);
  if (!browser.name) return userAgent.slice(0, MAX_UNKNOWN_CHARS);
  const system = platform.model && platform.type !== 'desktop' ? platform.model : os.name;
  return system ? `${browser.name} on ${system}` : browser.name;
}
