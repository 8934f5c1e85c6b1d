import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMS, GROUPS, WORKERS } from './sources/doors.ts';
import { filesBelow, isIn, isSource, ROOT, targetOf } from './sources/source-files.ts';

/** The directions of imports, read from the sources. docs/architecture.md#directions-of-import explains them. */

interface Room {
  folder: string;
  /** Whether its files may import the SDK of the cloud. */
  cloud: boolean;
  holds: string;
}

/** Every room. A room imports itself and the rooms below it in this table, and nothing above it. */
const ROOMS: readonly Room[] = [
  { folder: 'console', cloud: false, holds: 'what the browser runs' },
  { folder: 'verify', cloud: false, holds: 'the verifier: a program that needs no service' },
  { folder: 'infra', cloud: true, holds: 'stacks, bundles, the local stack' },
  { folder: 'functions', cloud: true, holds: 'endpoints by group, and workers' },
  { folder: 'shared/exports', cloud: false, holds: 'domain: exports of organizations' },
  { folder: 'shared/log', cloud: false, holds: 'domain: the verifiable log of each organization' },
  { folder: 'shared/evaluations', cloud: false, holds: 'domain: server-side evaluations' },
  { folder: 'shared/environments', cloud: false, holds: 'domain: environments, snapshots, allow-lists' },
  { folder: 'shared/notifications', cloud: false, holds: 'domain: actions, deliveries, targets' },
  { folder: 'shared/policies', cloud: false, holds: 'domain: environment policies' },
  { folder: 'shared/controls', cloud: false, holds: 'domain: controls and decisions' },
  { folder: 'shared/evidence', cloud: false, holds: 'domain: flows, trails, artifacts, attestations' },
  { folder: 'shared/organizations', cloud: false, holds: 'domain: people, keys, audit log' },
  { folder: 'shared/http', cloud: false, holds: 'platform: endpoint definitions and their chain' },
  { folder: 'shared/series', cloud: false, holds: 'platform: lists, milestones, tags' },
  { folder: 'shared/sweeps', cloud: false, holds: 'platform: which organizations sweeps check, and how far' },
  { folder: 'shared/bodies', cloud: true, holds: 'platform: long texts and the evidence bucket' },
  { folder: 'shared/engines', cloud: false, holds: 'platform: jq, JSON Schema and policies in child processes' },
  { folder: 'shared/queues', cloud: true, holds: 'platform: messages' },
  { folder: 'shared/signing', cloud: true, holds: 'platform: keys that sign, in the key service' },
  {
    folder: 'shared/callers',
    cloud: false,
    holds: 'platform: who calls: credentials, roles, proved identity, authors of writes',
  },
  { folder: 'shared/table', cloud: true, holds: 'platform: the single table' },
  { folder: 'shared/outgoing', cloud: true, holds: 'platform: the guarded way to other hosts' },
  { folder: 'shared/rego', cloud: false, holds: 'platform: the policy language' },
  { folder: 'shared/tlog', cloud: false, holds: 'platform: formats of the verifiable log' },
  { folder: 'shared/console', cloud: false, holds: 'platform: what server and browser know of the console' },
  { folder: 'shared/base', cloud: false, holds: 'platform: ids, time, text, errors' },
];
const DOMAINS = ROOMS.filter(({ holds }) => holds.startsWith('domain')).map(({ folder }) => folder);

/** The rooms whose values the browser may load. Types may come from everywhere, because they are not part of the build. */
const BROWSER_ROOMS = ['console', 'shared/console', 'shared/callers', 'shared/base'];
/** What workers may import of the table: what they declare, the items of the stream, and the meter of clients that they make. */
const TABLE_OF_WORKERS = ['meter', 'stream-item', 'uses'].map((name) => `shared/table/${name}.ts`);

/** Packages that rules may import: they compute and do nothing else. */
const PURE = ['canonicalize', 'fast-xml-parser', 're2js', 'tar-stream', 'zod'];

interface Imported {
  /** A file of this repository relative to its root, or the name of a package. */
  target: string;
  typeOnly: boolean;
}

const STATEMENT =
  /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|new URL\(\s*'(\.[^']+\.ts)'/gm;

/** Reads the imports of a source: statements, re-exports, dynamic imports and the addresses of child programs. */
function importsOf(file: string): Imported[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(STATEMENT)].map(([, type, statement, call, address]) => ({
    target: targetOf(file, statement ?? call ?? address ?? ''),
    typeOnly: type !== undefined,
  }));
}

const TOP_FOLDERS = ['shared', 'functions', 'console', 'infra', 'verify'];

const sources = TOP_FOLDERS.flatMap(filesBelow).filter(isSource);
const graph = new Map(sources.map((file) => [file, importsOf(file)]));

/** What is tested besides the directions: circles and the size of folders. Tests count as sources. */
const allFiles = [...TOP_FOLDERS, 'test'].flatMap(filesBelow);

