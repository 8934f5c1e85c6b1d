import { afterAll, describe, expect, it } from 'vitest';
import { EVIDENCE_FACETS } from '#shared/evidence/rules/series-kinds.ts';
import { settleSeries } from '#shared/series/facets.ts';
import { copiesOfOrganization } from '#test/support/copies/copied-organization.ts';
import {
  aCommit,
  anArtifact,
  aRepo,
  type EvidenceOfOrganization,
  evidenceApi,
  fingerprintOf,
  newOrganization,
  shaOf,
} from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { entriesAt, fillSeries, fillSettledSeries } from '#test/support/table/entries.ts';
import { countingTable, type Units } from '#test/support/table/units.ts';

/** Budgets per request on a warm function, which remembers what authentication reads (rules/storage.md#budgets). */

const api = await evidenceApi();
const sound = api.services.table;
const CLI = fingerprintOf('cli');
const figures: Record<string, Cost> = {};

afterAll(() => {
  console.table(figures);
});

interface Cost extends Units {
  status: number;
  /** AWS calls after one another, as the access log counts them. */
  trips: number;
  calls: number;
}

/** What one request costs, kept for the table of figures. */
async function costOf(name: string, send: () => Promise<TestAnswer>): Promise<Cost> {
  const { table, units } = countingTable(sound);
  api.services.table = table;
  try {
    const { status } = await send();
    const { aws_sequential: trips, aws_calls: calls } = api.entries.findLast(
      (entry) => 'aws_calls' in entry,
    ) as unknown as {
      aws_sequential: number;
      aws_calls: number;
    };
    const cost = { status, trips, calls, ...units };
    figures[name] = cost;
    return cost;
  } finally {
    api.services.table = sound;
  }
}

/** About this many bytes that do not compress. */
const noise = (bytes: number) =>
  Array.from({ length: Math.ceil(bytes / 64) }, (_, i) => fingerprintOf(`noise ${i}`))
    .join('')
    .slice(0, bytes);
const TEMPLATE = `trail:
  attestations:
${Array.from({ length: 10 }, (_, i) => `    - {name: check-${i}, type: generic}`).join('\n')}
  artifacts:
    - name: cli
      attestations: [{name: scan, type: generic}]`;

/** Copies, because the tests count calls and units, and check no hashes. */
const copyOfWarm = copiesOfOrganization(
  sound,
  () => newOrganization(api),
  async (acme) => {
    await acme.putFlow('web', TEMPLATE);
    await acme.begin({ description: 'd', git_commit_info: aCommit() });
    for (let i = 0; i < 40; i += 1)
      await acme.attest('generic', { attestation_name: `check-${i}`, is_compliant: i > 0 });
  },
);

/** A flow with a template, and a trail with 40 slots. The function has served the organization before. */
async function warm(): Promise<EvidenceOfOrganization> {
  const acme = await copyOfWarm();
  await acme.trail();
  return acme;
}

