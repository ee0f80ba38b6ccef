import type { z } from 'zod';

/** What is wrong with an answer, in one line: a page of a hundred broken items is one problem. */
export function firstIssue({ issues }: z.ZodError): string {
  const [first] = issues;
  if (!first) return 'not of the expected shape';
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${first.path.map(String).join('.') || 'the answer'}: ${first.message}${more}`;
}
