import { Refusal } from '@artist-watch/domain/refusals';
import { isDatabaseUnavailable } from '@artist-watch/persistence/database/database-errors';
import { explainStartFailure } from '@artist-watch/runtime/settings/start-failure';
import { CommanderError } from 'commander';

/** A wrong request of the person at the keyboard: the message is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ends the command with exit code 1; what there is to say stands on stdout. */
export class AlreadyReported extends Error {
  override readonly name = 'AlreadyReported';
}

/** Help was asked for, or shown because there was nothing to run: commander has written it. */
const HELP_SHOWN = new Set(['commander.helpDisplayed', 'commander.help', 'commander.version']);

const DATABASE_AWAY =
  'The database did not respond in time: it is down or overloaded. Check whether the change was made, then retry.';

/** What goes to stderr, as one line; undefined when everything has been said. */
export function sentenceFor(error: unknown): string | undefined {
  if (error instanceof AlreadyReported) return undefined;
  if (error instanceof CommanderError) {
    return HELP_SHOWN.has(error.code) ? undefined : asSentence(error.message.replace(/^error: /, ''));
  }
  if (error instanceof Refusal || error instanceof UsageError) return oneLine(error.message);
  const { sentence, known } = explainStartFailure(error);
  return !known && isDatabaseUnavailable(error) ? DATABASE_AWAY : oneLine(sentence);
}

export function exitCodeFor(error: unknown): number {
  return error instanceof CommanderError ? error.exitCode : 1;
}

function asSentence(text: string): string {
  const line = oneLine(text);
  const capital = line.charAt(0).toUpperCase() + line.slice(1);
  return /[.?)]$/.test(capital) ? capital : `${capital}.`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
