import type { Environment } from '../stack/environment.js';

/**
 * A removal is believed after half an hour of looking, which is too long to watch. These make it seconds, unless
 * somebody asks for something else.
 */
const quickSettings = {
  CONFIRM_OBSERVATIONS: '3',
  CONFIRM_SPAN: '4s',
  CONFIRM_INTERVAL: '2s',
  POLL_INTERVAL_FACTOR: '0.003',
  MAIL_GROUP_WAIT: '200ms',
} as const;

export function quickened(environment: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ...quickSettings, ...Object.fromEntries(given) };
}

export function describePace(environment: Environment): string {
  const { CONFIRM_OBSERVATIONS, CONFIRM_SPAN, CONFIRM_INTERVAL, POLL_INTERVAL_FACTOR } = environment;
  return (
    `For this demo time runs faster: a removal is confirmed by ${CONFIRM_OBSERVATIONS} observations over ${CONFIRM_SPAN}, ` +
    `one every ${CONFIRM_INTERVAL} (CONFIRM_SPAN is 30m otherwise), and artists are read at ${POLL_INTERVAL_FACTOR} of ` +
    'the usual interval (POLL_INTERVAL_FACTOR).'
  );
}
