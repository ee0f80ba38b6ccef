/** Matches at most 4,096 characters at a time, because RegExp runs out of memory on very long matches. */
const STRING_PART = /[ !#-[\]-\uffff]{1,4096}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;
const QUOTE = /"/y;
const SPACE = /[ \t\r\n]*/y;

/** Characters that are safe to repeat in an error message. */
const SHOWN = /^[!-_a-~]$/;

/**
 * Describes the first JSON error. Quotes at most one character, because longer quotes could contain secrets.
 *
 * @returns `` unexpected `}` at character 25 ``, counted from 1
 */
export function describeJsonError(text: string): string {
  const offset = errorOffset(text);
  const character = text.slice(offset, offset + 1);
  if (character === '') return `it ends unexpectedly after character ${text.length}`;
  const what = SHOWN.test(character) ? `\`${character}\`` : 'character';
  return `unexpected ${what} at character ${offset + 1}`;
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end';

/** Returns the offset of the first invalid character. Avoids recursion, because the text may be deeply nested. */
function errorOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isTaken = pattern.test(text);
    if (isTaken) at = pattern.lastIndex;
    return isTaken;
  };
  const takeString = () => {
    if (!take(QUOTE)) return false;
    while (take(STRING_PART));
    return take(QUOTE);
  };
  const closes = (character: string | undefined) => character === (open.at(-1) === '{' ? '}' : ']');
  for (;;) {
    take(SPACE);
    const character = text[at];
    if (character === undefined) return at;
    if (expected === ', or end') {
      if (open.length === 0) return at;
      if (closes(character)) open.pop();
      else if (character === ',') expected = open.at(-1) === '{' ? 'key' : 'value';
      else return at;
      at += 1;
    } else if (expected === ':') {
      if (character !== ':') return at;
      at += 1;
      expected = 'value';
    } else if ((expected === 'key or }' || expected === 'value or ]') && closes(character)) {
      open.pop();
      at += 1;
      expected = ', or end';
    } else if (expected === 'key' || expected === 'key or }') {
      if (!takeString()) return at;
      expected = ':';
    } else if (character === '{' || character === '[') {
      open.push(character);
      at += 1;
      expected = character === '{' ? 'key or }' : 'value or ]';
    } else {
      if (!(character === '"' ? takeString() : take(SCALAR))) return at;
      expected = ', or end';
    }
  }
}
