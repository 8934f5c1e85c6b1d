import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMS, filesOfWorkers, GROUPS, WORKERS } from './sources/doors.ts';
import { expectNone } from './sources/expect-none.ts';
import { circles, graph, imports, importsOf, reachedFrom, reachedImports, sources } from './sources/import-graph.ts';
import { filesBelow, isIn, isSource, TOP_FOLDERS, textOf } from './sources/source-files.ts';

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
  { folder: 'shared/agents', cloud: false, holds: 'domain: questions of agents' },
  { folder: 'shared/restore', cloud: false, holds: 'domain: what ended before a restore ends again' },
  { folder: 'shared/exports', cloud: false, holds: 'domain: exports of organizations' },
  { folder: 'shared/log', cloud: false, holds: 'domain: the verifiable log of each organization' },
  { folder: 'shared/evaluations', cloud: false, holds: 'domain: server-side evaluations' },
  { folder: 'shared/watches', cloud: false, holds: 'domain: components that somebody wants to know of' },
  { folder: 'shared/exposure', cloud: false, holds: 'domain: where components run' },
  { folder: 'shared/expectations', cloud: false, holds: 'domain: what has to come at least every so often' },
  { folder: 'shared/environments', cloud: false, holds: 'domain: environments, snapshots, allow-lists' },
  { folder: 'shared/notifications', cloud: false, holds: 'domain: actions, deliveries, targets' },
  { folder: 'shared/reasons', cloud: false, holds: 'domain: why a verdict is what it is' },
  { folder: 'shared/policies', cloud: false, holds: 'domain: environment policies' },
  { folder: 'shared/controls', cloud: false, holds: 'domain: controls and decisions' },
  { folder: 'shared/components', cloud: false, holds: 'domain: components of SBOMs' },
  { folder: 'shared/evidence', cloud: false, holds: 'domain: flows, trails, artifacts, attestations' },
  { folder: 'shared/signers', cloud: false, holds: 'domain: whose signatures count' },
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
  { folder: 'shared/signatures', cloud: false, holds: 'platform: signatures that others made' },
  { folder: 'shared/tlog', cloud: false, holds: 'platform: formats of the verifiable log' },
  { folder: 'shared/console', cloud: false, holds: 'platform: what server and browser know of the console' },
  { folder: 'shared/base', cloud: false, holds: 'platform: ids, time, text, errors' },
];
const DOMAINS = ROOMS.filter(({ holds }) => holds.startsWith('domain')).map(({ folder }) => folder);

/** The rooms whose values the browser may load. Types may come from everywhere, because they are not part of the build. */
const BROWSER_ROOMS = ['console', 'shared/console', 'shared/callers', 'shared/base'];
/** What workers may import of the table: what they declare, the items of the stream, and the meter of clients that they make. */
const TABLE_OF_WORKERS = ['meter', 'stream-item', 'table-state', 'uses'].map((name) => `shared/table/${name}.ts`);

/** Packages that rules may import: they compute and do nothing else. */
const PURE = [
  '@renovatebot/pep440',
  'canonicalize',
  'fast-xml-parser',
  'packageurl-js',
  're2js',
  'semver/functions/compare.js',
  'semver/functions/parse.js',
  'tar-stream',
  'zod',
];

/** Packages that verify signatures of others, and the data that one of them ships. Only `shared/signatures` imports them. */
const SIGSTORE = [
  '@sigstore/bundle',
  '@sigstore/core',
  '@sigstore/protobuf-specs',
  '@sigstore/tuf/seeds.json',
  '@sigstore/verify',
];

/** What is tested besides the directions: circles and the size of folders. Tests count as sources. */
const allFiles = [...TOP_FOLDERS, 'test'].flatMap(filesBelow);

const isOurs = (target: string): boolean => isIn(target, ...TOP_FOLDERS, 'test');
const isOfServers = (target: string): boolean => target.startsWith('node:') || isCloud(target);
const isCloud = (target: string): boolean => target.startsWith('@aws-sdk/') || target.startsWith('@smithy/');
/** What makes audit entries. Use cases that read them begin with a verb. */
const isOfAudit = (target: string): boolean =>
  /^shared\/\w+\/(?:.*\/)?(?!list-|get-)[\w-]*audit[\w-]*\.ts$/.test(target);
const isRule = (path: string): boolean => isIn(path, ...DOMAINS.map((folder) => `${folder}/rules`));
const isRecord = (path: string): boolean => isIn(path, ...DOMAINS.map((folder) => `${folder}/records`));
const rankOf = (path: string): number => ROOMS.findIndex(({ folder }) => isIn(path, folder));

const PAGE = 'docs/architecture.md#directions-of-import';
/** Fails if an import breaks a rule about directions. */
const expectNoImport = (found: readonly string[], rule: string): void => expectNone(found, { rule, page: PAGE });

