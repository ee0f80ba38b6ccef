import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './root.mjs';

/** Phrases that are hard to read. A few correct uses are allowed (CONTRIBUTING.md, Language). */
const PHRASES = [
  /\bwhat (?:is|was|can|has|are|it|they|comes|goes|waits)\b/gi,
  /\/\*\*\s+(?:\*\s+)?(?:Of|What|Those|Who|Whose|By|With|From|Where)\b/g,
  /\b(?:nobody|somebody|anybody|whoever)\b/gi,
  /\b(?:asks?|asked|asking)\b/g,
  /\b(?:stands?|stood|holds?|held)\b/g,
  /\b(?:those (?:that|who|which)|of which)\b/gi,
  /\b(?:(?:by|of) (?:itself|themselves|its own|their own|ours|late)|our own|unless given|meanwhile)\b/g,
  /\b(?:told|tells?|telling|troubles?)\b/gi,
  /\bturns?\b/gi,
  /\b(?:looks? (?:at|for)|closer looks?)\b/g,
];
const PHRASES_PER_1000_WORDS = 2;

/** Words that texts for customers must not contain, with replacements (CONTRIBUTING.md, Language). */
const CUSTOMER_WORDS = [
  [/\breadings?\b/gi, 'check'],
  [/\bstale\b/gi, 'overdue'],
  [/\bseats?\b/gi, 'member'],
  [/(?<![\w-])mails?\b(?! server|\.)/gi, 'email'],
  [/\b(?:nobody|somebody|anybody|whoever|whom|anew)\b/gi, 'no one, someone, again'],
  [/\b(?:in force|by itself|of its own|goes on|take away)\b/gi, 'a plain verb'],
  [/\b(?:held|stands?)\b/gi, 'kept, is'],
];

const CODE = /^(?:packages|services|tools)\/.*\.tsx?$/;
const NOT_PRODUCT = /generated|\.test\.tsx?$/;
const DOCUMENT = /^(?!docs\/benchmarks\/raw\/).*\.md$/;
const FOR_CUSTOMERS =
  /^(?:services\/(?:dashboard|api)|packages\/(?:mail|contracts))\/.*\.tsx?$|^docs\/(?:reference|api|receivers)\/.*\.md$/;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const JSX_TEXT = />[^<>{}=;()]*[a-z] [a-z][^<>{}=;()]*[<{]/g;
const SQL = /\b(?:SELECT|UPDATE|INSERT|DELETE|WHERE)\b/;

function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}

/** Blanks everything except line breaks and matches. Identifiers, import paths and SQL don't count as matches. */
function only(source, ...patterns) {
  const kept = [...blank(source)];
  for (const pattern of patterns)
    for (const { 0: text, index } of source.matchAll(pattern))
      if (/\s\w+\s/.test(text) && !SQL.test(text)) for (let i = 0; i < text.length; i += 1) kept[index + i] = text[i];
  return kept.join('');
}

/** Keeps a document's text without code, or a source's strings and page texts. */
function customerText(file, source) {
  const code = /```[\s\S]*?```|`[^`\n]*`|\$\{[^}]*\}/g;
  if (file.endsWith('.md')) return source.replace(code, blank);
  return only(source.replace(COMMENT, blank), STRING, JSX_TEXT).replace(/(?<!^\s*)`[^`\n ]*`|\$\{[^}]*\}/gm, blank);
}

function hits(file, text, pattern) {
  return [...text.matchAll(pattern)].map(({ 0: match, index }) => {
    const line = text.slice(0, index).split('\n').length;
    return `${file}:${line}  ${match.trim()}`;
  });
}

/** Returns pairs of path and text. */
export function trackedSources() {
  const listed = execFileSync('git', ['-C', root, 'ls-files'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const files = listed
    .split('\n')
    .filter((file) => (CODE.test(file) && !NOT_PRODUCT.test(file)) || DOCUMENT.test(file));
  return files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]);
}

/**
 * Checks the language of comments, strings, page texts and documents.
 * @param sources {[string, string][]} pairs of path and text
 * @returns {string[]} the problems, each with file and line
 */
export function proseProblems(sources) {
  const problems = [];
  const prose = (file, source) => (DOCUMENT.test(file) ? source : only(source, COMMENT, STRING, JSX_TEXT));
  for (const [area, pattern] of [
    ['code', CODE],
    ['documents', DOCUMENT],
  ]) {
    const texts = sources.filter(([file]) => pattern.test(file)).map(([file, source]) => [file, prose(file, source)]);
    const words = texts.reduce((sum, [, text]) => sum + (text.match(/[A-Za-z]{2,}/g) ?? []).length, 0);
    const found = texts.flatMap(([file, text]) => PHRASES.flatMap((phrase) => hits(file, text, phrase)));
    const rate = (1000 * found.length) / words;
    if (rate > PHRASES_PER_1000_WORDS)
      problems.push(
        ...found,
        `${rate.toFixed(1)} odd phrases per 1,000 words of ${area}: at most ${PHRASES_PER_1000_WORDS}`,
      );
  }
  for (const [file, source] of sources.filter(([name]) => FOR_CUSTOMERS.test(name)))
    for (const [word, better] of CUSTOMER_WORDS)
      problems.push(...hits(file, customerText(file, source), word).map((hit) => `${hit} (for customers: ${better})`));
  return problems;
}
