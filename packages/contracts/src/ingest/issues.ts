import type { z } from 'zod';

const MAX_ISSUES = 5;

/**
 * What is wrong, for the one who sent it: `severity must be one of …; type must be snake_case`. Shows no value. To tell
 * what is missing from what has another type, it needs an error of a parse with `reportInput`.
 *
 * @param whole what the error as a whole is about: `the body`.
 */
export function describeIssues(error: z.ZodError, whole: string): string {
  const texts = error.issues.slice(0, MAX_ISSUES).map((issue) => {
    const place = issue.path.map(String).join('.') || whole;
    return `${place} ${describeIssue(issue)}`;
  });
  const left = error.issues.length - texts.length;
  return left > 0 ? `${texts.join('; ')}; and ${left} more` : texts.join('; ');
}

function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${WITH_ARTICLE[issue.expected] ?? issue.expected}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys
        .slice(0, MAX_ISSUES)
        .map((key) => key.slice(0, MAX_KEY_CHARS))
        .join(', ')}`;
    default:
      return issue.message;
  }
}

const MAX_KEY_CHARS = 64;

const WITH_ARTICLE: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
};
