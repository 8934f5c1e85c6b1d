import { describe, expect, it } from 'vitest';
import { componentsGroup } from '#functions/components/endpoints.ts';
import { signersGroup } from '#functions/signers/endpoints.ts';
import { tagsGroup } from '#functions/tags/endpoints.ts';
import { type AttestationId, newId } from '#shared/base/ids.ts';
import { toSeconds } from '#shared/base/time.ts';
import { readPostings } from '#shared/components/records/postings.ts';
import { buildItem, readBuilds } from '#shared/components/records/sets.ts';
import { attestationComponentsItem } from '#shared/evidence/records/attestation-components.ts';
import type { Scope } from '#shared/evidence/rules/trail-state.ts';
import { describeAccess } from '#test/support/access.ts';
import { testApi } from '#test/support/api.ts';
import { environmentGroups, environmentsOfOrganization, onServer, STRICT } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { type IndexedSbom, indexSbom } from '#test/support/records/indexed-sboms.ts';
import { reportSbom } from '#test/support/records/reported-sboms.ts';
import { relayOf } from '#test/support/relay.ts';

/** Where a component runs (rules/components.md#exposure). */

const api = await testApi([...environmentGroups, componentsGroup, signersGroup, tagsGroup]);
const { clock } = api.services;
const acme = await environmentsOfOrganization(api);
const { org } = acme;
const relay = relayOf(api.services, acme.id);
await acme.putFlow('web');
const flow = ((await acme.get(`/flows/${org}/web`)).json as { id: IndexedSbom['flow'] }).id;

let number = 100;
/** Reports an artifact in a trail of its own, and an SBOM of it. */
async function built(name: string, holds: IndexedSbom['holds'], more: Partial<IndexedSbom> = {}) {
  await acme.report(anArtifact(name), { trail: name });
  return sbomOf(name, holds, more);
}
async function sbomOf(name: string, holds: IndexedSbom['holds'], more: Partial<IndexedSbom> = {}) {
  const at = clock.now();
  const scopes: Scope[] = [{ kind: 'fingerprint', fingerprint: fingerprintOf(name) }];
  number += 1;
  const id = newId<AttestationId>(at);
  await indexSbom(api.services, acme.id, { id, flow, trail: name, at, number, scopes, holds, ...more });
  return { id, at };
}
const settle = async () => {
  await relay.settle();
  return toSeconds(clock.now());
};

interface Row {
  trail_name: string;
  components: { version: string | null; undecided: string | null }[];
  artifact: { fingerprint: string; name: string | null };
  environments: { environment: string; running: boolean; since: number | null; runs: object[]; tags: object }[];
}
interface Exposure {
  affected: Row[];
  undecided: Row[];
  recalled: { trail_name: string; recalls: { name: string }[] }[];
  not_known: { environment: string; name: string | null; kind: string; why: string }[];
  next_cursor: string | null;
}
const ask = (query: Record<string, string>) => acme.get(`/components/${org}/exposure`, `${new URLSearchParams(query)}`);

/** Reads all pages. */
async function exposure(query: Record<string, string>): Promise<Exposure & { pages: number }> {
  const all: Exposure = { affected: [], undecided: [], recalled: [], not_known: [], next_cursor: null };
  let cursor = '';
  for (let pages = 1; ; pages += 1) {
    const answer = await ask({ ...query, ...(cursor !== '' && { cursor }) });
    expect(answer.status).toBe(200);
    const page = answer.json as Exposure;
    for (const part of ['affected', 'undecided', 'recalled', 'not_known'] as const)
      all[part].push(...(page[part] as never[]));
    if (page.next_cursor === null) return { ...all, pages };
    cursor = page.next_cursor;
  }
}
const ANY_LODASH = { purl: 'pkg:npm/lodash', versions: 'vers:npm/*' };
const OLD_LODASH = { purl: 'pkg:npm/lodash', versions: 'vers:npm/<4.17.21' };
const fieldsOf = (json: unknown) => Object.keys((json as { errors?: object }).errors ?? {}).toSorted();
const trails = (rows: readonly { trail_name: string }[]) => rows.map((row) => row.trail_name).toSorted();