const isOurs = (target: string): boolean => isIn(target, ...TOP_FOLDERS, 'test');
const isOfServers = (target: string): boolean => target.startsWith('node:') || isCloud(target);
/** What makes audit entries. Use cases that read them begin with a verb. */
const isOfAudit = (target: string): boolean =>
  /^shared\/\w+\/(?:.*\/)?(?!list-|get-)[\w-]*audit[\w-]*\.ts$/.test(target);
const isCloud = (target: string): boolean => target.startsWith('@aws-sdk/') || target.startsWith('@smithy/');
const rankOf = (path: string): number => ROOMS.findIndex(({ folder }) => isIn(path, folder));

/** The imports that a predicate selects, as `file → target`. */
const imports = (select: (file: string, target: string) => boolean): string[] =>
  [...graph].flatMap(([file, imported]) =>
    imported.filter(({ target }) => select(file, target)).map(({ target }) => `${file} → ${target}`),
  );

describe('imports', () => {
  test('are read from every source, and lead to files that exist', () => {
    const width = Math.max(...ROOMS.map(({ folder }) => folder.length));
    console.log(ROOMS.map(({ folder, holds }) => `${folder.padEnd(width)}  ${holds}`).join('\n'));
    expect(sources.length).toBeGreaterThan(400);
    expect(graph.get('shared/http/lambda.ts')?.map(({ target }) => target)).toEqual(
      expect.arrayContaining(['@middy/core', 'shared/http/services.ts', 'shared/http/answers.ts']),
    );
    expect(imports((_, target) => isOurs(target) && /\.tsx?$/.test(target) && !graph.has(target))).toEqual([]);
  });

  test('are from files that lie in a room', () => {
    expect(sources.filter((file) => rankOf(file) < 0)).toEqual([]);
  });

  test('lead to the verifier from nowhere else', () => {
    expect(imports((file, target) => isIn(target, 'verify') && !isIn(file, 'verify'))).toEqual([]);
  });

  test('go down the table of rooms, types included', () => {
    expect(imports((file, target) => isOurs(target) && rankOf(target) < rankOf(file))).toEqual([]);
  });

  test('imports of rules lead to rules, to shared/callers, shared/tlog, shared/base and to packages that only compute', () => {
    const isRule = (path: string) => DOMAINS.some((folder) => isIn(path, `${folder}/rules`));
    const isAllowed = (target: string) =>
      isRule(target) ||
      isIn(target, 'shared/callers', 'shared/tlog', 'shared/base') ||
      target.startsWith('node:') ||
      PURE.includes(target);
    expect(imports((file, target) => isRule(file) && !isAllowed(target))).toEqual([]);
  });

  test('imports of the verifier reach rules, shared/tlog, shared/base, and packages that only compute or read archives', () => {
    const files = sources.filter((file) => isIn(file, 'verify'));
    expect(files).toContain('verify/main.ts');
    const rules = DOMAINS.map((folder) => `${folder}/rules`);
    const isAllowed = (target: string) =>
      isIn(target, 'verify', ...rules, 'shared/callers', 'shared/tlog', 'shared/base') ||
      target.startsWith('node:') ||
      [...PURE, 'tar-stream', 'yaml'].includes(target);
    const reached = new Set(files.flatMap((file) => [...reachedFrom(file)]));
    expect([...reached].filter((target) => !isAllowed(target))).toEqual([]);
  });

  test('lead to the one file that connects to other hosts from the functions that SECURITY.md names', () => {
    const CONNECTS = 'shared/outgoing/post.ts';
    const opening = /\bfetch\(|from 'node:(?:https?|http2|tls|dgram)'|\bcreateConnection\(/;
    const connects = (file: string) =>
      isIn(file, 'shared', 'functions') && opening.test(readFileSync(join(ROOT, file), 'utf8'));
    expect(sources.filter(connects)).toEqual([CONNECTS]);
    const reaching = sources.filter((file) => reachedFrom(file).has(CONNECTS));
    const functions = new Set(reaching.flatMap((file) => /^functions\/([^/]+)\//.exec(file)?.[1] ?? []));
    // The group `meta` describes all endpoints. Its archive contains the description and no endpoint.
    functions.delete('meta');
    const named = /Only (.*) connect to hosts outside of the account/.exec(
      readFileSync(join(ROOT, 'SECURITY.md'), 'utf8'),
    );
    expect([...functions].toSorted()).toEqual([...(named?.[1] ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
  });

  test('imports of records do not lead to services of a domain', () => {
    const isRecord = (path: string) => DOMAINS.some((folder) => isIn(path, `${folder}/records`));
    const isService = (path: string) =>
      isIn(path, ...DOMAINS) && !DOMAINS.some((folder) => isIn(path, `${folder}/records`, `${folder}/rules`));
    expect(imports((file, target) => isRecord(file) && isService(target))).toEqual([]);
  });

  test('imports of a folder of functions lead to no other folder of functions, apart from shared forms', () => {
    const folderOf = (path: string) => /^functions\/[^/]+\//.exec(path)?.[0];
    const isOther = (file: string, target: string) =>
      folderOf(file) !== undefined && folderOf(target) !== undefined && folderOf(file) !== folderOf(target);
    expect(imports((file, target) => isOther(file, target) && !isIn(target, FORMS))).toEqual([]);
  });

  test('imports of workers lead to use cases of domains, and to no records, no transactions, no retries and no audit entries', () => {
    const records = DOMAINS.map((folder) => `${folder}/records`);
    const isClosed = (target: string) =>
      isIn(target, ...records) ||
      (isIn(target, 'shared/table') && !TABLE_OF_WORKERS.includes(target)) ||
      target === 'shared/base/retry.ts' ||
      isOfAudit(target);
    expect(sources.filter((file) => isIn(file, ...WORKERS)).length).toBeGreaterThan(25);
    expect(imports((file, target) => isIn(file, ...WORKERS) && isClosed(target))).toEqual([]);
  });

  test('imports of the browser take values from its own folder, from shared/console, shared/base and packages', () => {
    const files = sources.filter((file) => isIn(file, 'console'));
    expect(files).toContain('console/main.tsx');
    const isAllowed = (target: string) => isIn(target, ...BROWSER_ROOMS) || !isOurs(target);
    const reached = new Set(files.flatMap((file) => [...reachedFrom(file)]));
    expect([...reached].filter((target) => !isAllowed(target) || isOfServers(target))).toEqual([]);
  });

  test('imports of endpoint groups lead to use cases, and not to what these are made of', () => {
    const isOfUseCases = (target: string) =>
      isIn(target, 'shared/table', ...DOMAINS.map((folder) => `${folder}/records`)) ||
      target === 'shared/base/retry.ts' ||
      isOfAudit(target);
    const isDoor = (file: string) => isIn(file, FORMS, ...GROUPS);
    expect(imports((file, target) => isDoor(file) && isOfUseCases(target))).toEqual([]);
  });

  test('imports of domains do not lead to HTTP', () => {
    const isDomain = (file: string) => isIn(file, ...DOMAINS);
    expect(imports((file, target) => isDomain(file) && isIn(target, 'shared/http'))).toEqual([]);
  });

  test('lead to the browser from nowhere else', () => {
    expect(imports((file, target) => isIn(target, 'console') && !isIn(file, 'console'))).toEqual([]);
  });

  test.each([
    [
      'the policy language',
      'shared/rego',
      ['graphql', 'graphql/validation/validate.js', 'node:crypto', 'node:net', 're2js', 'yaml'],
    ],
    ['the formats of the log', 'shared/tlog', ['node:crypto']],
  ])('imports of %s lead to nothing of the service', (_, room, outside) => {
    const known = imports((file, target) => isIn(file, room) && !isIn(target, room));
    expect(new Set(known.map((one) => one.split(' → ')[1]))).toEqual(new Set(outside));
  });

  test('imports of the cloud are in rooms that may know it, and in no endpoint group', () => {
    const closed = ROOMS.filter(({ cloud }) => !cloud).map(({ folder }) => folder);
    const groups = sources.filter((file) => file.endsWith('/endpoints.ts')).map(dirname);
    expect(groups.length).toBeGreaterThan(20);
    expect(imports((file, target) => isCloud(target) && isIn(file, ...closed, ...groups))).toEqual([]);
  });

  test.each(['shared/engines/child.ts', 'shared/evaluations/policy-child.ts'])(
    'give the child process %s no way to the table, the bucket or the cloud',
    (entry) => {
      const reached = [...reachedFrom(entry)];
      expect(reached.length).toBeGreaterThan(5);
      expect(reached.filter((target) => isIn(target, 'shared/table', 'shared/bodies') || isCloud(target))).toEqual([]);
    },
  );

  test('make no circle, types and tests included', () => {
    const all = new Map(
      allFiles.filter((file) => isSource(file) && !isIn(file, ...CIRCLES_LATER)).map((file) => [file, importsOf(file)]),
    );
    expect(circles(all), 'docs/architecture.md#directions-of-import').toEqual([]);
  });
});

/** Folders whose circles are still to be cut. */
const CIRCLES_LATER: readonly string[] = [];

/** Folders that are still to be split. */
const SPLIT_LATER: readonly string[] = [];

test('no folder of sources or tests holds more than 25 files at one level', () => {
  const counts = Map.groupBy(
    allFiles.filter((file) => !isIn(file, ...SPLIT_LATER)),
    dirname,
  );
  const crowded = [...counts].filter(([, files]) => files.length > 25);
  expect(
    crowded.map(([folder, files]) => `${folder}: ${files.length} files`),
    'docs/code-style.md#layout',
  ).toEqual([]);
});

/** Everything that a program loads: files of this repository and packages. */
function reachedFrom(entry: string, reached = new Set<string>()): Set<string> {
  for (const { target, typeOnly } of graph.get(entry) ?? []) {
    if (typeOnly || reached.has(target)) continue;
    reached.add(target);
    reachedFrom(target, reached);
  }
  return reached;
}

/** Circles of imports. An import of a type counts: who reads one file of a circle has to read all of them. */
function circles(all: ReadonlyMap<string, readonly Imported[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    else if (!done.has(file)) {
      for (const { target } of all.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    }
  };
  for (const file of all.keys()) visit(file, []);
  return found;
}