describe('writing', () => {
  it('attests on a trail of forty slots with 2 KB of facts in 3 trips, 12 write units and 6 read units', async () => {
    const acme = await warm();
    const facts = { git_commit_info: aCommit(), user_data: { noise: noise(1600) } };
    const generic = await costOf('attest, 2 KB, 40 slots', () =>
      acme.attest('generic', { attestation_name: 'check-3', ...facts }),
    );
    expect(generic).toMatchObject({ status: 201, trips: 2 });
    expect(generic.write).toBeLessThanOrEqual(12);
    expect(generic.read).toBeLessThanOrEqual(6);
    const other = await costOf('attest with another commit', () =>
      acme.attest('generic', { attestation_name: 'check-3', ...facts, git_commit_info: aCommit('other') }),
    );
    expect(other.trips).toBeLessThanOrEqual(3);
    const override = await costOf('override', () =>
      acme.attest('override', {
        attestation_name: 'check-0',
        reason: 'r',
        new_compliance_status: true,
        original_attestation_type: 'generic',
      }),
    );
    expect(override.trips).toBeLessThanOrEqual(3);
    expect(override.write).toBeLessThanOrEqual(12);
  });

  it('attests with a repository, a custom type or a fingerprint in as many trips', async () => {
    const acme = await warm();
    await acme.call('POST', `/custom-attestation-types/${acme.org}`, {
      form: { fields: { data_json: '{"name":"cov","evaluator":{"content_type":"jq","rules":[".ok"]}}' } },
    });
    await acme.report(anArtifact('cli'));
    const requests: [string, string, Record<string, unknown>][] = [
      ['attest with a new repository', 'generic', { repo_info: aRepo() }],
      ['attest with a known repository', 'generic', { repo_info: aRepo() }],
      ['attest an artifact', 'generic', { artifact_fingerprint: CLI }],
      ['attest by name and commit', 'generic', { target_artifacts: ['cli'], git_commit_info: aCommit() }],
      ['attest a custom type', 'custom', { type_name: 'cov', attestation_data: { ok: true } }],
      ['decide', 'system', { type_name: 'decision', control: 'C', attestation_data: { is_compliant: true } }],
    ];
    for (const [name, kind, fields] of requests) {
      const cost = await costOf(name, () => acme.attest(kind, { attestation_name: 'check', ...fields }));
      expect(cost.status).toBe(201);
      expect(cost.trips).toBeLessThanOrEqual(3);
    }
  });

  it('keeps attachments in one trip more', async () => {
    const acme = await warm();
    const files = { attachment_file: 'content' };
    const inline = await costOf('attest with a file', () =>
      acme.attest('generic', { attestation_name: 'c' }, { files }),
    );
    expect(inline).toMatchObject({ status: 201, trips: 3 });
    const { json } = await acme.call('POST', `/attachments/${acme.org}`, {
      json: { filename: 'f', size: 7, sha256: fingerprintOf('content'), content_type: 'text/plain' },
    });
    const { attachment_id: id, upload } = json as {
      attachment_id: string;
      upload: { url: string; fields: Record<string, string> };
    };
    const form = new FormData();
    for (const [name, value] of Object.entries(upload.fields)) form.append(name, value);
    form.append('file', new Blob(['content']), 'f');
    expect((await fetch(upload.url, { method: 'POST', body: form })).status).toBe(204);
    const claimed = await costOf('attest with an upload', () =>
      acme.attest('generic', { attestation_name: 'c', attachments: [id] }),
    );
    expect(claimed.status).toBe(201);
    expect(claimed.trips).toBeLessThanOrEqual(4);
  });

  it('makes flow and trail with an attestation for 32 write units at most', async () => {
    const acme = await newOrganization(api);
    await acme.attest('generic', { attestation_name: 'c' }, { flow: 'other' });
    const both = await costOf('attest, new flow and trail', () =>
      acme.attest('generic', { attestation_name: 'c', git_commit_info: aCommit(), user_data: { noise: noise(1500) } }),
    );
    expect(both.status).toBe(201);
    expect(both.trips).toBeLessThanOrEqual(3);
    expect(both.write).toBeLessThanOrEqual(32);
    const trail = await costOf('attest, new trail', () =>
      acme.attest('generic', { attestation_name: 'c' }, { trail: 'next' }),
    );
    expect(trail.trips).toBeLessThanOrEqual(3);
    expect(trail.write).toBeLessThanOrEqual(32);
  });

  it('reports an artifact for 32 write units at most', async () => {
    const acme = await warm();
    const first = await costOf('artifact, first report', () => acme.report(anArtifact('cli', { repo_info: aRepo() })));
    expect(first.status).toBe(201);
    expect(first.trips).toBeLessThanOrEqual(3);
    expect(first.write).toBeLessThanOrEqual(32);
    const again = await costOf('artifact, again', () => acme.report(anArtifact('cli', { repo_info: aRepo() })));
    expect(again.trips).toBeLessThanOrEqual(3);
    expect(again.write).toBeLessThanOrEqual(32);
    const alone = await costOf('artifact, new flow and trail', () => acme.report(anArtifact('lib'), { flow: 'new' }));
    expect(alone.trips).toBeLessThanOrEqual(3);
    // Both at once: what either may cost, less what they share.
    expect(alone.write).toBeLessThanOrEqual(34);
  });

  it('begins and updates a trail in 3 trips', async () => {
    const acme = await warm();
    const begin = (trail: string, fields: Record<string, unknown>) => () =>
      acme.begin({ git_commit_info: aCommit(), ...fields }, { trail });
    for (const [name, send] of [
      ['begin trail', begin('new', {})],
      ['begin trail, changed', begin('new', { description: 'e' })],
      ['begin trail, unchanged', begin('new', {})],
      ['begin trail with template', () => acme.begin({}, { trail: 'own', template: 'version: 1' })],
    ] as const) {
      const cost = await costOf(name, send);
      expect(cost.trips).toBeLessThanOrEqual(3);
      expect(cost.write).toBeLessThanOrEqual(32);
    }
  });
});

