import type { z } from 'zod';
import type { ParamProblem } from '../api/errors.js';

const MAX_ISSUES = 5;
const MAX_KEY_CHARS = 64;

/**
 * Describes the problems without quoting values from the body, for example `severity must be one of …; type must be
 * snake_case`.
 * @param error from a parse with `reportInput`, which distinguishes missing fields from wrong types
 * @param whole the subject to use for problems that aren't about a single field, such as `the body`
 */
export function describeIssues(error: z.ZodError, whole: string): string {
  const texts = error.issues.slice(0, MAX_ISSUES).map((issue) => {
    return `${pathOf(issue) || whole} ${describeIssue(issue)}`;
  });
  const left = error.issues.length - texts.length;
  return left > 0 ? `${texts.join('; ')}; and ${left} more` : texts.join('; ');
}

export function paramProblems(error: z.ZodError): ParamProblem[] {
  return error.issues.flatMap((issue): ParamProblem[] => {
    const path = pathOf(issue);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => {
        const param = path === '' ? shortened(key) : `${path}.${shortened(key)}`;
        return { param, message: `${param} is an unknown field.` };
      });
    }
    return [{ param: path || 'body', message: `${path || 'The body'} ${describeIssue(issue)}.` }];
  });
}

function pathOf({ path }: z.core.$ZodIssue): string {
  return path.map(String).join('.');
}

function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${WITH_ARTICLE[issue.expected] ?? issue.expected}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.slice(0, MAX_ISSUES).map(shortened).join(', ')}`;
    default:
      return issue.message;
  }
}

function shortened(key: string): string {
  return key.slice(0, MAX_KEY_CHARS);
}

const WITH_ARTICLE: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'an object',
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
};