describe('imports', () => {
  test('the test of imports reads every source, and every import leads to a file that exists', () => {
    const width = Math.max(...ROOMS.map(({ folder }) => folder.length));
    console.log(ROOMS.map(({ folder, holds }) => `${folder.padEnd(width)}  ${holds}`).join('\n'));
    expect(sources.length).toBeGreaterThan(400);
    expect(graph.get('shared/http/lambda.ts')?.map(({ target }) => target)).toEqual(
      expect.arrayContaining(['@middy/core', 'shared/http/services.ts', 'shared/http/answers.ts']),
    );
    expectNoImport(
      imports((_, target) => isOurs(target) && /\.tsx?$/.test(target) && !graph.has(target)),
      'An import leads to a source that exists, and not to a test',
    );
  });

  test('every source lies in a room', () => {
    expectNone(
      sources.filter((file) => rankOf(file) < 0),
      { rule: 'A file lies in a room of the table in test/infra/imports.test.ts', page: 'docs/architecture.md#rooms' },
    );
  });

  test('nothing else imports the verifier', () => {
    expectNoImport(
      imports((file, target) => isIn(target, 'verify') && !isIn(file, 'verify')),
      'Nothing imports the verifier',
    );
  });

  test('imports go down the table of rooms, types included', () => {
    expectNoImport(
      imports((file, target) => isOurs(target) && rankOf(target) < rankOf(file)),
      'A file imports its own room and rooms below it in the table, types included',
    );
  });

  test('imports of rules lead to rules, to shared/callers, shared/signatures, shared/tlog, shared/base and to packages that compute', () => {
    const isAllowed = (target: string) =>
      isRule(target) ||
      isIn(target, 'shared/callers', 'shared/signatures', 'shared/tlog', 'shared/base') ||
      target.startsWith('node:') ||
      PURE.includes(target);
    expectNoImport(
      imports((file, target) => isRule(file) && !isAllowed(target)),
      'Rules import rules, shared/callers, shared/signatures, shared/tlog, shared/base and packages that only compute',
    );
  });

  test('imports of the verifier reach rules, shared/signatures, shared/tlog, shared/base, and packages that only compute or read archives', () => {
    const files = sources.filter((file) => isIn(file, 'verify'));
    expect(files).toContain('verify/main.ts');
    const isAllowed = (target: string) =>
      isRule(target) ||
      isIn(target, 'verify', 'shared/callers', 'shared/signatures', 'shared/tlog', 'shared/base') ||
      target.startsWith('node:') ||
      [...PURE, ...SIGSTORE, 'tar-stream', 'yaml'].includes(target);
    expectNoImport(
      reachedImports(files, (target) => !isAllowed(target)),
      'What the verifier loads imports rules, shared/callers, shared/signatures, shared/tlog, shared/base and packages that compute or read archives',
    );
  });

  test('only the functions that SECURITY.md names reach the one file that connects to other hosts', () => {
    const CONNECTS = 'shared/outgoing/post.ts';
    const opening = /\bfetch\(|from 'node:(?:https?|http2|tls|dgram)'|\bcreateConnection\(/;
    const connects = (file: string) => isIn(file, 'shared', 'functions') && opening.test(textOf(file));
    expect(connects(CONNECTS)).toBe(true);
    expectNoImport(
      sources.filter((file) => connects(file) && file !== CONNECTS),
      `Only ${CONNECTS} connects to other hosts`,
    );
    const reaching = sources.filter((file) => reachedFrom(file).has(CONNECTS));
    const functions = new Set(reaching.flatMap((file) => /^functions\/([^/]+)\//.exec(file)?.[1] ?? []));
    // The group `meta` describes all endpoints. Its archive contains the description and no endpoint.
    functions.delete('meta');
    const named = /Only (.*) connect to hosts outside of the account/.exec(textOf('SECURITY.md'));
    expect(
      [...functions].toSorted(),
      `Functions that reach ${CONNECTS}: SECURITY.md has to name them. Read ${PAGE}`,
    ).toEqual([...(named?.[1] ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
  });

  test('imports of records do not lead to use cases of a domain', () => {
    const isUseCase = (path: string) => isIn(path, ...DOMAINS) && !isRecord(path) && !isRule(path);
    expectNoImport(
      imports((file, target) => isRecord(file) && isUseCase(target)),
      'Records of a domain import no use cases of a domain',
    );
  });

  test('imports of a folder of functions lead to no other folder of functions, apart from shared forms', () => {
    const folderOf = (path: string) => /^functions\/[^/]+\//.exec(path)?.[0];
    const isOther = (file: string, target: string) =>
      folderOf(file) !== undefined && folderOf(target) !== undefined && folderOf(file) !== folderOf(target);
    expectNoImport(
      imports((file, target) => isOther(file, target) && !isIn(target, FORMS)),
      'A folder of functions imports no other folder of functions, apart from functions/forms',
    );
  });

  test('imports of workers lead to use cases of domains, and to no records, no transactions, no retries and no audit entries', () => {
    const isClosed = (target: string) =>
      isRecord(target) ||
      (isIn(target, 'shared/table') && !TABLE_OF_WORKERS.includes(target)) ||
      target === 'shared/base/retry.ts' ||
      isOfAudit(target);
    expect(filesOfWorkers.length).toBeGreaterThan(25);
    expectNoImport(
      imports((file, target) => isIn(file, ...WORKERS) && isClosed(target)),
      `Workers call use cases. They import no records/, no retries, no audit entries, and of shared/table only ${TABLE_OF_WORKERS.join(', ')}`,
    );
  });

  test('imports of the browser take values from its own folder, from shared/console, shared/base and packages', () => {
    const files = sources.filter((file) => isIn(file, 'console'));
    expect(files).toContain('console/main.tsx');
    const isAllowed = (target: string) => isIn(target, ...BROWSER_ROOMS) || !isOurs(target);
    expectNoImport(
      reachedImports(files, (target) => !isAllowed(target) || isOfServers(target)),
      `The browser loads values of ${BROWSER_ROOMS.join(', ')} and of packages that are not only for servers`,
    );
  });

  test('imports of endpoint groups lead to use cases, and not to what these are made of', () => {
    const isOfUseCases = (target: string) =>
      isRecord(target) || isIn(target, 'shared/table') || target === 'shared/base/retry.ts' || isOfAudit(target);
    expectNoImport(
      imports((file, target) => isIn(file, FORMS, ...GROUPS) && isOfUseCases(target)),
      'Endpoint groups and functions/forms call use cases. They import no records/, no shared/table, no retries and no audit entries',
    );
  });

  test('imports of domains do not lead to HTTP', () => {
    expectNoImport(
      imports((file, target) => isIn(file, ...DOMAINS) && isIn(target, 'shared/http')),
      'A domain does not import shared/http. Its errors have a kind, and the door knows the status',
    );
  });

  test('nothing else imports the console', () => {
    expectNoImport(
      imports((file, target) => isIn(target, 'console') && !isIn(file, 'console')),
      'Nothing imports the console',
    );
  });

  test.each([
    [
      'the policy language',
      'shared/rego',
      ['graphql', 'graphql/validation/validate.js', 'node:crypto', 'node:net', 're2js', 'yaml'],
    ],
    ['signatures of others', 'shared/signatures', [...SIGSTORE, 'node:crypto']],
    ['the formats of the log', 'shared/tlog', ['node:crypto']],
  ])('imports of %s lead to nothing of the service', (_, room, outside) => {
    const leaving = (file: string, target: string) => isIn(file, room) && !isIn(target, room);
    const known = imports(leaving).map((one) => one.split(' → ')[1] ?? '');
    expect(outside.filter((target) => !known.includes(target))).toEqual([]);
    expectNoImport(
      imports((file, target) => leaving(file, target) && !outside.includes(target)),
      `${room} imports nothing but itself and ${outside.join(', ')}`,
    );
  });

  test('imports of the cloud are in rooms that may know it, and in no endpoint group', () => {
    const closed = ROOMS.filter(({ cloud }) => !cloud).map(({ folder }) => folder);
    const open = ROOMS.filter(({ cloud }) => cloud).map(({ folder }) => folder);
    expect(GROUPS.length).toBeGreaterThan(20);
    expectNoImport(
      imports((file, target) => isCloud(target) && isIn(file, ...closed, ...GROUPS)),
      `Only ${open.join(', ')} import the AWS SDK, and of functions no endpoint group`,
    );
  });

  test.each(['shared/engines/child.ts', 'shared/evaluations/policy-child.ts'])(
    'the child process %s has no way to the table, the bucket or the cloud',
    (entry) => {
      expect(reachedFrom(entry).size).toBeGreaterThan(5);
      expectNoImport(
        reachedImports([entry], (target) => isIn(target, 'shared/table', 'shared/bodies') || isCloud(target)),
        'The programs of child processes reach neither the table nor the bucket nor the SDK',
      );
    },
  );

  test('no imports make a circle, types and tests included', () => {
    const all = new Map(allFiles.filter(isSource).map((file) => [file, importsOf(file)]));
    expect(all.get('test/support/table/units.ts')?.map(({ target }) => target)).toContain('test/support/table.ts');
    expectNoImport(circles(all), 'There is no circle of imports. Imports of types count, and tests count as sources');
  });
});

test('no folder of sources or tests holds more than 25 files at one level', () => {
  const folders = Map.groupBy(allFiles, dirname);
  expect(folders.size).toBeGreaterThan(200);
  const crowded = [...folders].filter(([, files]) => files.length > 25);
  expectNone(
    crowded.map(([folder, files]) => `${folder}: ${files.length} files`),
    { rule: 'A folder holds at most 25 files at one level', page: 'docs/code-style.md#layout' },
  );
});