const LODASH = ['pkg:npm/lodash@4.17.20', 'pkg:npm/other@1.0.0'];
await built('first', LODASH);
await built('second', LODASH);
await built('safe', ['pkg:npm/lodash@4.17.21']);
await built('unclear', ['lodash 4.17.20']);
await built('garbled', { unreadable: 'it is no JSON' });
await acme.report(anArtifact('bare'), { trail: 'bare' });
await acme.putEnvironment('prod');
await acme.putPolicy('strict', STRICT);
await acme.attach('prod', 'strict');
await acme.call('PATCH', `/tags/${org}/environment/prod`, { json: { set_tags: { owner: 'team-a' } } });
const before = await settle();
await acme.run('prod', onServer({ first: 'first', garbled: 'garbled', bare: 'bare', unclear: 'unclear' }));
const during = await settle();
await acme.run('prod', onServer({ second: 'second', safe: 'safe', stranger: 'stranger', garbled: 'garbled' }));
await settle();

describe('GET /components/{org}/exposure', () => {
  describeAccess(api, {
    method: 'GET',
    path: (name) => `/components/${name}/exposure`,
    request: { query: 'purl=pkg:npm/lodash@1.0.0' },
    needs: 'reader',
  });

  it('answers artifacts with the asked versions, and where they run and ran', async () => {
    const { affected, undecided } = await exposure(OLD_LODASH);
    expect(trails(affected)).toEqual(['first', 'second']);
    expect(trails(undecided)).toEqual(['unclear']);
    const [first, second] = affected.toSorted((a, b) => (a.trail_name < b.trail_name ? -1 : 1));
    expect(first?.artifact).toMatchObject({ fingerprint: fingerprintOf('first'), name: 'first' });
    expect(first?.components).toMatchObject([{ version: '4.17.20', depth: 'direct', undecided: null }]);
    const [, snapshot] = await acme.snapshots('prod');
    expect(first?.environments).toMatchObject([
      {
        environment: 'prod',
        tags: { owner: 'team-a' },
        running: false,
        since: null,
        runs: [{ to: snapshot && toSeconds(snapshot.at), to_snapshot: 2 }],
      },
    ]);
    expect(second?.environments).toMatchObject([{ running: true, compliant: true, runs: [{ to: null }] }]);
  });

  it('names artifacts that run and whose components nobody knows', async () => {
    const { not_known: unknown } = await exposure(OLD_LODASH);
    expect(unknown.map(({ name, kind }) => [name, kind]).toSorted()).toEqual([
      ['garbled', 'unreadable'],
      ['stranger', 'none'],
    ]);
    expect(unknown.find(({ name }) => name === 'garbled')?.why).toContain('it is no JSON');
  });

  it('answers as of an instant', async () => {
    const early = await exposure({ ...OLD_LODASH, at: `${before}` });
    expect(early.affected.flatMap(({ environments }) => environments)).toEqual([]);
    expect(early.not_known).toEqual([]);
    const then = await exposure({ ...OLD_LODASH, at: `${during}` });
    const first = then.affected.find(({ trail_name: trail }) => trail === 'first');
    expect(first?.environments).toMatchObject([{ running: true }]);
    expect(then.not_known.map(({ name }) => name).toSorted()).toEqual(['bare', 'garbled']);
  });

  it('asks about one version, and about all', async () => {
    expect(trails((await exposure({ purl: 'pkg:npm/lodash@4.17.21' })).affected)).toEqual(['safe']);
    expect(trails((await exposure(ANY_LODASH)).affected)).toEqual(['first', 'safe', 'second']);
    expect((await exposure({ ...ANY_LODASH, purl: 'pkg:npm/nobody' })).affected).toEqual([]);
  });

  it('finds names without a package URL in whatever case they are written', async () => {
    await built('zope', ['Zope.Interface 5.0']);
    await settle();
    const { undecided } = await exposure({ purl: 'pkg:pypi/zope.interface', versions: 'vers:pypi/<6' });
    expect(trails(undecided)).toEqual(['zope']);
  });

  it('gives one row for a build with more versions of a package than an item of the index holds', async () => {
    const versions = Array.from({ length: 101 }, (_, i) => `pkg:npm/many@0.0.${i}`);
    await built('many', versions);
    await built('few', ['pkg:npm/many@0.0.7']);
    await settle();
    const question = { purl: 'pkg:npm/many', versions: 'vers:npm/*' };
    const { affected } = await exposure({ ...question, per_page: '1' });
    expect(trails(affected)).toEqual(['few', 'many']);
    expect(affected.find(({ trail_name: trail }) => trail === 'many')?.components).toHaveLength(101);
  });

  it('answers all pages about the instant of the first one', async () => {
    const first = (await ask({ ...ANY_LODASH, per_page: '1' })).json as Exposure & { question: { at: number } };
    await settle();
    const cursor = first.next_cursor ?? '';
    const second = (await ask({ ...ANY_LODASH, cursor })).json as typeof first;
    expect(second.question.at).toBe(first.question.at);
  });

  it('gives the same rows in pages of any size', async () => {
    const whole = await exposure(ANY_LODASH);
    const one = await exposure({ ...ANY_LODASH, per_page: '1' });
    expect(one.pages).toBeGreaterThan(whole.pages);
    const { pages: _, ...rest } = whole;
    expect(one).toEqual({ ...rest, pages: one.pages });
  });

  it('counts the newest SBOM of an artifact, unless it was erased', async () => {
    await built('renewed', LODASH);
    const between = toSeconds(clock.now());
    await sbomOf('renewed', ['pkg:npm/lodash@4.17.21']);
    expect(trails((await exposure(OLD_LODASH)).affected)).not.toContain('renewed');
    expect(trails((await exposure({ ...OLD_LODASH, at: `${between}` })).affected)).toContain('renewed');
    await built('withdrawn', LODASH);
    await sbomOf('withdrawn', 'erased');
    expect(trails((await exposure(OLD_LODASH)).affected)).toContain('withdrawn');
  });

  it('leaves out recalled SBOMs and says so', async () => {
    const proof: IndexedSbom['proof'] = {
      grade: 'signed',
      signer: { name: 'release', version: 1 },
      signature: { root: { name: 'public', version: null }, run: 'run 7', times: [] },
    };
    await built('leaked', LODASH, { proof });
    expect(trails((await exposure(OLD_LODASH)).affected)).toContain('leaked');
    const unrecalled = toSeconds(clock.now());
    const saved = await acme.call('PUT', `/recalls/${org}/leak`, { json: { run: 'run 7', reason: 'a leak' } });
    expect(saved.status).toBe(201);
    const { affected, recalled } = await exposure(OLD_LODASH);
    expect(trails(affected)).not.toContain('leaked');
    expect(recalled).toMatchObject([{ trail_name: 'leaked', recalls: [{ name: 'leak' }] }]);
    expect(trails((await exposure({ ...OLD_LODASH, at: `${unrecalled}` })).affected)).toContain('leaked');
  });

  it('answers a whole table and a whole report, which say the same as all pages', async () => {
    const { affected, not_known: unknown } = await exposure(ANY_LODASH);
    const csv = await ask({ ...ANY_LODASH, format: 'csv', per_page: '1' });
    expect([csv.status, csv.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    const lines = csv.text.trimEnd().split('\r\n');
    const ran = affected.reduce((sum, { environments }) => sum + Math.max(1, environments.length), 0);
    expect(lines.filter((line) => line.startsWith('affected,'))).toHaveLength(ran);
    expect(lines.filter((line) => line.startsWith('not_known,'))).toHaveLength(unknown.length);
    const report = await ask({ ...ANY_LODASH, format: 'report' });
    const { products } = report.json as { products: { artifacts: { status: string }[] }[] };
    const reported = products.flatMap(({ artifacts }) => artifacts).filter(({ status }) => status === 'affected');
    expect([report.status, reported.length]).toEqual([200, affected.length]);
  });

  it('refuses a table that is too long, an unknown format, and a cursor with one', async () => {
    const holds = ['pkg:npm/everywhere@1.0.0'];
    await built('everywhere', holds);
    const { table } = api.services;
    const asked = { package: 'pkg:npm/everywhere', name: 'everywhere' };
    const [posting] = (await readPostings(table, acme.id, asked, { limit: 1 })).postings;
    const [build] = (await readBuilds(table, acme.id, posting?.set ?? '', { limit: 1 })).builds;
    if (!build) throw new Error('The SBOM is in the index');
    const more = Array.from({ length: 1_000 }, () => buildItem(acme.id, { ...build, id: newId(build.at) }));
    await table.putMany(more);
    const { status, json } = await ask({ purl: 'pkg:npm/everywhere@1.0.0', format: 'csv' });
    expect([status, json]).toMatchObject([
      400,
      { errors: { 'query.format': expect.stringContaining('The answer has more than 10 pages of 100') } },
    ]);
    const refused = await ask({ ...ANY_LODASH, format: 'xml' });
    expect([refused.status, fieldsOf(refused.json)]).toEqual([400, ['query.format']]);
    const { next_cursor: cursor } = (await ask({ ...ANY_LODASH, per_page: '1' })).json as Exposure;
    const both = await ask({ ...ANY_LODASH, format: 'csv', cursor: cursor ?? '' });
    expect([both.status, fieldsOf(both.json)]).toEqual([400, ['query.cursor']]);
  });

  it('says that the worker has to read an SBOM only until it was there', async () => {
    await acme.putEnvironment('late');
    await acme.report(anArtifact('waiting'), { trail: 'waiting' });
    await relay.settle();
    const id = await reportSbom(acme, 'no SBOM', { trail: 'waiting' });
    await acme.run('late', onServer({ waiting: 'waiting' }));
    await relay.hand((await relay.changed()).filter(({ pk }) => !pk.includes('ATTESTATION')));
    await relay.expand();
    const kindOf = async () => {
      const { not_known: unknown } = await exposure(OLD_LODASH);
      return unknown.find(({ name }) => name === 'waiting')?.kind;
    };
    expect(await kindOf()).toBe('pending');
    const none = { state: 'none', set: null, count: null, why: null, format: null } as const;
    await api.services.table.put(attestationComponentsItem(acme.id, id, none));
    expect(await kindOf()).toBe('none');
  });

  it('answers 400 with every problem of the question, field by field', async () => {
    const errors = async (query: Record<string, string>) => {
      const { status, json } = await ask(query);
      return [status, fieldsOf(json)];
    };
    expect(await errors({})).toEqual([400, ['query.purl']]);
    expect(await errors({ purl: 'pkg:npm/lodash' })).toEqual([400, ['query.versions']]);
    expect(await errors({ purl: 'lodash', versions: 'all', at: 'now', cursor: '?', per_page: '0' })).toEqual([
      400,
      ['query.at', 'query.per_page', 'query.purl', 'query.versions'],
    ]);
    expect(await errors({ purl: 'pkg:npm/lodash', versions: 'vers:pypi/<1' })).toEqual([400, ['query.versions']]);
    expect(await errors({ purl: 'pkg:npm/lodash@1.0.0', versions: 'vers:npm/<1' })).toEqual([400, ['query.versions']]);
    expect(await errors({ ...ANY_LODASH, at: '32503680000' })).toEqual([400, ['query.at']]);
    expect(await errors({ ...ANY_LODASH, cursor: 'abc' })).toEqual([400, ['query.cursor']]);
    const { next_cursor: cursor } = (await ask(ANY_LODASH)).json as Exposure;
    expect(await errors({ ...OLD_LODASH, cursor: cursor ?? '' })).toEqual([400, ['query.cursor']]);
  });
});

describe('GET /components/{org}', () => {
  const list = (query: Record<string, string>) => acme.get(`/components/${org}`, `${new URLSearchParams(query)}`);

  describeAccess(api, {
    method: 'GET',
    path: (name) => `/components/${name}`,
    request: { query: 'name=lo' },
    needs: 'reader',
  });

  it('finds packages by the begin of their names', async () => {
    const whole = (await list({ name: 'LOD' })).json as { packages: object[]; next_cursor: null };
    expect(whole.packages).toHaveLength(2);
    expect(whole.packages).toContainEqual({ package: 'pkg:npm/lodash', name: 'lodash' });
    expect(whole.packages).toContainEqual({ package: null, name: 'lodash' });
    const first = (await list({ name: 'lo', per_page: '1' })).json as { packages: object[]; next_cursor: string };
    expect(first.packages).toHaveLength(1);
    const second = (await list({ name: 'lo', per_page: '1', cursor: first.next_cursor })).json as typeof first;
    expect(second.packages).toHaveLength(1);
    expect(second.packages).not.toEqual(first.packages);
  });

  it('lists the builds that hold a package', async () => {
    const { builds } = (await list({ purl: 'pkg:npm/lodash@4.17.21' })).json as {
      builds: { trail_name: string; artifacts: { name: string }[] }[];
    };
    expect(trails(builds)).toContain('safe');
    expect(builds.flatMap(({ artifacts }) => artifacts)).toContainEqual(expect.objectContaining({ name: 'safe' }));
  });

  it('answers 400 unless one form is asked for', async () => {
    const fields = async (query: Record<string, string>) => fieldsOf((await list(query)).json);
    expect(await fields({})).toEqual(['query.purl']);
    expect(await fields({ name: 'l' })).toEqual(['query.name']);
    expect(await fields({ name: 'lo', purl: 'pkg:npm/lodash' })).toEqual(['query.name']);
    expect(await fields({ name: 'lo', versions: 'vers:npm/*' })).toEqual(['query.versions']);
  });
});

describe('GET /components/{org}/sboms/{attestation_id}', () => {
  const list = (id: string, query = '') => acme.get(`/components/${org}/sboms/${id}`, query);

  it('lists the components of an SBOM in pages', async () => {
    const { id } = await built('listed', ['pkg:npm/b@1', 'pkg:npm/a@1', 'pkg:npm/c@1']);
    const first = (await list(id, 'per_page=2')).json as { components: { purl: string }[]; next_cursor: string };
    expect(first).toMatchObject({ format: 'cyclonedx-1.6', total: 3 });
    expect(first.components.map(({ purl }) => purl)).toEqual(['pkg:npm/a@1', 'pkg:npm/b@1']);
    const second = (await list(id, `per_page=2&cursor=${first.next_cursor}`)).json;
    expect(second).toMatchObject({ components: [{ purl: 'pkg:npm/c@1' }], next_cursor: null });
  });

  it('answers 404 for an attestation without a readable SBOM', async () => {
    expect((await list('0'.repeat(32))).status).toBe(404);
    expect((await list('nothing')).status).toBe(404);
    const { id } = await sbomOf('garbled', { unreadable: 'it is no JSON' });
    expect((await list(id)).status).toBe(404);
  });

  describeAccess(api, {
    method: 'GET',
    path: (name) => `/components/${name}/sboms/nothing`,
    request: {},
    needs: 'reader',
  });
});
