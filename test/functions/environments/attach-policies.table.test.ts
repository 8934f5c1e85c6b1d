import { describe, expect, it } from 'vitest';
import { policyEnvironmentKey } from '#shared/policies/records/keys.ts';
import { readPolicyByName } from '#shared/policies/records/policies.ts';
import { describeAccess } from '#test/support/access.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { anArtifact, invalidFields, refusal } from '#test/support/evidence.ts';
import { testId, testName } from '#test/support/ids.ts';
import { policyText, STRICT } from '#test/support/policies.ts';
import { firstBrokenSnapshot } from '#test/support/snapshot-chain.ts';

const api = await environmentsApi();
const { table } = api.services;

const DONE = [200, 'OK'];

/** An organization with the environment `prod`, where `web` runs, and the policies `lax` and `strict`. */
async function acmeRunning(): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  await acme.putEnvironment('prod');
  await acme.putPolicy('lax', policyText());
  await acme.putPolicy('strict', STRICT);
  await acme.run('prod', onServer({ web: 'web' }));
  return acme;
}

/** Per snapshot: state, known state before, number of events, the policies that it was made under. */
async function history(acme: EnvironmentsOfOrganization) {
  const snapshots = await acme.snapshots('prod');
  return Promise.all(
    snapshots.map(async ({ index, state, known, events }) => {
      const { policies } = await acme.content('prod', index);
      return [
        state,
        known,
        events,
        policies
          .map(({ name }) => name)
          .sort()
          .join(),
      ];
    }),
  );
}

/** Names of the policies whose own items name the environment. */
async function consumers(acme: EnvironmentsOfOrganization): Promise<string[]> {
  const named = await Promise.all(['lax', 'strict'].map((name) => readPolicyByName(table, acme.id, testName(name))));
  return named.flatMap((policy) => (policy?.environments.includes(testName('prod')) ? [policy.head.name] : []));
}

describe.each(['POST', 'DELETE'])('%s /environments/{org}/{env}/policies', (method) => {
  describeAccess(api, {
    method,
    path: (org) => `/environments/${org}/prod/policies`,
    request: { json: { policy_names: [] } },
    needs: 'member',
  });

  const ask = (acme: EnvironmentsOfOrganization, env: string, json: unknown) =>
    acme.call(method, `/environments/${acme.org}/${env}/policies`, { json });

  it('refuses unknown and archived environments and unknown policies, and changes nothing then', async () => {
    const acme = await acmeRunning();
    const there = `for organization '${acme.org}'`;
    expect(refusal(await ask(acme, 'nowhere', { policy_names: ['lax'] }))).toEqual([
      404,
      { message: `Environment named 'nowhere' does not exist ${there}` },
    ]);
    expect(refusal(await ask(acme, 'prod', { policy_names: ['lax', 'no#ne'] }))).toEqual([
      404,
      { message: `Policy 'no#ne' does not exist in organization '${acme.org}'` },
    ]);
    expect(await acme.head('prod')).toMatchObject({ index: 1, policies: [] });
    await acme.call('PUT', `/environments/${acme.org}/prod/archive`);
    expect(refusal(await ask(acme, 'prod', { policy_names: ['lax'] }))).toEqual([
      404,
      { message: `Environment named 'prod' has been archived ${there}` },
    ]);
  });

  it('refuses wrong bodies field by field, before it reads anything', async () => {
    const acme = await acmeRunning();
    expect(refusal(await ask(acme, 'nowhere', {}))).toEqual(
      invalidFields({ policy_names: 'Field required [input: None]' }),
    );
    expect(refusal(await ask(acme, 'nowhere', { policy_names: ['a', 7], more: 1 }))).toEqual(
      invalidFields({
        'policy_names[1]': 'Input should be a valid string [input: 7]',
        more: 'Extra inputs are not permitted [input: 1]',
      }),
    );
    expect((await ask(acme, 'nowhere', null)).status).toBe(400);
    expect((await ask(acme, 'nowhere', { policy_names: 'lax' })).status).toBe(400);
  });
});

