import { beforeAll, describe, expect, it } from 'vitest';
import { openSource } from '#infra/import/read-export.ts';
import { hashKey } from '#shared/callers/credentials.ts';
import { importOrganization } from '#shared/exports/import/import-organization.ts';
import { apiKeyKey } from '#shared/organizations/records/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { asExport } from '#test/forger/bag.ts';
import { type ExportSample, exportOf } from '#test/forger/export-sample.ts';
import { apiToForge } from '#test/forger/organization.ts';
import { sweepsOf } from '#test/functions/expectations/gap-sweeps.ts';
import { statementIn } from '#test/functions/statements/stated-release.ts';
import { otherRegion, writtenTo } from '#test/shared/exports/import/region.ts';
import { newOrganization } from '#test/support/evidence.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { relayOf } from '#test/support/relay.ts';
import { verifyFiles } from '#verify/export.ts';
import { withChanged } from '../changed-export.ts';

/** Gaps about flows and whole scopes outside the service: in statements, exports, the verifier and imports. */

const api = await apiToForge();
const { clock } = api.services;
const MINUTE = 60_000_000;

interface ShownGap extends Record<string, unknown> {
  id: string;
  expectation: string;
  state: string;
  from: number;
}
type Line = Record<string, unknown> & { from: number; until: number };

let acme: Awaited<ReturnType<typeof newOrganization>>;
let sample: ExportSample;
let gaps: ShownGap[];
const statements = new Map<string, { status: number; predicate: Record<string, unknown> }>();

const listOf = async ({ get }: Pick<typeof acme, 'get'>) =>
  ((await get(`/gaps/${acme.org}`)).json as { gaps: ShownGap[] }).gaps;

/** One gap of a flow is closed, one of a whole scope is excused, one of a flow is unknown, and one lasts. */
beforeAll(async () => {
  acme = await newOrganization(api);
  const relay = relayOf(api.services, acme.id);
  const sweeps = sweepsOf(api.services, acme.id);
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(MINUTE);
      await sweeps.sweep();
    }
  };
  const put = async (fields: object) => {
    const json = { every: 'PT20M', grace: 'PT2M', ...fields };
    const { status, text } = await acme.call('PUT', `/expectations/${acme.org}`, { json });
    expect(status, text).toBe(201);
  };
  for (const flow of ['web', 'shop', 'idle']) await acme.putFlow(flow);
  await acme.begin({}, { flow: 'web', trail: 'one' });
  await relay.settle();
  await put({ name: 'begins', kind: 'activity', scope: { flows: ['web'] } });
  await put({ name: 'any', kind: 'evidence', evidence: { name: 'review' }, per: 'scope', scope: { flows: ['shop'] } });
  await put({ name: 'idle', kind: 'activity', scope: { flows: ['idle'] }, every: 'PT30M' });
  await pass(23);
  await acme.begin({}, { flow: 'web', trail: 'two' });
  await relay.settle();
  // The service itself does not run for ten minutes.
  clock.advance(10 * MINUTE);
  await pass(2);
  await acme.begin({}, { flow: 'idle', trail: 'one' });
  await relay.settle();
  await acme.attest('generic', { attestation_name: 'review', is_compliant: true }, { flow: 'shop', trail: 'one' });
  await relay.settle();
  const scope = (await listOf(acme)).find(({ expectation }) => expectation === 'any');
  await acme.call('POST', `/gaps/${acme.org}/${scope?.id}/excuse`, { json: { text: 'A holiday' } });
  await pass(23);
  await logEverything(api.services, acme.id);
  gaps = await listOf(acme);
  for (const { id } of gaps) {
    const { status, json } = await acme.get(`/gaps/${acme.org}/${id}/statement`);
    statements.set(id, { status, predicate: statementIn(json).predicate as Record<string, unknown> });
  }
  sample = await exportOf(api, exporterOf(api.services), acme);
}, 120_000);

const gapOf = (expectation: string, state: string): ShownGap => {
  const found = gaps.find((gap) => gap.expectation === expectation && gap.state === state);
  if (!found) throw new Error(`No gap of ${expectation} is ${state}: ${JSON.stringify(gaps)}`);
  return found;
};
const verified = (files: ExportSample['files'] = sample.files) =>
  verifyFiles(asExport(sample.folder, files), { policy: policyOf(sample.key), statementKey: sample.statementKey });

