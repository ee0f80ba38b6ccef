import type { ReadyState } from '../stack/ready-file.js';
import type { Ending } from './story.js';

export function closingWords(stack: ReadyState, ending: Ending, receiverUrl: string, hasCurl: boolean): string {
  const request = (path: string, method: 'GET' | 'POST' = 'GET') =>
    requestCommand(`${stack.apiUrl}${path}`, method, stack.apiKey, hasCurl);
  const { DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, PLATFORM } = stack.env;
  const lines = [
    '',
    'The system keeps running. Ctrl-C stops everything.',
    '',
    ...(stack.dashboardUrl === null
      ? []
      : [
          'Continue in the dashboard:',
          '',
          `  1. ${stack.dashboardUrl}/sign-in   sign in as ${stack.memberEmail}`,
          `  2. ${stack.mailboxUrl ?? 'SMTP_URL'}   is the mailbox: copy the code from the email, or open its link in the same browser`,
          `  3. ${stack.dashboardUrl}/a/${stack.accountId}/changes/${ending.changeId}   shows the change above with its evidence`,
          '',
          `  Dashboard        ${stack.dashboardUrl}`,
          `  Mailbox          ${stack.mailboxUrl ?? 'SMTP_URL'}`,
        ]),
    `  API              ${stack.apiUrl}`,
    `  API key          ${stack.apiKey}`,
    `  Account          ${stack.accountId}`,
    `  Ingest           ${stack.ingestUrl}   (token ${stack.ingestToken})`,
    `  Platform         ${stack.platformUrl}   (${stack.platform}, simulated)`,
    `  Its control API  ${stack.platformControlUrl}`,
    `  Receiver         ${receiverUrl}`,
    `  Egress proxy     ${stack.egressProxyUrls.join('  ')}`,
    `  Operations       ${Object.values(stack.opsUrls).flat().join('  ')}   (/livez /readyz /metrics)`,
    `  PostgreSQL       ${stack.databaseUrl}`,
    `  Redis            ${stack.redisUrl}`,
    `  Logs             ${stack.logsDirectory}`,
    '',
    'To try:',
    '',
    `  ${request('/changes')}`,
    `  ${request('/artists')}`,
    `  ${request('/usage')}`,
    `  ${request('/deliveries')}`,
    `  ${request(`/destinations/${ending.destinationId}/test`, 'POST')}`,
  ];
  if (ending.nextRelease) {
    const url = `${stack.platformControlUrl}/releases/${ending.nextRelease.id}/remove`;
    lines.push(
      `  ${requestCommand(url, 'POST', undefined, hasCurl)}`,
      `    (also removes "${ending.nextRelease.title}"; the dashboard shows the verification, then the webhook appears below)`,
    );
  }
  lines.push(
    '',
    `  export DATABASE_URL='${DATABASE_URL}' REDIS_URL=${REDIS_URL} ENCRYPTION_KEY=${ENCRYPTION_KEY} PLATFORM=${PLATFORM}`,
    `  npm run --silent cli -- delivery list --account ${stack.accountId} --json`,
  );
  return lines.join('\n');
}

/** Returns a curl command, or a Node command if curl is not installed. */
function requestCommand(url: string, method: 'GET' | 'POST', apiKey: string | undefined, hasCurl: boolean): string {
  if (hasCurl) {
    const authorization = apiKey === undefined ? '' : ` -H "Authorization: Bearer ${apiKey}"`;
    return `curl -s${method === 'POST' ? ' -X POST' : ''}${authorization} ${url}`;
  }
  const headers = apiKey === undefined ? '' : `, headers: { Authorization: 'Bearer ${apiKey}' }`;
  const options = `{ method: '${method}'${headers} }`;
  return `node -e "fetch('${url}', ${options}).then(r => r.text()).then(console.log)"`;
}
