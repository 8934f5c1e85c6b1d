import { describe, expect, it } from 'vitest';
import { AllowedItem } from '#shared/environments/records/environment-records.ts';
import { allowedPartition } from '#shared/environments/records/keys.ts';
import { describeAccess } from '#test/support/access.ts';
import {
  type EnvironmentsOfOrganization,
  environmentsApi,
  environmentsOfOrganization,
  onServer,
} from '#test/support/environments.ts';
import { fingerprintOf, invalidFields, refusal } from '#test/support/evidence.ts';
import { STRICT } from '#test/support/policies.ts';
import { firstBrokenSnapshot } from '#test/support/snapshot-chain.ts';

const api = await environmentsApi();
const { table } = api.services;

const NEW = [201, 'OK'];
const SAME = [200, 'OK'];
const ENTRY = { artifact_fingerprint: fingerprintOf('web'), artifact_name: 'web', description: 'trusted' };

/** An organization with the environment `prod` under a strict policy. */
async function acmeStrict(): Promise<EnvironmentsOfOrganization> {
  const acme = await environmentsOfOrganization(api);
  await acme.putEnvironment('prod');
  await acme.putPolicy('strict', STRICT);
  await acme.attach('prod', 'strict');
  return acme;
}

/** Entries of the allow-list: those in force, and all entries, oldest first. */
async function entries(acme: EnvironmentsOfOrganization) {
  const { id } = await acme.head('prod');
  const items = await table.query({ pk: allowedPartition(acme.id, id) });
  const read = (all: typeof items) => all.map((item) => AllowedItem.parse(item));
  return {
    inForce: read(items.filter(({ sk }) => !sk.includes('#'))),
    history: read(items.filter(({ sk }) => sk.includes('#'))),
  };
}

