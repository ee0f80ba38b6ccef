import config from './jest.config.mjs';

const unit = config.projects.find(({ displayName }) => displayName === 'unit');

/** `pnpm test:k8s`: the manifests and the runbooks on a real control plane, which tests/kubernetes/build.sh builds. */
export default {
  ...config,
  // Each file has services and a database of its own on that control plane.
  maxWorkers: '100%',
  verbose: true,
  projects: [{ ...unit, displayName: 'k8s', testMatch: ['<rootDir>/tests/kubernetes/*.k8s.ts'] }],
};