describe('statements of gaps about flows', () => {
  it.each<[string, string, object]>([
    ['begins', 'closed', { subject: { type: 'flow', flow: 'web' }, ended: 'arrived', unknown_seconds: 0 }],
    ['any', 'excused', { subject: { type: 'scope' }, explanation: { text: 'A holiday' }, ended: 'arrived' }],
    ['idle', 'unknown', { subject: { type: 'flow', flow: 'idle' }, ended: 'arrived', explanation: null }],
  ])('the one of %s that is %s says so, with its interval', (expectation, state, more) => {
    const gap = gapOf(expectation, state);
    expect(statements.get(gap.id)).toMatchObject({
      status: 200,
      predicate: { ...more, state, from: gap.from, until: gap['until'], unknown_seconds: gap['unknown_seconds'] },
    });
    if (state === 'unknown') expect(gap['unknown_seconds']).toBeGreaterThan(500);
  });
});

describe('an export with gaps about flows', () => {
  it('verifies, with all gaps and their statements proved', async () => {
    const { counts, scope } = await verified();
    expect(scope.find(({ name }) => name === 'gaps/gap')).toMatchObject({ lines: gaps.length, proved: gaps.length });
    expect(counts).toMatchObject({ statements: gaps.length, 'statements verified': gaps.length });
    expect(gaps.map(({ state }) => state)).toContain('open');
  });

  const faultOf = (state: string, expectation: string, change: (line: Line) => object) =>
    verified(
      withChanged(
        new Map(sample.files),
        'gaps',
        ({ state: stored, expectation: of }) => stored === state && (of as { name: string }).name === expectation,
        (line) => ({ ...line, ...change(line as Line) }),
      ),
    );
  const at = (line: Line, name: string) => line[name] as { at: number; shown: object };

  it.each<[string, (line: Line) => object, string]>([
    ['beginning', (line) => ({ from: line.from + MINUTE }), 'its id belongs to another beginning or subject'],
    ['end', (line) => ({ until: line.until - MINUTE }), 'it does not end with the first arrival after it'],
    ['last arrival', () => ({ lastBefore: null, since: 0 }), 'the silence counts from before the last arrival'],
    ['subject', (line) => ({ subject: { ...at(line, 'subject'), id: 'other' } }), 'its id belongs to another'],
  ])('is refused with expectation, flow and interval if the %s of a gap was changed', async (_, change, why) => {
    await expect(faultOf('closed', 'begins', change)).rejects.toThrow(
      new RegExp(`the gap of expectation 'begins' about flow 'web' from \\S+Z to \\S+Z does not follow: ${why}`),
    );
  });

  it('is refused with the interval if end and arrival were changed together, so that they fit', async () => {
    const changed = faultOf('closed', 'begins', (line) => ({
      until: line.until - MINUTE,
      firstAfter: { ...at(line, 'firstAfter'), at: line.until - MINUTE },
    }));
    await expect(changed).rejects.toThrow(
      /the gap of expectation 'begins' about flow 'web' from \S+Z to \S+Z is not as it was logged/,
    );
  });

  it('is refused with the whole scope by name if its gap was changed', async () => {
    await expect(faultOf('closed', 'any', (line) => ({ until: line.until + MINUTE }))).rejects.toThrow(
      /the gap of expectation 'any' about scope "scope" from \S+Z to \S+Z does not follow/,
    );
  });

  it('is refused if an unknown gap was turned into a closed one, or the other way round', async () => {
    await expect(faultOf('unknown', 'idle', () => ({ state: 'closed' }))).rejects.toThrow("about flow 'idle'");
    await expect(faultOf('closed', 'begins', () => ({ state: 'unknown' }))).rejects.toThrow("about flow 'web'");
  });

  it('is imported with the same gaps, which verify again', async () => {
    const { region, exporter } = await otherRegion();
    region.services.clock.advance(180 * MINUTE);
    await importOrganization(region.services, await openSource(writtenTo('flow-gaps', sample.files)));
    const key = await api.services.table.get(apiKeyKey(hashKey(acme.keys.admin)));
    if (!key) throw new Error('The key is not there');
    await region.services.table.put(key);
    const there: typeof acme = {
      ...acme,
      call: (method, path, request) => region.call(method, path, { key: acme.keys.admin, ...request }),
      get: (path) => region.call('GET', path, { key: acme.keys.admin }),
    };
    expect(await listOf(there)).toEqual(gaps);
    // A gap that lasted still ends with the next arrival.
    const relay = relayOf(region.services, acme.id);
    await there.call('PUT', `/trails/${acme.org}/web`, {
      form: { fields: { data_json: JSON.stringify({ name: 'three' }) }, files: {} },
    });
    await relay.settle();
    const lasting = gapOf('begins', 'open');
    expect((await listOf(there)).find(({ id }) => id === lasting.id)).toMatchObject({ state: 'closed' });
    const again = await exportOf(region, exporter, there);
    const { scope } = await verifyFiles(asExport(again.folder, again.files), {
      policy: policyOf(again.key),
      statementKey: again.statementKey,
    });
    expect(scope.find(({ name }) => name === 'gaps/gap')).toMatchObject({ lines: gaps.length, proved: gaps.length });
  });
});
