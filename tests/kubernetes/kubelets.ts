import type { ControlPlane } from './control-plane.js';

const ZONES = ['a', 'b', 'c'];
const POLL_MS = 200;

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { readonly name: string; readonly image: string }[];
  };
  readonly status: { readonly phase: string };
}

/**
 * Pods become ready, completed or deleted, but nothing actually runs.
 * @returns a function that stops the kubelets.
 */
export async function startKubelets({ request }: ControlPlane, nodes: number): Promise<() => Promise<void>> {
  const resources = { cpu: '16', memory: '64Gi', pods: '110' };
  for (let index = 0; index < nodes; index++) {
    const zone = ZONES[index % ZONES.length] ?? '';
    const name = `node-${zone}-${Math.floor(index / ZONES.length)}`;
    const labels = { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': name };
    await request('POST', '/api/v1/nodes', { metadata: { name, labels } });
    // The controllers taint a new node until its kubelet reports that it is ready.
    await request('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: null } });
    await request('PATCH', `/api/v1/nodes/${name}/status`, {
      status: {
        capacity: resources,
        allocatable: resources,
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'This node has no kubelet.' }],
      },
    });
  }
  let stopping = false;
  const running = (async () => {
    while (!stopping) {
      const { items } = JSON.parse(await request('GET', '/api/v1/pods')) as { items: readonly Pod[] };
      // A pod that was deleted or changed in the meantime is handled in the next round.
      await Promise.all(items.map((pod) => attend(request, pod).catch(() => undefined)));
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  })();
  return async () => {
    stopping = true;
    await running;
  };
}

async function attend(request: ControlPlane['request'], { metadata, spec, status }: Pod): Promise<void> {
  const place = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  if (metadata.deletionTimestamp) {
    await request('DELETE', `${place}?gracePeriodSeconds=0`);
    return;
  }
  if (!spec.nodeName || status.phase !== 'Pending') return;
  const now = new Date().toISOString();
  const done = metadata.ownerReferences?.some(({ kind }) => kind === 'Job') ?? false;
  await request('PATCH', `${place}/status`, {
    status: {
      phase: done ? 'Succeeded' : 'Running',
      startTime: now,
      conditions: ['Initialized', 'ContainersReady', 'Ready', 'PodScheduled'].map((type) => ({
        ...{ type, status: done && /Ready/.test(type) ? 'False' : 'True', lastTransitionTime: now },
      })),
      containerStatuses: spec.containers.map(({ name, image }) => ({
        ...{ name, image, imageID: image, ready: !done, started: !done, restartCount: 0 },
        state: done
          ? { terminated: { exitCode: 0, startedAt: now, finishedAt: now } }
          : { running: { startedAt: now } },
      })),
    },
  });
}
