import { describe, expect, it } from 'vitest';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { type AttestationId, newId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import type { Scope } from '#shared/evidence/rules/trail-state.ts';
import { signingOrganization, text } from '#test/functions/attestations/bundles-api.ts';
import { statement } from '#test/shared/signatures/sample-bundles.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { type IndexedSbom, indexSbom } from '#test/support/records/indexed-sboms.ts';
import { reportFiles } from '#test/support/records/reported-sboms.ts';
import { vexDocument, vexFile, vexStatement } from '#test/support/records/reported-vex.ts';
import { relayOf } from '#test/support/relay.ts';

/** What statements of OpenVEX change in answers about exposure (rules/components.md#statements-that-count). */

const api = await testApi([...environmentGroups, componentsGroup, signersGroup]);
const { clock } = api.services;
const acme = await signingOrganization(api);
const { org } = acme;
const relay = relayOf(api.services, acme.id);
const flow = ((await acme.get(`/flows/${org}/web`)).json as { id: IndexedSbom['flow'] }).id;
await acme.putEnvironment('prod');

let number = 100;
function newName(): string {
  number += 1;
  return `vex-${number}`;
}
/** Reports an artifact in a trail of its own, with an SBOM of it. */
async function built(name: string, holds: readonly string[] = ['pkg:npm/lodash@4.17.20'], scopes?: Scope[]) {
  await acme.report(anArtifact(name), { trail: name });
  const at = clock.now();
  number += 1;
  const own: Scope[] = [{ kind: 'fingerprint', fingerprint: fingerprintOf(name) }];
  const id = newId<AttestationId>(at);
  await indexSbom(api.services, acme.id, { id, flow, trail: name, at, number, scopes: scopes ?? own, holds });
}
/** Attaches a document to a trail. @returns the instant behind it, in seconds */
async function say(statements: readonly object[], trail = 'run', fields: Record<string, unknown> = {}) {
  await reportFiles(acme, { 'vex.json': vexFile(...statements) }, { name: newName(), trail, fields });
  return settled();
}
/** Sends a signed document. */
async function sign(...statements: readonly object[]) {
  const predicate = vexDocument(...statements);
  const payload = JSON.stringify(statement({ predicateType: 'https://openvex.dev/ns/v0.2.0', predicate }));
  const { status, text: body } = await acme.send(text({ payload }), { attestation_name: newName() });
  expect(status, body).toBe(201);
  return settled();
}
async function settled(): Promise<number> {
  await relay.settle();
  return toSeconds(clock.now());
}

interface Row {
  trail_name: string;
  statements: Record<string, unknown>[];
  statement_count: number;
  environments: { environment: string }[];
}
type List = 'affected' | 'not_affected' | 'undecided';
type Exposure = Record<List, Row[]> & { next_cursor: string | null; question: Record<string, unknown> };

const LODASH = { purl: 'pkg:npm/lodash', versions: 'vers:npm/<4.17.21' };
const ask = (query: Record<string, string> = {}) =>
  acme.get(`/components/${org}/exposure`, `${new URLSearchParams({ ...LODASH, ...query })}`);

/** The list in which the row of a trail is, and the row. */
async function rowOf(trail: string, query: Record<string, string> = {}): Promise<[List, Row]> {
  const { status, json, text: body } = await ask({ per_page: '100', ...query });
  expect(status, body).toBe(200);
  const lists: readonly List[] = ['affected', 'not_affected', 'undecided'];
  const found = lists.flatMap((list) => {
    const rows = (json as Exposure)[list].filter((row) => row.trail_name === trail);
    return rows.map((row): [List, Row] => [list, row]);
  });
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} rows of ${trail}`);
  return first;
}
const listOf = async (trail: string, query: Record<string, string> = {}) => (await rowOf(trail, query))[0];

describe('statements in GET /components/{org}/exposure', () => {
  it('are counted from the first one in a report, which shows the newest', async () => {
    await built('often', ['pkg:npm/often@1.0.0']);
    const said = (cve: number) =>
      vexStatement(fingerprintOf('often'), { part: 'pkg:npm/often', vulnerability: `CVE-2026-${cve}` });
    const first = await say([said(1)]);
    await say(Array.from({ length: 20 }, (_, i) => said(i + 2)));
    const { json } = await ask({ purl: 'pkg:npm/often', versions: 'vers:npm/*', format: 'report' });
    const report = json as {
      first_said_at: number;
      products: { artifacts: { mitigation_count: number; mitigations: { reported_at: number }[] }[] }[];
    };
    const [artifact] = report.products.flatMap(({ artifacts }) => artifacts);
    expect(artifact).toMatchObject({ mitigation_count: 21 });
    expect(artifact?.mitigations.filter(({ reported_at: at }) => at <= first)).toEqual([]);
    expect(report.first_said_at).toBeLessThanOrEqual(first);
  });

  it('a row that is said not to be affected says by whom, when, why and of which grade', async () => {
    await built('said');
    await acme.run('prod', onServer({ said: 'said' }));
    const before = await settled();
    await say([vexStatement(fingerprintOf('said'))]);
    const [list, row] = await rowOf('said');
    expect([list, row.environments.length, row.statement_count]).toEqual(['not_affected', 1, 1]);
    expect(row.statements).toEqual([
      {
        vulnerability: 'CVE-2026-0001',
        aliases: [],
        status: 'not_affected',
        justification: 'vulnerable_code_not_in_execute_path',
        part: 'pkg:npm/lodash',
        stated_at: Date.parse('2026-11-01T00:00:00Z') / 1000,
        reported_at: expect.any(Number),
        reported_by: expect.any(String),
        grade: 'stated',
        signer: null,
        attestation_id: expect.any(String),
        flow_name: 'web',
        trail_name: 'run',
        html_url: expect.stringContaining('/trails/run'),
      },
    ]);
    expect((await rowOf('said', { at: `${before}` })).slice(0, 1)).toEqual(['affected']);
    await say([vexStatement(fingerprintOf('said'), { status: 'affected', timestamp: '2020-01-01T00:00:00Z' })]);
    const [later, { statements }] = await rowOf('said');
    expect([later, statements.map(({ status }) => status)]).toEqual(['affected', ['affected']]);
  });

  it('only statements about a vulnerability that is asked about count, also those about the whole artifact', async () => {
    await built('named');
    const whole = vexStatement(fingerprintOf('named'), { part: null, vulnerability: 'CVE-2026-0002' });
    await say([whole, vexStatement(fingerprintOf('named'), { status: 'under_investigation' })]);
    expect(await listOf('named')).toBe('affected');
    expect(await listOf('named', { vulnerability: 'CVE-2026-0001' })).toBe('affected');
    expect(await listOf('named', { vulnerability: 'cve-2026-0002' })).toBe('not_affected');
    const { question } = (await ask({ vulnerability: 'CVE-2026-0002' })).json as Exposure;
    expect(question).toMatchObject({ vulnerability: 'CVE-2026-0002', package: 'pkg:npm/lodash' });
  });

  it('statements without products are about the artifacts of the trail or of the report, and no others', async () => {
    for (const name of ['own', 'other']) await built(name);
    await acme.report(anArtifact('second', { name: 'second' }), { trail: 'own' });
    await say([vexStatement(null)], 'own');
    expect([await listOf('own'), await listOf('other')]).toEqual(['not_affected', 'affected']);
    await say([vexStatement(null)], 'other', { artifact_fingerprint: fingerprintOf('other') });
    expect(await listOf('other')).toBe('not_affected');
  });

  it('products without a digest, and other versions, are not meant', async () => {
    await built('unnamed');
    const product = { products: [{ '@id': 'unnamed', subcomponents: [{ '@id': 'pkg:npm/lodash' }] }] };
    await say([
      vexStatement(null, product),
      vexStatement(fingerprintOf('unnamed'), { part: 'pkg:npm/lodash@4.17.19' }),
    ]);
    expect(await rowOf('unnamed')).toMatchObject(['affected', { statements: [], statement_count: 0 }]);
  });

  it('an undecided row moves too if its package is meant in whatever version', async () => {
    await built('unclear', ['pkg:npm/lodash@latest']);
    expect(await listOf('unclear')).toBe('undecided');
    await say([vexStatement(fingerprintOf('unclear'), { part: 'pkg:npm/lodash@4.17.20' })]);
    expect(await listOf('unclear')).toBe('undecided');
    await say([vexStatement(fingerprintOf('unclear'))]);
    expect(await listOf('unclear')).toBe('not_affected');
  });

  it('a key does not take back what was signed, and a recall does', async () => {
    await built('signed');
    const about = (status: string) => vexStatement(fingerprintOf('signed'), { status });
    await say([about('not_affected')]);
    await sign(about('affected'));
    await say([about('not_affected')]);
    const [list, { statements }] = await rowOf('signed');
    expect([list, statements.map(({ status, grade, signer }) => [status, grade, signer])]).toEqual([
      'affected',
      [
        ['affected', 'logged', 'ci'],
        ['not_affected', 'stated', null],
      ],
    ]);
    const unrecalled = await settled();
    const { status } = await acme.call('PUT', `/recalls/${org}/leak`, { json: { signer: 'ci', reason: 'a leak' } });
    expect(status).toBe(201);
    expect(await listOf('signed')).toBe('not_affected');
    expect(await listOf('signed', { at: `${unrecalled}` })).toBe('affected');
  });

  it('shows twenty statements of a row and says how many there are', async () => {
    await built('many');
    const all = Array.from({ length: 30 }, (_, i) =>
      vexStatement(fingerprintOf('many'), { vulnerability: `CVE-2026-${i}`, status: i === 0 ? 'affected' : 'fixed' }),
    );
    await say(all);
    const [list, { statements, statement_count: count }] = await rowOf('many');
    expect([list, statements.length, count, statements[0]?.['status']]).toEqual(['affected', 20, 30, 'affected']);
  });

  it('answers 400 for a name that no vulnerability has, and for the cursor of another one', async () => {
    for (const vulnerability of [' ', 'x'.repeat(101)]) {
      const { status, json } = await ask({ vulnerability });
      expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, ['query.vulnerability']]);
    }
    const { next_cursor: cursor } = (await ask({ per_page: '1' })).json as Exposure;
    expect((await ask({ vulnerability: 'CVE-1', cursor: cursor ?? '' })).status).toBe(400);
  });
});
