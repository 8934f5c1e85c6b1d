import { afterAll, expect, test } from 'vitest';
import { refreshRoot } from '#functions/notifier/refresh-root.ts';
import { NOTIFIER_USES } from '#functions/notifier/uses.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';
import type { Duration } from '#shared/base/time.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { publicRoot, publicRootText } from '#shared/signatures/public-root.ts';
import { refreshPublicRoot } from '#shared/signers/public-root/refresh-public-root.ts';
import { readRefreshAge } from '#shared/signers/records/public-root.ts';
import { bundlesApi, digestOf, madeOf, own, sender, text } from '#test/functions/attestations/bundles-api.ts';
import { OwnRoot } from '#test/shared/signatures/own-root.ts';
import { ISSUER, SHA256, SUBJECT } from '#test/shared/signatures/sample-bundles.ts';
import { heldTo } from '#test/support/declared-uses.ts';
import { environmentsOfOrganization } from '#test/support/environments.ts';
import { anArtifact } from '#test/support/evidence.ts';
import { extendedRoot, TufRepository } from './tuf-repository.ts';

/** rules/verified-evidence.md#refresh. A table has one public root, so these tests go on where the one before ended. */

const api = await bundlesApi();
const { table, clock } = api.services;
const repository = new TufRepository();
afterAll(await repository.serve());

const HOUR: Duration = 3600 * 1_000_000;
const DAY = 24 * HOUR;
const first = JSON.stringify(extendedRoot(own));

const services = () => ({
  table,
  clock,
  guard: addressGuard(['127.0.0.0/8']),
  publicRoot: { repository: repository.address, firstMetadata: repository.first },
});

/** Calls the function of the schedule, with the rights of the notifier. @returns its lines */
async function refresh(): Promise<Record<string, unknown>[]> {
  const lines: LogEntry[] = [];
  await heldTo('notifier', NOTIFIER_USES, () => refreshRoot(services(), { log: (line) => void lines.push(line) }));
  return lines.map(({ level, message, timestamp: _, service: __, request_id: ___, ...facts }) => ({
    level,
    message,
    ...facts,
  }));
}

const acme = await environmentsOfOrganization(api);
await acme.call('PUT', `/signers/${acme.org}/ci`, {
  json: { trust_root: 'sigstore-public', issuer: ISSUER, subjects: [SUBJECT] },
});
await acme.report(anArtifact('app', { fingerprint: SHA256 }));

/** Reports a bundle of an own root. @returns its grade, the digest of its root, and the calls of the request */
async function attest(root = own) {
  const { length } = api.entries;
  const [made] = madeOf(await sender(acme)(text({}, root)));
  const calls = Number(api.entries.slice(length).at(-1)?.['aws_calls']);
  const [record] = await acme.named('build');
  const { verification } = record as { verification: { root: { digest: string } | null; error: string | null } };
  return { grade: made?.grade, root: verification.root?.digest ?? null, error: verification.error, calls };
}

const shown = async (query = '') => {
  const { status, json } = await acme.get(`/trust-roots/${acme.org}/sigstore-public`, query);
  return { status, ...(json as { digest?: string; trusted_root?: string; description?: string; created_at?: number }) };
};

test('the root of the package verifies until the first refresh', async () => {
  expect(await readRefreshAge(table, clock.now())).toBeNull();
  expect(await shown()).toMatchObject({
    status: 200,
    name: 'sigstore-public',
    kind: 'sigstore',
    trusted_root: publicRootText(),
    digest: publicRoot().digest,
    description: 'The public root of Sigstore, as a release of the service brought it',
    version: 0,
    created_at: 0,
    created_by: '',
  });
  expect(await attest()).toMatchObject({ grade: 'stated', root: null });
});

