import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { homedir } from 'node:os';
import path from 'node:path';
import { freePort } from '@artist-watch/local-stack/processes/free-port';
import { startServerProcess } from '@artist-watch/local-stack/processes/server-process';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import { findProgram } from '../contract/k8s/find-program.js';
import { type CertificateFiles, writeCertificates } from '../harness/certificates.js';
import { until } from '../harness/until.js';

export const DEFINITIONS = path.join(homedir(), '.cache', 'artist-watch', 'kube', 'definitions');

const TOKEN = 'of-this-control-plane-alone';
const START_TIMEOUT_MS = 180_000;

export interface ControlPlane {
  readonly directory: string;
  readonly kubeconfig: string;
  /** Servers and clients of the API server on 127.0.0.1 use these certificates. */
  readonly certificates: CertificateFiles;
  /** Rejects unless the response is 2xx. */
  request(method: string, resource: string, body?: object): Promise<string>;
  /** The program runs until it or the control plane is stopped. */
  run(
    name: string,
    command: string,
    args: readonly string[],
    env?: NodeJS.ProcessEnv,
  ): Promise<{ stop(): Promise<void> }>;
  stop(): Promise<void>;
}

/** Undefined if a program of a control plane is not installed (build.sh). */
export function findControlPlane(): Record<'etcd' | 'apiserver' | 'controllers' | 'scheduler', string> | undefined {
  const [etcd, apiserver, controllers, scheduler] = [
    ...['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
  ].map(findProgram);
  return etcd && apiserver && controllers && scheduler ? { etcd, apiserver, controllers, scheduler } : undefined;
}

/** The control plane has no kubelet. `stop` deletes everything. */
export function startControlPlane(programs: NonNullable<ReturnType<typeof findControlPlane>>): Promise<ControlPlane> {
  return startTemporaryServers('artist-watch-kubernetes-', async ({ directory, reaper, keep, stop }) => {
    const start: ControlPlane['run'] = async (name, command, args, more = {}) => {
      const env = { ...process.env, KUBECONFIG: path.join(directory, 'kubeconfig'), ...more };
      const logFile = path.join(directory, `${name}.log`);
      const server = await startServerProcess({ command, args, cwd: directory, env, logFile }, reaper);
      return keep({ stop: async () => void (await server.stop(['SIGTERM'], 10_000)) });
    };
    const [client, peer, api, controllers, scheduler] = await Promise.all(Array.from({ length: 5 }, freePort));
    const at = (port: number | undefined) => `http://127.0.0.1:${port}`;
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const file = async (name: string, text: string | Buffer) => {
      const place = path.join(directory, name);
      await writeFile(place, text, { mode: 0o600 });
      return place;
    };
    const serviceAccountKey = await file('accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const serviceAccountPublicKey = await file('accounts.pub', publicKey.export({ type: 'spki', format: 'pem' }));
    const tokens = await file('tokens.csv', `${TOKEN},admin,admin,system:masters\n`);
    const kubeconfig = await file('kubeconfig', JSON.stringify(kubeconfigOf(`https://127.0.0.1:${api}`)));
    const ownCertificates = path.join(directory, 'certificates');
    await mkdir(ownCertificates);
    const certificates = await writeCertificates(directory);

    await start('etcd', programs.etcd, [
      ...['--data-dir', path.join(directory, 'etcd'), '--unsafe-no-fsync'],
      ...['--listen-client-urls', at(client), '--advertise-client-urls', at(client)],
      ...['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
      ...['--initial-cluster', `default=${at(peer)}`],
    ]);
    await start('kube-apiserver', programs.apiserver, [
      ...[`--etcd-servers=${at(client)}`, '--bind-address=127.0.0.1', '--advertise-address=127.0.0.1'],
      ...[`--secure-port=${api}`, `--cert-dir=${ownCertificates}`, `--token-auth-file=${tokens}`],
      ...['--authorization-mode=Node,RBAC', '--service-cluster-ip-range=10.96.0.0/16'],
      ...['--endpoint-reconciler-type=none', '--service-account-issuer=https://kubernetes.default.svc'],
      ...[
        `--service-account-key-file=${serviceAccountPublicKey}`,
        `--service-account-signing-key-file=${serviceAccountKey}`,
      ],
      // Other APIs, such as KEDA's metrics, need these credentials.
      ...[`--proxy-client-cert-file=${certificates.certificate}`, `--proxy-client-key-file=${certificates.key}`],
      ...[`--requestheader-client-ca-file=${certificates.authority}`, '--requestheader-username-headers=X-Remote-User'],
      ...['--requestheader-group-headers=X-Remote-Group', '--requestheader-extra-headers-prefix=X-Remote-Extra-'],
    ]);
    const request = requestTo(`https://127.0.0.1:${api}`);
    await until('the API server', () => request('GET', '/readyz'), START_TIMEOUT_MS);
    await start('kube-controller-manager', programs.controllers, [
      ...[`--kubeconfig=${kubeconfig}`, '--bind-address=127.0.0.1', `--secure-port=${controllers}`],
      ...['--leader-elect=false', `--service-account-private-key-file=${serviceAccountKey}`],
      // Nodes without a kubelet report no status.
      '--controllers=*,-node-lifecycle-controller',
    ]);
    await start('kube-scheduler', programs.scheduler, [
      ...[
        `--kubeconfig=${kubeconfig}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${scheduler}`,
        '--leader-elect=false',
      ],
    ]);
    await until(
      'the controllers',
      () => request('GET', '/api/v1/namespaces/default/serviceaccounts/default'),
      START_TIMEOUT_MS,
    );
    return { directory, kubeconfig, certificates, request, run: start, stop };
  });
}

function kubeconfigOf(server: string): object {
  const name = 'this';
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: { token: TOKEN } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

function requestTo(server: string): ControlPlane['request'] {
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  return (method, resource, body) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      };
      const request = https.request(`${server}${resource}`, { method, agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const status = answer.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(text);
          else reject(new Error(`${method} ${resource}: ${status} ${text}`));
        });
      });
      request.on('error', reject);
      request.end(body && JSON.stringify(body));
    });
}