describe('attaching and detaching', () => {
  it('evaluates what runs at once, with one snapshot each time', async () => {
    const acme = await acmeRunning();
    expect(refusal(await acme.attach('prod', 'lax'))).toEqual(DONE);
    expect(refusal(await acme.attach('prod', 'strict'))).toEqual(DONE);
    expect(await consumers(acme)).toEqual(['lax', 'strict']);
    expect(refusal(await acme.detach('prod', 'strict'))).toEqual(DONE);
    expect(refusal(await acme.detach('prod', 'lax'))).toEqual(DONE);
    expect(await consumers(acme)).toEqual([]);
    expect(await history(acme)).toEqual([
      [null, null, 1, ''],
      [true, null, 1, 'lax'],
      [false, true, 1, 'lax,strict'],
      [true, false, 1, 'lax'],
      [null, true, 1, ''],
    ]);
    const { id, state, known } = await acme.head('prod');
    expect([state, known]).toEqual([null, true]);
    expect(firstBrokenSnapshot(acme.id, id, await acme.snapshots('prod'))).toBeNull();
  });

  it('stores a snapshot even if nothing runs, so that nothing differs', async () => {
    const acme = await acmeRunning();
    await acme.run('prod', { artifacts: [] });
    await acme.attach('prod', 'strict');
    expect((await history(acme)).at(-1)).toEqual([true, null, 0, 'strict']);
    // The artifact that exited before is no longer shown.
    expect((await acme.content('prod')).rows).toEqual([]);
  });

  it('changes nothing when repeated', async () => {
    const acme = await acmeRunning();
    for (let i = 0; i < 2; i += 1) expect(refusal(await acme.attach('prod', 'lax', 'lax'))).toEqual(DONE);
    expect((await acme.head('prod')).index).toBe(2);
    const before = await acme.head('prod');
    expect(refusal(await acme.attach('prod'))).toEqual(DONE);
    expect(refusal(await acme.detach('prod', 'strict'))).toEqual(DONE);
    expect(await acme.head('prod')).toEqual(before);
    expect(await acme.audited('environment.policies_changed')).toMatchObject([
      { subject: { name: 'prod' }, before: { policies: [] }, after: { policies: before.policies } },
    ]);
  });

  it('stores no snapshot if there is none yet; the first report is evaluated', async () => {
    const acme = await environmentsOfOrganization(api);
    await acme.putEnvironment('prod');
    await acme.putPolicy('strict');
    expect(refusal(await acme.attach('prod', 'strict'))).toEqual(DONE);
    expect(await acme.head('prod')).toMatchObject({ index: 0, state: null });
    await acme.report(anArtifact('web'));
    await acme.run('prod', onServer({ web: 'web' }));
    expect(await acme.head('prod')).toMatchObject({ index: 1, state: true });
  });

  it('evaluates the evidence of its moment', async () => {
    const acme = await acmeRunning();
    await acme.report(anArtifact('web'));
    await acme.attach('prod', 'strict');
    expect(await acme.row('prod', 'web')).toMatchObject({
      compliant: true,
      annotation: { type: 'updated-provenance', was: 1, now: 1 },
    });
    // The next report need not evaluate again.
    await acme.run('prod', onServer({ web: 'web' }));
    expect((await acme.head('prod')).index).toBe(2);
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await acmeRunning();
    const request = { json: { policy_names: ['lax'] }, headers: { 'idempotency-key': 'k' } };
    const path = `/environments/${acme.org}/prod/policies`;
    for (let i = 0; i < 2; i += 1) {
      expect(refusal(await acme.call('POST', path, request))).toEqual(DONE);
      await acme.detach('prod', 'lax');
    }
    expect((await acme.head('prod')).policies).toEqual([]);
  });

  it('is refused beyond the most policies that an environment may have', async () => {
    const acme = await acmeRunning();
    const names = Array.from({ length: 21 }, (_, i) => `p${i}`);
    for (const name of names) expect((await acme.putPolicy(name, policyText())).status).toBe(201);
    expect(refusal(await acme.attach('prod', ...names))).toEqual(
      invalidFields({ policy_names: 'An environment can have at most 20 policies [input: 21]' }),
    );
    expect(refusal(await acme.attach('prod', ...names.slice(1)))).toEqual(DONE);
    expect((await acme.attach('prod', 'p0')).status).toBe(400);
    expect((await acme.head('prod')).policies).toHaveLength(20);
    expect(refusal(await acme.detach('prod', ...names))).toEqual(DONE);
    expect(await acme.head('prod')).toMatchObject({ policies: [], state: null });
  });

  it('attaching and detaching of a logical environment only stores them; the relay appends the snapshot', async () => {
    const acme = await acmeRunning();
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    expect(refusal(await acme.attach('all', 'strict'))).toEqual(DONE);
    const { id, policies, index } = await acme.head('all');
    expect([policies.length, index]).toEqual([1, 0]);
    expect(await table.get(policyEnvironmentKey(acme.id, policies[0] ?? testId(''), id))).toBeDefined();
  });

  it('attaching and detaching by several requests at once loses no change and leaves no gap in the numbers', async () => {
    const acme = await acmeRunning();
    const names = Array.from({ length: 6 }, (_, i) => `p${i}`);
    for (const name of names) await acme.putPolicy(name, policyText());
    const answers = await Promise.all([
      ...names.map((name) => acme.attach('prod', name)),
      ...names.map((name) => acme.run('prod', onServer({ [name]: name }))),
    ]);
    expect(answers.filter(({ status }) => status > 201)).toEqual([]);
    const snapshots = await acme.snapshots('prod');
    const { id, policies, index } = await acme.head('prod');
    expect([policies.length, snapshots.length]).toEqual([6, index]);
    expect(firstBrokenSnapshot(acme.id, id, snapshots)).toBeNull();
    // Each snapshot has the policies that were attached at its time, so their number only grows.
    const counts = await Promise.all(
      snapshots.map(async (snapshot) => (await acme.content('prod', snapshot.index)).policies.length),
    );
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(6);
  });
});
