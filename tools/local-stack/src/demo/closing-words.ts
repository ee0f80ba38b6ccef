import type { ReadyState } from '../stack/ready-file.js';
import type { Ending } from './story.js';

/** What a reader needs to go on alone: addresses, the key, and commands that work when they are copied. */
export function closingWords(stack: ReadyState, ending: Ending, receiverUrl: string): string {
  const authorization = `-H "Authorization: Bearer ${stack.apiKey}"`;
  const lines = [
    '',
    'It goes on running; Ctrl-C stops everything.',
    '',
    `  API              ${stack.apiUrl}`,
    `  API key          ${stack.apiKey}`,
    `  Ingest           ${stack.ingestUrl}   (token ${stack.ingestToken})`,
    `  Platform         ${stack.platformUrl}   (${stack.platform}, simulated)`,
    `  Its controls     ${stack.platformControlUrl}`,
    `  Receiver         ${receiverUrl}`,
    `  Operations       ${Object.values(stack.opsUrls).flat().join('  ')}   (/livez /readyz /metrics)`,
    `  PostgreSQL       ${stack.databaseUrl}`,
    `  Redis            ${stack.redisUrl}`,
    `  Logs             ${stack.logsDirectory}`,
    '',
    'To try:',
    '',
    `  curl -s ${authorization} ${stack.apiUrl}/changes`,
    `  curl -s ${authorization} ${stack.apiUrl}/artists`,
    `  curl -s ${authorization} ${stack.apiUrl}/usage`,
    `  curl -s ${authorization} ${stack.apiUrl}/deliveries`,
    `  curl -s -X POST ${authorization} ${stack.apiUrl}/destinations/${ending.destinationId}/test`,
  ];
  if (ending.nextRelease) {
    lines.push(
      `  curl -s -X POST ${stack.platformControlUrl}/releases/${ending.nextRelease.id}/remove`,
      `    removes "${ending.nextRelease.title}" too; watch it arrive below`,
    );
  }
  return lines.join('\n');
}
