import { describe, expect, it } from 'vitest';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { type AttestationId, newId } from '#shared/base/ids.ts';
import { attestationComponentsItem } from '#shared/evidence/records/attestation-components.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, environmentsOfOrganization } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { type IndexedSbom, indexSbom } from '#test/support/records/indexed-sboms.ts';
import { reportSbom } from '#test/support/records/reported-sboms.ts';

/** What differs between the components of two artifacts (rules/components.md#differences). */

const api = await testApi([...environmentGroups, componentsGroup]);
const { clock } = api.services;
const acme = await environmentsOfOrganization(api);
const { org } = acme;
await acme.putFlow('web');
const flow = ((await acme.get(`/flows/${org}/web`)).json as { id: IndexedSbom['flow'] }).id;

const report = (name: string) => acme.report(anArtifact(name), { trail: name });
let number = 100;
async function sbomOf(name: string, holds: IndexedSbom['holds'], more: Partial<IndexedSbom> = {}): Promise<void> {
  const at = clock.now();
  number += 1;
  const id = newId<AttestationId>(at);
  const scopes: IndexedSbom['scopes'] = [{ kind: 'fingerprint', fingerprint: fingerprintOf(name) }];
  await indexSbom(api.services, acme.id, { id, flow, trail: name, at, number, scopes, holds, ...more });
}
async function built(name: string, holds: IndexedSbom['holds'], more: Partial<IndexedSbom> = {}): Promise<void> {
  await report(name);
  await sbomOf(name, holds, more);
}

interface Differences {
  from: { not_known: string | null; sboms: { trail_name: string }[] };
  to: { not_known: string | null };
  counts: object | null;
  differences: { kind: string; package: string | null; from: string[]; to: string[]; direction: string | null }[];
  next_cursor: string | null;
}
const ask = (query: Record<string, string>) =>
  acme.get(`/components/${org}/differences`, `${new URLSearchParams(query)}`);
const compare = async (from: string, to: string, more: Record<string, string> = {}) =>
  (await ask({ from: fingerprintOf(from), to: fingerprintOf(to), ...more })).json as Differences;

await built('old', ['pkg:npm/a@1.0.0', 'pkg:npm/b@1.0.0', 'pkg:npm/same@1.0.0']);
await built('new', ['pkg:npm/a@2.0.0', 'pkg:npm/c@1.0.0', 'pkg:npm/same@1.0.0']);
await report('bare');

describe('GET /components/{org}/differences', () => {
  it('answers what changed, was added and was removed, by package', async () => {
    const found = await compare('old', 'new');
    expect(found).toMatchObject({
      from: { fingerprint: fingerprintOf('old'), not_known: null, sboms: [{ flow_name: 'web', trail_name: 'old' }] },
      to: { not_known: null },
      counts: { added: 1, removed: 1, changed: 1, same: 1 },
      differences: [
        { kind: 'changed', package: 'pkg:npm/a', from: ['1.0.0'], to: ['2.0.0'], direction: 'newer' },
        { kind: 'added', package: 'pkg:npm/c', from: [], to: ['1.0.0'], direction: null },
        { kind: 'removed', package: 'pkg:npm/b', from: ['1.0.0'], to: [], direction: null },
      ],
      next_cursor: null,
    });
    const [back] = (await compare('new', 'old')).differences;
    expect(back).toMatchObject({ kind: 'changed', direction: 'older' });
  });

  it('gives pages of one instant, whatever is reported between them', async () => {
    await built('paged', ['pkg:npm/a@3.0.0']);
    const first = await compare('old', 'paged', { per_page: '2' });
    expect(first.differences.map(({ package: purl }) => purl)).toEqual(['pkg:npm/a', 'pkg:npm/b']);
    clock.advance(1_000_000);
    await sbomOf('paged', ['pkg:npm/same@1.0.0']);
    const rest = await compare('old', 'paged', { per_page: '2', cursor: first.next_cursor ?? '' });
    expect(rest).toMatchObject({ differences: [{ kind: 'removed', package: 'pkg:npm/same' }], next_cursor: null });
    expect((await compare('old', 'paged')).counts).toMatchObject({ changed: 0, removed: 2, same: 1 });
  });

  it('puts all SBOMs of an artifact together', async () => {
    await built('two', ['pkg:npm/a@1.0.0']);
    await sbomOf('two', ['pkg:npm/b@1.0.0', 'pkg:npm/same@1.0.0'], { name: 'second' });
    expect(await compare('old', 'two')).toMatchObject({ counts: { same: 3 }, differences: [] });
  });

  it('says why there is nothing to compare', async () => {
    await built('garbled', { unreadable: 'it is no JSON' });
    const none = { counts: null, differences: [], next_cursor: null };
    expect(await compare('old', 'bare')).toMatchObject({ ...none, to: { not_known: 'No SBOM of it was reported' } });
    expect(await compare('nowhere', 'new')).toMatchObject({ ...none, from: { not_known: 'No flow has reported it' } });
    const garbled = await compare('old', 'garbled');
    expect(garbled).toMatchObject({ ...none, to: { not_known: expect.stringContaining('it is no JSON') } });
    // Nothing hands the attestation to the worker here.
    await report('late');
    const id = await reportSbom(acme, 'no SBOM', { trail: 'late' });
    const late = async () => (await compare('old', 'late')).to.not_known;
    expect(await late()).toBe('Its SBOM is not read yet');
    const nothing = { state: 'none', set: null, count: null, why: null, format: null } as const;
    await api.services.table.put(attestationComponentsItem(acme.id, id, nothing));
    expect(await late()).toBe('No SBOM of it was reported');
  });

  it('refuses bad input by field', async () => {
    const errors = async (query: Record<string, string>) => {
      const { status, json } = await ask(query);
      return [status, Object.keys((json as { errors: object }).errors).sort()];
    };
    const from = fingerprintOf('old');
    expect(await errors({})).toEqual([400, ['query.from', 'query.to']]);
    expect(await errors({ from: 'abc', to: from.toUpperCase() })).toEqual([400, ['query.from', 'query.to']]);
    expect(await errors({ from, to: from, per_page: '1001' })).toEqual([400, ['query.per_page']]);
    const { next_cursor: cursor } = await compare('old', 'new', { per_page: '1' });
    expect(await errors({ from, to: from, cursor: cursor ?? '' })).toEqual([400, ['query.cursor']]);
  });

  describeAccess(api, {
    method: 'GET',
    path: (name) => `/components/${name}/differences`,
    request: { query: `from=${'a'.repeat(64)}&to=${'b'.repeat(64)}` },
    needs: 'reader',
  });
});
