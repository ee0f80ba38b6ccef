import { describe, expect, test } from '@jest/globals';

const { proseProblems } = await import(new URL('../../tools/setup/prose.mjs', import.meta.url).href);

const PLAIN =
  `/** Returns the artist with this id, or null if it is unknown. The caller checks the account. */\n`.repeat(20);

describe('the language check', () => {
  test('the language check accepts a rare odd phrase, and lists each one if there are more than 2 per 1,000 words', () => {
    expect(proseProblems([['packages/a/src/a.ts', `${PLAIN.repeat(5)}// The lock that it still holds.\n`]])).toEqual(
      [],
    );
    const odd = `${PLAIN}/** Of those that wait. */\n`;
    expect(proseProblems([['packages/a/src/a.ts', odd]])).toEqual([
      'packages/a/src/a.ts:21  /** Of',
      'packages/a/src/a.ts:21  those that',
      expect.stringMatching(/^\d\.\d odd phrases per 1,000 words of code: at most 2$/),
    ]);
    expect(proseProblems([['docs/a.md', 'The account is told.\n']])).toHaveLength(2);
  });

  test('the language check reports words that customer texts must not use, but not in names, comments and imports', () => {
    expect(
      proseProblems([
        ['services/dashboard/src/a.tsx', `${PLAIN}const page = <p>The artist is stale since noon</p>;\n`],
        [
          'packages/mail/src/a.ts',
          `${PLAIN}// A mail to a member.\nimport a from '../mail/a.js';\nconst b = 'A mail to you';\n`,
        ],
        ['docs/reference/a.md', `${PLAIN}An artist of status \`stale\` has no seat.\n`],
      ]),
    ).toEqual([
      'services/dashboard/src/a.tsx:21  stale (for customers: overdue)',
      'packages/mail/src/a.ts:23  mail (for customers: email)',
      'docs/reference/a.md:21  seat (for customers: member)',
    ]);
  });
});
