import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { readManifests, selects, workloadsOf } from './k8s/manifests.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const runbooks = readdirSync(path.join(root, 'docs/runbooks')).map((file) => `docs/runbooks/${file}`);
const pages = [...runbooks, 'k8s/README.md'].map((page) => ({
  page,
  text: readFileSync(path.join(root, page), 'utf8'),
}));

const manifests = ['production', 'production-migration', 'local'].flatMap((file) =>
  readManifests(`rendered/${file}.yaml`),
);
const objects = new Set(manifests.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`));
const kinds = new Set([...objects].map((object) => object.split('/')[0] ?? ''));
const pods = workloadsOf(manifests).map(({ spec }) => spec.template.metadata.labels);

/** Searches code blocks and sentences. Omits pipes. */
function kubectlIn(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```(?:ba)?sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
  const inline = [...text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inline].flatMap((code) =>
    [...code.matchAll(/\bkubectl (?=[-a-z])((?:'[^']*'|"[^"]*"|[^'"|\n&;])+)/g)].map(([, command = '']) =>
      command.trim(),
    ),
  );
}

/** Returns `kind/name` of each object. */
function objectsIn(command: string): string[] {
  const words = command.split(/ (?=(?:[^'"]|'[^']*'|"[^"]*")*$)/).filter((word) => !word.startsWith('-'));
  const slashed = words.filter((word) => /^[a-z]+\/[a-z…-]+$/.test(word) && kinds.has(word.split('/')[0] ?? ''));
  // Examples are `get ingress api`, `scale deployment api change-ingest` and `patch scaledobject webhook-worker`.
  const at = words.findIndex((word) => kinds.has(word));
  const named = at < 0 ? [] : words.slice(at + 1).filter((word) => /^[a-z-]+[0-9]?$/.test(word));
  return [...slashed, ...named.map((name) => `${words[at]}/${name}`)].filter((object) => !object.endsWith('…'));
}

/** Leaves out tests and generated code. */
function sourcesBelow(...folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true }).filter(
        ({ name, parentPath }) =>
          /\.tsx?$/.test(name) && !/node_modules|\/dist|generated|\.test\./.test(`${parentPath}/${name}`),
      ),
    )
    .map(({ name, parentPath }) => readFileSync(path.join(parentPath, name), 'utf8'))
    .join('\n');
}

describe.each(pages)('$page', ({ text }) => {
  const commands = kubectlIn(text);

  test('every cluster command on the page names the namespace of the installation', () => {
    expect(commands).not.toEqual([]);
    for (const command of commands) {
      expect(command).toMatch(
        /^(-n artist-watch |(apply|delete) -k k8s\/|kustomize k8s\/|(apply|create) --filename=-)/,
      );
    }
  });

  test('the page names only objects and pods that an overlay creates', () => {
    for (const command of commands.filter((each) => each.startsWith('-n artist-watch '))) {
      const making = /^-n artist-watch create (job|secret|configmap)/.test(command);
      for (const object of making ? [] : objectsIn(command.replace('-n artist-watch ', ''))) {
        const made = text.includes(`create ${object.replace('/', ' ')} `);
        expect([command, object, objects.has(object) || made]).toEqual([command, object, true]);
      }
      const [, label = '', value = ''] = / (?:logs|pods|pod) (?:.* )?--selector=(\S+)=(\S+)/.exec(command) ?? [];
      if (value) expect([command, pods.some((labels) => selects({ [label]: value }, labels))]).toEqual([command, true]);
    }
    for (const [, overlay = ''] of text.matchAll(/-k (k8s\/[\w/-]+)/g)) {
      expect(readdirSync(path.join(root, overlay))).toContain('kustomization.yaml');
    }
  });
});

/** Joins continued lines, and leaves out the lines of a JSON patch. */
function commandsIn(section: string): string[] {
  const blocks = [...section.matchAll(/^ *```(?:ba)?sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.replaceAll('\\\n', '').split('\n')).filter((line) => /^\S/.test(line));
}

describe("an alert's page", () => {
  const list = readFileSync(path.join(root, 'docs/runbooks/README.md'), 'utf8');
  const ofAlerts = [...new Set([...list.matchAll(/^\| `[A-Z].*\(([a-z-]+\.md)\) \|$/gm)].map(([, file]) => file))];

  test.each(ofAlerts)(
    '%s has the symptom, at most three commands, the causes and when the alert ends, on one page',
    (file) => {
      const text = readFileSync(path.join(root, `docs/runbooks/${file}`), 'utf8');
      const sections = ['Alerts?', 'Symptom', 'Commands', 'Cause and fix', 'End'];
      const starts = sections.map((name) => text.search(new RegExp(`^(?:\\*\\*|## )${name}\\b`, 'm')));
      expect(starts).toEqual([...starts].sort((one, other) => one - other));
      expect(starts).not.toContain(-1);
      expect(commandsIn(text.slice(starts[2], starts[3])).length).toBeLessThanOrEqual(3);
      expect(text.split('\n').length).toBeLessThanOrEqual(50);
    },
  );
});

test('every log event and metric on a page is written by a service', () => {
  const sources = sourcesBelow('packages', 'services');
  const metrics = readFileSync(path.join(root, 'docs/metrics.md'), 'utf8');
  for (const { page, text } of pages) {
    const patterns = [...text.matchAll(/\| grep (?:-E )?('[^']*'|\S+)/g)].map(([, pattern = '']) => pattern);
    const events = patterns.flatMap((pattern) => pattern.match(/\b[a-z]+\.[a-z_]+\b/g) ?? []);
    const spoken = [...text.matchAll(/`([a-z]+\.[a-z]+_[a-z_]+)`/g)].map(([, event = '']) => event);
    for (const event of [...events, ...spoken]) {
      expect([page, event, sources.includes(`'${event}'`)]).toEqual([page, event, true]);
    }
    for (const pattern of patterns.filter((each) => each.startsWith("'^"))) {
      const [, before = '', choices = '', after = ''] = /^'\^(\w*)(?:\(([^)]*)\)(\w*))?/.exec(pattern) ?? [];
      for (const choice of choices.split('|')) {
        const name = `${before}${choice}${after}`.replace(/_(count|sum|bucket)$/, '');
        const isThere = metrics.includes(`\`${name}`) || /^(nodejs|process)_/.test(name);
        expect([page, name, isThere]).toEqual([page, name, true]);
      }
    }
  }
});

test('the toolbox has every program that a runbook calls', () => {
  const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');
  const toolbox = /^FROM cli AS toolbox\n(.*?)^FROM/ms.exec(dockerfile)?.[1] ?? '';
  const packages: Readonly<Record<string, string>> = {
    psql: 'postgresql-client',
    'redis-cli': 'redis-tools',
    curl: 'curl',
    pnpm: 'tools/images/toolbox/pnpm /usr/local/bin/pnpm',
  };
  // Debian's base system and the image contain these programs.
  const there = ['grep', 'xargs', 'echo', 'true', 'node', 'timeout'];
  for (const { page, text } of pages.filter((each) => runbooks.includes(each.page))) {
    for (const [, block = ''] of text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)) {
      const quoted = block.replaceAll(/"[^"]*"|'[^']*'/g, '""');
      for (const [, program = ''] of quoted.matchAll(/(?:^|\| |\|\| |&& ) *([a-z][\w-]*)/gm)) {
        if (!there.includes(program))
          expect([page, program, toolbox]).toContainEqual(
            expect.stringContaining(packages[program] ?? `no ${program}`),
          );
      }
    }
  }
});
