import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUILT_PROGRAMS, findProgram } from '../contract/k8s/find-program.js';
import { type ControlPlane, DEFINITIONS, type findControlPlane, startControlPlane } from './control-plane.js';
import { startKubelets } from './kubelets.js';

const run = promisify(execFile);
export const root = fileURLToPath(new URL('../../', import.meta.url));
export const timeoutMs = 600_000;
const NODES = 6;

/** The pods run nothing, so commands that would read from a pod only check that the object exists. */
const STAND_IN = `#!/bin/bash
namespace=()
if [ "$1" = -n ]; then namespace=(-n "$2"); shift 2; fi
case $1 in
  logs | exec | port-forward)
    for word in "\${@:2}"; do
      case $word in --) break ;; --selector=*) exec "$KUBECTL" "\${namespace[@]}" get pods "$word" --output=name ;; deployment/* | job/* | pod/*) exec "$KUBECTL" "\${namespace[@]}" get "$word" ;; esac
    done
    echo "no object in: $*" >&2; exit 1 ;;
  top) exit 0 ;;
esac
exec "$KUBECTL" "\${namespace[@]}" "$@"
`;

/** Includes nodes, KEDA's and the Prometheus operator's definitions, the namespace and its Secrets. */
export interface Cluster {
  readonly plane: ControlPlane;
  /** Commands run in a copy of k8s/, which is changed as an installer would change it. */
  readonly checkout: string;
  /** Rejects if any command fails. */
  bash(script: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startCluster(programs: NonNullable<ReturnType<typeof findControlPlane>>): Promise<Cluster> {
  const plane = await startControlPlane(programs);
  const stopKubelets = await startKubelets(plane, NODES);
  const checkout = path.join(plane.directory, 'checkout');
  await cp(path.join(root, 'k8s'), path.join(checkout, 'k8s'), { recursive: true, verbatimSymlinks: true });
  const bin = path.join(plane.directory, 'bin');
  await mkdir(bin);
  await writeFile(path.join(bin, 'kubectl'), STAND_IN);
  await chmod(path.join(bin, 'kubectl'), 0o755);
  const env = {
    ...process.env,
    KUBECTL: findProgram('kubectl'),
    KUBECONFIG: plane.kubeconfig,
    PATH: `${bin}:${process.env.PATH}:${BUILT_PROGRAMS}`,
  };
  const bash = async (script: string) => {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      ...{ cwd: checkout, env, maxBuffer: 64 << 20 },
    });
    return stdout;
  };
  // KEDA reads the Secrets in the environment of the pods that it scales.
  await bash(`
    kubectl apply --server-side --filename=${DEFINITIONS}
    kubectl wait --for=condition=Established --timeout=60s crd --all
    kubectl apply -k k8s/namespace
    for name in database database-owner redis encryption mail ingest; do
      kubectl -n artist-watch create secret generic "$name" --from-literal=DATABASE_URL=postgres://nowhere/x \\
        --from-literal=REDIS_URL=redis://nowhere --from-literal=ENCRYPTION_KEY=x
    done`);
  const stop = async () => {
    await stopKubelets();
    await plane.stop();
  };
  return { plane, checkout, bash, stop };
}

/** List items lose their indentation. `bash` blocks need a cluster. */
export async function blocksOf(page: string, language = 'bash'): Promise<string[]> {
  const text = await readFile(path.join(root, page), 'utf8');
  return [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms'))].map(
    ([, indentation = '', block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  );
}

export function report(line: string): void {
  process.stdout.write(`    ${line}\n`);
}