test('a refresh is used after an hour by containers that read the root before it, and names its root', async () => {
  repository.publish({ target: first, version: 1 });
  const digest = digestOf(first);
  expect(await refresh()).toEqual([
    { level: 'INFO', message: 'Refreshed the public root', outcome: 'replaced', digest },
  ]);
  expect(await readRefreshAge(table, clock.now())).toBeLessThan(DAY);
  expect(await attest()).toMatchObject({ grade: 'stated' });
  clock.advance(HOUR);
  // After an hour containers also read again who calls, which another request does here.
  await acme.attest('generic', { attestation_name: 'other' });
  const cold = await attest();
  expect(cold).toMatchObject({ grade: 'logged', root: digest, error: null });
  const warm = await attest();
  expect([warm.grade, cold.calls - warm.calls]).toEqual(['logged', 1]);
  expect(await shown()).toMatchObject({
    digest,
    trusted_root: first,
    description: 'The public root of Sigstore, as its repository published it',
    created_at: expect.closeTo(clock.now() / 1e6 - 3600, -2),
  });
});

test('a signer is checked with the root of the refresh', async () => {
  const { json } = await acme.call('POST', `/signers/${acme.org}/ci/check`, { json: { bundle: text() } });
  expect(json).toMatchObject({ trust_root: 'sigstore-public', bundles: [{ verified: true, grade: 'logged' }] });
});

test('the repository is asked once a day, and a root that stayed is confirmed', async () => {
  repository.asked.length = 0;
  expect(await refresh()).toEqual([]);
  expect(repository.asked).toEqual([]);
  clock.advance(DAY);
  expect(await refresh()).toMatchObject([{ outcome: 'confirmed', digest: digestOf(first) }]);
  expect(repository.asked).toEqual(['/2.root.json', '/timestamp.json']);
});

test('a refresh that fails keeps the root, is tried again, and gets older', async () => {
  clock.advance(DAY);
  repository.publish({ target: publicRootText(), version: 2 });
  const fault = expect.stringMatching(/^The new root lacks the log 'https:\/\/log\.example'/);
  const failed = { level: 'ERROR', message: 'The public root could not be refreshed; the root before stays', fault };
  expect(await refresh()).toEqual([{ ...failed, age_seconds: 86_400 }]);
  repository.answer = () => ({ status: 503 });
  clock.advance(HOUR);
  expect(await refresh()).toMatchObject([
    { level: 'ERROR', fault: `${repository.address}/2.root.json answered 503`, age_seconds: 90_000 },
  ]);
  expect(await attest()).toMatchObject({ grade: 'logged', root: digestOf(first) });
  clock.advance(6 * DAY);
  expect(await readRefreshAge(table, clock.now())).toBeGreaterThan(7 * DAY);
});

test('a later root replaces it, and those before stay readable by their digest', async () => {
  repository.answer = undefined;
  const next = new OwnRoot();
  const both = extendedRoot(next);
  for (const [name, list] of Object.entries(both)) {
    const mine = own.json()[name];
    if (Array.isArray(list) && Array.isArray(mine)) both[name] = [...list, ...mine];
  }
  const second = JSON.stringify(both);
  repository.publish({ target: second, version: 3 });
  expect(await refresh()).toMatchObject([{ outcome: 'replaced', digest: digestOf(second) }]);
  expect(await readRefreshAge(table, clock.now())).toBeLessThan(HOUR);
  clock.advance(HOUR);
  expect(await attest(next)).toMatchObject({ grade: 'logged', root: digestOf(second) });
  expect(await attest()).toMatchObject({ grade: 'logged', root: digestOf(second) });
  for (const root of [first, second, publicRootText()]) {
    expect(await shown(`digest=${digestOf(root)}`)).toMatchObject({ status: 200, trusted_root: root });
  }
  expect(await shown(`digest=${'a'.repeat(64)}`)).toMatchObject({ status: 404 });
  const { status, json } = await acme.get(`/trust-roots/${acme.org}/other`, `digest=${digestOf(first)}`);
  expect([status, json]).toMatchObject([
    400,
    { errors: { digest: expect.stringMatching(/^Only the public root is read by its digest/) } },
  ]);
});

test('two refreshes at once: one stores its outcome', async () => {
  clock.advance(DAY);
  const outcomes = await Promise.all([1, 2].map(() => refreshPublicRoot(services())));
  expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['confirmed', 'overtaken']);
});
