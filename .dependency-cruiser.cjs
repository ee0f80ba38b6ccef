const swc = require('@swc/core');

/** dependency-cruiser 17 parses all files as TypeScript without JSX, so this enables JSX for .tsx files. */
const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync.call(swc, file, { ...options, tsx: file.endsWith('.tsx') });

/**
 * The layers of docs/adr/0001: domain <- application <- adapters <- compose <- main. `pnpm layers` checks them, and
 * tests/contract/layers.test.ts verifies that each rule finds violations.
 */
const service = 'services/([^/]+)/src';

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-vague-names',
      comment: 'Name folders and files after their purpose.',
      severity: 'error',
      from: {},
      to: { path: '^(packages|services|tools|tests)/.*(^|/)(utils?|helpers?|common|misc|shared|lib)(/|\\.tsx?$)' },
    },
    { name: 'unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'domain-depends-on-nothing',
      comment: 'Only the Node modules for digests, checksums and type checks are allowed.',
      severity: 'error',
      from: { path: '^packages/(domain|webhook-signature)/src', pathNot: '\\.test\\.ts$|/testing/' },
      to: { pathNot: '^packages/(domain|webhook-signature)/src|^(node:)?(crypto|zlib|util/types)$' },
    },
    {
      name: 'packages-never-import-services-or-tools',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(services|tools|tests)/' },
    },
    {
      name: 'services-never-import-services',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'services-never-import-tools',
      severity: 'error',
      from: { path: '^services/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(tools|tests)/' },
    },
    {
      name: 'application-knows-no-adapter',
      severity: 'error',
      from: { path: `^${service}/application/`, pathNot: '\\.test\\.ts$' },
      to: { path: `^${service}/(adapters/|compose|config|main)` },
    },
    {
      name: 'application-knows-no-infrastructure',
      comment: 'Types of packages/persistence are allowed. tests/contract/layers.test.ts rejects its values.',
      severity: 'error',
      from: { path: `^${service}/application/`, pathNot: '\\.test\\.ts$' },
      to: {
        path: '^packages/(delivery|catalogue)/|/node_modules/(pg|bullmq|ioredis|got|express|@prisma)/',
      },
    },
    {
      name: 'delivery-decisions-know-no-infrastructure',
      severity: 'error',
      from: { path: '^packages/delivery/src/(delivery-request|request-slots)\\.ts$' },
      to: {
        path: '^packages/delivery/src/queue/|^packages/(persistence|observability)/|/node_modules/(pg|bullmq|ioredis)/',
      },
    },
    {
      name: 'adapters-know-no-wiring',
      severity: 'error',
      from: { path: `^${service}/adapters/`, pathNot: '\\.test\\.ts$' },
      to: { path: `^${service}/(compose|main)\\.ts$` },
    },
    {
      name: 'only-main-imports-compose',
      severity: 'error',
      from: { path: `^${service}/`, pathNot: '(main|\\.test)\\.ts$' },
      to: { path: `^${service}/compose\\.ts$` },
    },
    {
      name: 'views-know-no-server',
      comment:
        'Views only render their input. d3 computes charts, and lucide-static has the icons. Types of packages/persistence, packages/delivery and queries are allowed. tests/contract/layers.test.ts rejects their values.',
      severity: 'error',
      from: { path: '^services/dashboard/src/.*\\.tsx$' },
      to: {
        pathNot:
          '^services/dashboard/src/(views/|application/page|pages/[^/]+/query|.*\\.tsx$)|^packages/(domain|contracts|persistence|delivery)/|/node_modules/(preact|d3-scale|diff|lucide-static|temporal-polyfill)/',
      },
    },
    {
      name: 'pages-never-import-pages',
      severity: 'error',
      from: { path: '^services/dashboard/src/pages/([^/]+)/' },
      to: { path: '^services/dashboard/src/pages/[^/]+/', pathNot: '^services/dashboard/src/pages/$1/' },
    },
    {
      name: 'pages-know-no-wiring',
      severity: 'error',
      from: { path: '^services/dashboard/src/(pages|views)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^services/dashboard/src/(compose|config|main|adapters/)' },
    },
    { name: 'nothing-imports-main', severity: 'error', from: {}, to: { path: `^${service}/main\\.ts$` } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: '(^|/)(node_modules|dist)/' },
    exclude: { path: '(^|/)(generated|coverage)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'types', 'import', 'default', 'node'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
