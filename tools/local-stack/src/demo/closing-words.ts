import type { ReadyState } from '../stack/ready-file.js';
import type { Ending } from './story.js';

/** What a reader needs to go on alone: addresses, the key, and commands that work when they are copied. */
export function closingWords(stack: ReadyState, ending: Ending, receiverUrl: string, hasCurl: boolean): string {
  const ask = (path: string, method: 'GET' | 'POST' = 'GET') =>
    requestCommand(`${stack.apiUrl}${path}`, method, stack.apiKey, hasCurl);
  const { DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, PLATFORM } = stack.env;
  const lines = [
    '',
    'It goes on running; Ctrl-C stops everything.',
    '',
    ...(stack.dashboardUrl === null
      ? []
      : [
          'The story goes on in the dashboard:',
          '',
          `  1. ${stack.dashboardUrl}/sign-in   asks for a mail; sign in as ${stack.memberEmail}`,
          `  2. ${stack.mailboxUrl ?? 'SMTP_URL'}   is the mailbox: type the code of the mail, or open its link in the same browser`,
          `  3. ${stack.dashboardUrl}/a/${stack.accountId}/changes/${ending.changeId}   is the change above, with its evidence`,
          '',
          `  Dashboard        ${stack.dashboardUrl}`,
          `  Mailbox          ${stack.mailboxUrl ?? 'SMTP_URL'}`,
        ]),
    `  API              ${stack.apiUrl}`,
    `  API key          ${stack.apiKey}`,
    `  Account          ${stack.accountId}`,
    `  Ingest           ${stack.ingestUrl}   (token ${stack.ingestToken})`,
    `  Platform         ${stack.platformUrl}   (${stack.platform}, simulated)`,
    `  Its controls     ${stack.platformControlUrl}`,
    `  Receiver         ${receiverUrl}`,
    `  Egress proxy     ${stack.egressProxyUrls.join('  ')}`,
    `  Operations       ${Object.values(stack.opsUrls).flat().join('  ')}   (/livez /readyz /metrics)`,
    `  PostgreSQL       ${stack.databaseUrl}`,
    `  Redis            ${stack.redisUrl}`,
    `  Logs             ${stack.logsDirectory}`,
    '',
    'To try:',
    '',
    `  ${ask('/changes')}`,
    `  ${ask('/artists')}`,
    `  ${ask('/usage')}`,
    `  ${ask('/deliveries')}`,
    `  ${ask(`/destinations/${ending.destinationId}/test`, 'POST')}`,
  ];
  if (ending.nextRelease) {
    const url = `${stack.platformControlUrl}/releases/${ending.nextRelease.id}/remove`;
    lines.push(
      `  ${requestCommand(url, 'POST', undefined, hasCurl)}`,
      `    (removes "${ending.nextRelease.title}" too; watch it arrive below, and being checked on the overview of the dashboard)`,
    );
  }
  lines.push(
    '',
    `  export DATABASE_URL='${DATABASE_URL}' REDIS_URL=${REDIS_URL} ENCRYPTION_KEY=${ENCRYPTION_KEY} PLATFORM=${PLATFORM}`,
    `  npm run --silent cli -- delivery list --account ${stack.accountId} --json`,
  );
  return lines.join('\n');
}

/** With curl, or with Node alone where there is none. */
function requestCommand(url: string, method: 'GET' | 'POST', apiKey: string | undefined, hasCurl: boolean): string {
  if (hasCurl) {
    const authorization = apiKey === undefined ? '' : ` -H "Authorization: Bearer ${apiKey}"`;
    return `curl -s${method === 'POST' ? ' -X POST' : ''}${authorization} ${url}`;
  }
  const headers = apiKey === undefined ? '' : `, headers: { Authorization: 'Bearer ${apiKey}' }`;
  const options = `{ method: '${method}'${headers} }`;
  return `node -e "fetch('${url}', ${options}).then(r => r.text()).then(console.log)"`;
}
