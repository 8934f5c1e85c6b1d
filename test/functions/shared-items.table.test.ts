import { describe, expect, it } from 'vitest';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { environmentsGroup } from '#functions/environments/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import { newId } from '#shared/base/ids.ts';
import { testApi } from '#test/support/api.ts';
import { aCommit, anArtifact, aRepo, fingerprintOf, newOrganization } from '#test/support/evidence.ts';
import { tableAround } from '#test/support/table/faults.ts';

const api = await testApi([flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, environmentsGroup]);
const sound = api.services.table;

interface WrittenKey {
  pk: string;
  sk: string;
}
type TransactItem = Record<'Put' | 'Update' | 'Delete' | 'ConditionCheck', { Item?: WrittenKey; Key?: WrittenKey }>;

/** Returns the keys of all items in the transactions of a request, condition checks included. */
async function keysOf(write: () => Promise<{ status: number }>): Promise<string[]> {
  const keys: string[] = [];
  api.services.table = tableAround(sound, ({ command, input }, send) => {
    if (command === 'TransactWrite') {
      for (const item of input['TransactItems'] as TransactItem[]) {
        for (const { Item, Key } of Object.values(item)) keys.push(`${(Item ?? Key)?.pk} ${(Item ?? Key)?.sk}`);
      }
    }
    return send();
  });
  try {
    expect([200, 201]).toContain((await write()).status);
  } finally {
    api.services.table = sound;
  }
  return keys;
}

/** A text that is too large for an item, so it becomes a body in the bucket, with an item for its use. */
const LARGE = Array.from({ length: 200 }, (_, i) => fingerprintOf(`${i}`)).join(' ');
const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n';

describe('two writers of different trails', () => {
  const acme = newOrganization(api);
  const facts = { git_commit_info: aCommit('c', { message: LARGE }), repo_info: aRepo() };
  const common = { ...facts, user_data: { text: LARGE } };
  const writes: Record<string, (place: { flow: string; trail: string }) => Promise<{ status: number }>> = {
    'PUT /trails with a template': async (place) => (await acme).begin(common, { ...place, template: TEMPLATE }),
    'PUT /trails with fields that change': async (place) =>
      (await acme).begin({ ...common, description: newId(api.services.clock.now()) }, place),
    'POST /artifacts': async (place) =>
      (await acme).report(
        anArtifact('cli', { ...common, fingerprint: fingerprintOf(`${place.flow} ${place.trail}`) }),
        place,
      ),
    'POST /artifacts with legacy requirements': async (place) =>
      (await acme).report(
        anArtifact('cli', {
          fingerprint: fingerprintOf(`old ${place.flow} ${place.trail}`),
          template: ['unit', LARGE.slice(0, 200)],
        }),
        { flow: place.flow, trail: `old-${place.trail}` },
      ),
    'POST /attestations': async (place) =>
      (await acme).attest(
        'generic',
        { attestation_name: 'review', is_compliant: true, ...common },
        { ...place, files: { 'attachment_file.0': LARGE } },
      ),
    'POST /attestations of a decision': async (place) =>
      (await acme).attest(
        'system',
        {
          attestation_name: 'gate',
          type_name: 'decision',
          control: 'C-1',
          attestation_data: { is_compliant: true },
          ...common,
        },
        place,
      ),
  };

  it.each(Object.keys(writes))('share no item in the transactions of %s', async (name) => {
    const write = writes[name] ?? (() => Promise.reject(new Error('no such write')));
    // The first writer of an organization stores what all others then find: the flow, the template, the repository.
    for (const flow of ['web', 'api']) await write({ flow, trail: `${name.length}-first` });
    const written: string[][] = [];
    for (const place of [
      { flow: 'web', trail: `${name.length}-a` },
      { flow: 'web', trail: `${name.length}-b` },
      { flow: 'api', trail: `${name.length}-a` },
    ]) {
      // The first request creates the trail, the second one finds it.
      const requests = [await keysOf(() => write(place)), await keysOf(() => write(place))];
      written.push([...new Set(requests.flat())]);
    }
    const all = written.flat();
    expect(all.length).toBeGreaterThan(12);
    expect(all.filter((key, i) => all.indexOf(key) !== i)).toEqual([]);
  });

  it('share no item in the transactions of reports of environments', async () => {
    const { org, keys, call } = await acme;
    const artifacts = Array.from({ length: 150 }, (_, i) => ({
      digests: { [`app-${i}`]: fingerprintOf(`${i}`) },
      creationTimestamp: 1_776_000_000,
    }));
    const report = (env: string) =>
      call('PUT', `/environments/${org}/${env}/report/server`, { json: { artifacts }, key: keys.snapshotter });
    const written: string[] = [];
    for (const name of ['prod', 'test']) {
      const json = { name, type: 'server', description: '' };
      expect((await call('PUT', `/environments/${org}`, { json })).status).toBe(201);
      written.push(...(await keysOf(() => report(name))));
    }
    expect(written.length).toBeGreaterThan(8);
    expect(written.filter((key, i) => written.indexOf(key) !== i)).toEqual([]);
  });
});
