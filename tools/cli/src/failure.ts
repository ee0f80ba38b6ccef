import { ApiError } from '@artist-watch/contracts/api/errors';
import { Refusal } from '@artist-watch/domain/refusals';
import { isDatabaseUnavailable } from '@artist-watch/persistence/database/database-errors';
import { explainStartFailure } from '@artist-watch/runtime/settings/start-failure';
import { CommanderError } from 'commander';

/** The message must be a single sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ends the command with exit code 1 but no message, because stdout already contains the result. */
export class AlreadyReported extends Error {
  override readonly name = 'AlreadyReported';
}

/** Commander's error codes after it has printed the help or the version. */
const HELP_SHOWN = new Set(['commander.helpDisplayed', 'commander.help', 'commander.version']);

const DATABASE_AWAY =
  'The database did not respond in time: it is down or overloaded. Check whether the command took effect, then retry.';

/** Returns undefined if the command has already printed everything. */
export function sentenceFor(error: unknown): string | undefined {
  if (error instanceof AlreadyReported) return undefined;
  if (error instanceof CommanderError) {
    return HELP_SHOWN.has(error.code) ? undefined : asSentence(error.message.replace(/^error: /, ''));
  }
  if (error instanceof Refusal || error instanceof ApiError || error instanceof UsageError)
    return oneLine(error.message);
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
