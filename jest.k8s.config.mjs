import config from './jest.config.mjs';

const unit = config.projects.find(({ displayName }) => displayName === 'unit');

/** `pnpm test:k8s`: the manifests and the runbooks on a real control plane, which tests/kubernetes/build.sh builds. */
export default {
  ...config,
  verbose: true,
  projects: [{ ...unit, displayName: 'k8s', testMatch: ['<rootDir>/tests/kubernetes/*.k8s.ts'] }],
};
