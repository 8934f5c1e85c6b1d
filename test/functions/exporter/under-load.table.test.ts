import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PAGES_MILLIS } from '#functions/exporter/work.ts';
import { groups } from '#functions/groups.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { testApi } from '#test/support/api.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { readBag, recordsOf } from '#test/support/log/read-tar.ts';
import { fullOrganization } from '#test/support/records/full-organization.ts';
import { verifyArchive } from '#verify/archive.ts';
import { DECISIONS } from '#verify/records/decisions.ts';
import type { ScopeRow } from '#verify/scope.ts';

const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const dir = mkdtempSync(join(tmpdir(), 'under-load-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** How many kinds of changes there are, and how many changes come between two pages. */
const KINDS = 11;
const CHANGES_PER_PAGE = 3;

/** What the changes leave behind in an archive, as far as its pages are made after them. */
const CHANGED = [
  'artifacts/artifact',
  'attestations/attestation',
  'audit/audit',
  'builds/build',
  'flows/facts',
  'flows/flow',
  'flows/tags',
  'moments/moment',
  'service-accounts/service_account',
  'snapshots/content',
  'snapshots/snapshot',
  'templates/template',
  'trails/fields',
  'trails/trail',
];

/** Lines that have the index of their own entry, if it was before the checkpoint. */
const LINKED = [
  ['moments', 'moment'],
  ['snapshots', 'snapshot'],
  ['audit', 'audit'],
] as const;

const namesWith = (scope: readonly ScopeRow[], column: 'later' | 'erased' | 'not covered') =>
  scope.filter((row) => row[column] > 0).map(({ name }) => name);

type Acme = Awaited<ReturnType<typeof fullOrganization>>;

/** One change of each kind that an archive shows. @param n makes names and contents differ */
function changes(acme: Acme, n: number): (() => Promise<unknown>)[] {
  const send = async (method: string, path: string, json: unknown) => {
    const { status, text } = await acme.call(method, path.replace('ORG', acme.org), { json });
    expect([200, 201], text).toContain(status);
  };
  return [
    () => acme.attest('generic', { attestation_name: `late-${n}`, is_compliant: n % 2 === 0 }),
    () => acme.begin({ name: 'run', description: `description ${n}` }),
    () => acme.begin({ name: `late-${n}` }),
    () => acme.report(anArtifact(`late-${n}`)),
    () => acme.run('prod', onServer({ api: 'cli', [`late-${n}`]: 'cli' })),
    () => acme.putFlow('web', `version: 1\ntrail:\n  attestations:\n    - name: review-${n}\n      type: generic\n`),
    () => send('PATCH', '/tags/ORG/flow/web', { set_tags: { team: `team-${n}` } }),
    () => acme.putPolicy(`late-${n}`),
    () => acme.putEnvironment(`late-${n}`),
    () => send('POST', '/controls/ORG', { identifier: `LATE-${n}`, name: 'Reviews' }),
    () => send('POST', '/service-accounts/ORG', { name: `late-${n}`, privilege: 'member' }),
  ];
}

it('an export that is made while others write is verified, with what came later apart', {
  // A minute on two cores without other work.
  timeout: 900_000,
}, async () => {
  const acme = await fullOrganization(api);
  await logEverything(api.services, acme.id);
  const { id } = (await acme.call('POST', `/exports/${acme.org}`)).json as { id: string };
  await logEverything(api.services, acme.id);
  // Each call stores what it has made of a part, and the next call reads it. The verifier is most of it.
  const exporter = exporterOf(api.services, { verifier: async () => Buffer.from('the verifier\n') });
  const shown = async () =>
    (await acme.get(`/exports/${acme.org}/${id}`)).json as {
      state: string;
      download_url: string;
      log: { origin: string; size: number };
    };
  // Each call of the exporter makes one page. Three changes follow it, so each kind of change comes between many pages.
  let writes = 0;
  for (let pages = 1; (await shown()).state === 'running'; pages += 1) {
    expect(await exporter.work({ org: acme.id, id }, [0, PAGES_MILLIS])).toBe(true);
    for (const last = writes + CHANGES_PER_PAGE; writes < last; writes += 1) {
      const round = changes(acme, Math.floor(writes / KINDS));
      await round[writes % KINDS]?.();
    }
    if (pages % 20 === 0) await logEverything(api.services, acme.id);
  }
  expect(writes).toBeGreaterThan(100);
  const { download_url: address, log } = await shown();
  const tar = Buffer.from(await (await fetch(address)).arrayBuffer());
  const { files } = await readBag(tar);
  const proved = ['moments', 'snapshots', 'audit', 'statements']
    .flatMap((family) => recordsOf(files, family))
    .filter(({ log_index: index }) => index !== undefined);
  expect(new Set(proved.map(({ log_index: index }) => index)).size).toBe(log.size);
  const file = join(dir, 'export.tar');
  writeFileSync(file, tar);
  const key = verifierKey(log.origin, 'ed25519', (await api.services.keys.log()).publicKey);
  const late = recordsOf(files, 'moments').filter(({ log_index: index }) => index === undefined);
  expect(late.length).toBeGreaterThan(10);
  // A fault would throw.
  const { counts, scope } = await verifyArchive(file, { policy: policyOf(key) });
  expect(counts['entries']).toBe(log.size);
  const decisions = Object.entries(DECISIONS);
  const known = decisions.flatMap(([name, decision]) => ('note' in decision ? [name] : []));
  expect(known).toEqual(expect.arrayContaining(namesWith(scope, 'not covered')));
  expect(namesWith(scope, 'erased')).toEqual([]);
  expect(namesWith(scope, 'later')).toEqual(expect.arrayContaining(CHANGED));
  for (const [family, item] of LINKED) {
    const lines = recordsOf(files, family).filter((record) => record['item'] === item);
    const row = scope.find(({ name }) => name === `${family}/${item}`);
    expect(row?.later, family).toBe(lines.filter(({ log_index: index }) => index === undefined).length);
  }
});