describe('reading', () => {
  it('reads one record in 2 trips, 3 with a body in the bucket', async () => {
    const acme = await warm();
    await acme.report(anArtifact('cli'));
    await acme.report(anArtifact('large', { user_data: noise(20_000) }));
    await acme.attest('generic', { attestation_name: 'large', user_data: noise(20_000) });
    const [[small], [large]] = [await acme.named('check-1'), await acme.named('large')];
    const paths: [string, string, string, number][] = [
      ['get trail', `/trails/${acme.org}/web/run`, '', 2],
      ['get artifact', `/artifacts/${acme.org}/web/fingerprint/${CLI}`, '', 2],
      ['get artifact by prefix', `/artifacts/${acme.org}/web/fingerprint/${CLI.slice(0, 9)}`, '', 3],
      ['get artifact, large', `/artifacts/${acme.org}/web/fingerprint/${fingerprintOf('large')}`, '', 3],
      ['get artifacts by commit', `/artifacts/${acme.org}/web/commit_sha/${shaOf('c')}`, '', 3],
      ['attestation by id', `/attestations/${acme.org}`, `attestation_id=${small?.['attestation_id']}`, 2],
      ['attestation by id, large', `/attestations/${acme.org}`, `attestation_id=${large?.['attestation_id']}`, 3],
      ['attestations by name', `/attestations/${acme.org}/web/trail/run/check-1`, '', 2],
      ['attestations by name, large', `/attestations/${acme.org}/web/trail/run/large`, '', 3],
      ['attachments', `/attestations/${acme.org}/${small?.['attestation_id']}/attachments`, '', 2],
      ['moments', `/trails/${acme.org}/web/run/moments`, '', 2],
      ['assert', `/asserts/${acme.org}/fingerprint/${CLI}`, '', 3],
      ['assert in a flow', `/asserts/${acme.org}/fingerprint/${CLI}`, 'flow_name=web', 3],
    ];
    for (const [name, path, query, most] of paths) {
      const cost = await costOf(name, () => acme.get(path, query));
      expect([name, cost.status, cost.trips <= most]).toEqual([name, 200, true]);
    }
  });

  it('reads any list in 5 trips, whatever the page: 20,000 trails in as many calls as few', async () => {
    // Before the copied trail, whose attestations are the newest.
    const start = api.services.clock.now() - 600_000_000;
    const acme = await warm();
    await acme.report(anArtifact('cli', { repo_info: aRepo() }));
    const { json } = await acme.get(`/flows/${acme.org}/web`);
    const f = String((json as { id: string }).id);
    const entries = (attributes: Record<string, string>, count = 20_000) =>
      entriesAt(
        Array.from({ length: count }, (_, i) => start - (count - i) * 1000),
        () => attributes,
      );
    await fillSettledSeries(sound, acme.id, 'trails', entries({ f, t: 'run' }));
    const [attestation] = await acme.named('check-1');
    await fillSeries(
      sound,
      acme.id,
      'attestations',
      entries({ r: String(attestation?.['attestation_id']), f, y: 'generic' }, 600),
    );
    api.services.clock.advance(600_000_000);
    await settleSeries(sound, acme.id, EVIDENCE_FACETS, 'attestations', api.services.clock.now(), new Set());
    await acme.get(`/trails/${acme.org}`);
    const lists: [string, string, string][] = [
      ['trails', `/trails/${acme.org}`, ''],
      ['trails of a flow', `/trails/${acme.org}`, 'flow=web'],
      ['trails with an artifact', `/trails/${acme.org}`, `fingerprint=${CLI}`],
      ['trails of a flow with an artifact', `/trails/${acme.org}`, `flow=web&fingerprint=${CLI}`],
      ['artifacts', `/artifacts/${acme.org}`, ''],
      ['artifacts of a flow', `/artifacts/${acme.org}`, 'flow_name=web'],
      ['attestations', `/attestations/${acme.org}`, ''],
      ['attestations of a flow', `/attestations/${acme.org}`, 'flow=web'],
      ['attestations of a type', `/attestations/${acme.org}`, 'attestation_type=generic'],
      ['attestations of a type, page 30', `/attestations/${acme.org}`, 'attestation_type=generic&page=30'],
      ['attestations of a flow and type', `/attestations/${acme.org}`, 'flow=web&attestation_type=generic'],
      ['attestations of a trail', `/attestations/${acme.org}`, 'flow=web&trail=run'],
      ['attestations of an artifact', `/attestations/${acme.org}`, `fingerprint=${CLI}`],
      ['latest commit', `/artifacts/${acme.org}/web/${CLI}/latest_commit`, ''],
    ];
    for (const [name, path, query] of lists) {
      const cost = await costOf(name, () => acme.get(path, query));
      expect([name, cost.status, cost.trips <= 5]).toEqual([name, 200, true]);
    }
    const page = (number: number) =>
      costOf(`page ${number} of 20,000 trails`, () => acme.get(`/trails/${acme.org}`, `page=${number}&per_page=50`));
    const [first, last] = [await page(1), await page(400)];
    expect([first.trips <= 5, last.trips <= 5, last.calls <= first.calls + 2]).toEqual([true, true, true]);
  }, 300_000);
});