describe('PUT /allowlists/{org}/{env}', () => {
  describeAccess(api, {
    method: 'PUT',
    path: (org) => `/allowlists/${org}/prod`,
    request: { json: ENTRY },
    needs: 'member',
  });

  it('accepts a fingerprint that was never reported', async () => {
    const acme = await acmeStrict();
    expect(refusal(await acme.allow('prod', 'web'))).toEqual(NEW);
    const { inForce, history } = await entries(acme);
    const { id } = await acme.head('prod');
    expect(inForce).toMatchObject([
      {
        fingerprint: fingerprintOf('web'),
        name: 'web',
        description: 'trusted',
        environment: id,
        added: true,
        index: 0,
        state: null,
        by: { name: `${acme.org}-admin` },
      },
    ]);
    // The relay reads the entry of the list only, so this item alone names its request.
    expect(history).toEqual(inForce.map((entry) => ({ ...entry, request: 'request-1' })));
    await acme.run('prod', onServer({ web: 'web', other: 'other' }));
    expect(await acme.row('prod', 'web')).toMatchObject({ compliant: true, allowed: true });
    expect(await acme.row('prod', 'other')).toMatchObject({ compliant: false, allowed: false });
  });

  it('changes the verdict of what runs at once, in a snapshot that keeps the decisions', async () => {
    const acme = await acmeStrict();
    await acme.run('prod', onServer({ web: 'web' }));
    const before = await acme.row('prod', 'web');
    expect([before.compliant, (await acme.head('prod')).state]).toEqual([false, false]);
    expect(refusal(await acme.allow('prod', 'web'))).toEqual(NEW);
    expect(await acme.row('prod', 'web')).toEqual({
      ...before,
      compliant: true,
      allowed: true,
      annotation: { type: 'changed', was: 1, now: 1 },
    });
    expect(await acme.head('prod')).toMatchObject({ index: 2, state: true, events: 2 });
    expect((await entries(acme)).inForce).toMatchObject([{ index: 2, state: true }]);
    // The next report finds no difference.
    expect(refusal(await acme.run('prod', onServer({ web: 'web' })))).toEqual(SAME);
  });

  it('changes nothing when repeated; another reason makes a new entry and no snapshot', async () => {
    const acme = await acmeStrict();
    await acme.run('prod', onServer({ web: 'web' }));
    expect(refusal(await acme.allow('prod', 'web'))).toEqual(NEW);
    expect(refusal(await acme.allow('prod', 'web'))).toEqual(SAME);
    expect(refusal(await acme.allow('prod', 'web', { description: 'audited' }))).toEqual(NEW);
    expect((await acme.head('prod')).index).toBe(2);
    const { inForce, history } = await entries(acme);
    expect(inForce.map(({ description, added }) => [description, added])).toEqual([['audited', false]]);
    expect(history.map(({ description, added }) => [description, added])).toEqual([
      ['trusted', true],
      ['audited', false],
    ]);
    const audited = await acme.audited('environment.artifact_allowed');
    expect(audited.map(({ actor, before, after }) => [actor.name, before?.['description'], after])).toEqual([
      [`${acme.org}-admin`, undefined, { fingerprint: fingerprintOf('web'), name: 'web', description: 'trusted' }],
      [`${acme.org}-admin`, 'trusted', { fingerprint: fingerprintOf('web'), name: 'web', description: 'audited' }],
    ]);
  });

  it('stores no snapshot if the artifact does not run or is compliant', async () => {
    const acme = await acmeStrict();
    await acme.run('prod', onServer({ web: 'web' }));
    await acme.run('prod', onServer({ other: 'other' }));
    await acme.allow('prod', 'web');
    expect((await acme.head('prod')).index).toBe(2);
    await acme.allow('prod', 'other');
    expect((await acme.head('prod')).index).toBe(3);
    await acme.allow('prod', 'other', { artifact_name: 'renamed' });
    expect((await acme.head('prod')).index).toBe(3);
  });

  it('makes an artifact compliant without policies, and leaves the state unknown', async () => {
    const acme = await acmeStrict();
    await acme.detach('prod', 'strict');
    await acme.run('prod', onServer({ web: 'web' }));
    await acme.allow('prod', 'web');
    expect(await acme.row('prod', 'web')).toMatchObject({ compliant: true });
    expect(await acme.head('prod')).toMatchObject({ index: 2, state: null });
  });

  it('counts only in its own environment', async () => {
    const acme = await acmeStrict();
    await acme.putEnvironment('stage');
    await acme.attach('stage', 'strict');
    await acme.allow('prod', 'web');
    await acme.run('stage', onServer({ web: 'web' }));
    expect((await acme.head('stage')).state).toBe(false);
  });

  it('is seen by reports that arrive at the same time', async () => {
    const acme = await acmeStrict();
    for (let round = 0; round < 10; round += 1) {
      const name = `web${round}`;
      const [report, allowed] = await Promise.all([
        acme.run('prod', onServer({ [name]: name })),
        acme.allow('prod', name),
      ]);
      expect([report.status, allowed.status]).toEqual([201, 201]);
      expect([(await acme.row('prod', name)).compliant, (await acme.head('prod')).state]).toEqual([true, true]);
    }
    const { id } = await acme.head('prod');
    expect(firstBrokenSnapshot(acme.id, id, await acme.snapshots('prod'))).toBeNull();
  });

  it('repeats the first answer for the same Idempotency-Key', async () => {
    const acme = await acmeStrict();
    const request = { json: ENTRY, headers: { 'idempotency-key': 'k' } };
    for (let i = 0; i < 2; i += 1) {
      expect(refusal(await acme.call('PUT', `/allowlists/${acme.org}/prod`, request))).toEqual(NEW);
    }
    expect((await entries(acme)).history).toHaveLength(1);
  });

  it('refuses wrong bodies field by field, before it reads anything', async () => {
    const acme = await acmeStrict();
    const put = (json: unknown) => acme.call('PUT', `/allowlists/${acme.org}/nowhere`, { json });
    expect(refusal(await put({}))).toEqual(
      invalidFields({
        artifact_fingerprint: 'Field required [input: None]',
        artifact_name: 'Field required [input: None]',
        description: 'Field required [input: None]',
      }),
    );
    for (const [field, value] of [
      ...['', 'A'.repeat(64), 'a'.repeat(63), 7].map((one) => ['artifact_fingerprint', one]),
      ...['', 'a'.repeat(4097), null].map((one) => ['artifact_name', one]),
      ...['', 'a'.repeat(10_001), {}].map((one) => ['description', one]),
    ] as [string, unknown][]) {
      const { status, json } = await put({ ...ENTRY, [field]: value });
      expect([status, Object.keys((json as { errors: object }).errors)]).toEqual([400, [field]]);
    }
    expect(refusal(await put(ENTRY))).toEqual([
      404,
      { message: `Environment named 'nowhere' does not exist for organization '${acme.org}'` },
    ]);
  });
});
