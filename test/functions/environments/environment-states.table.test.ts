import { describe, expect, it } from 'vitest';
import { toSeconds } from '#shared/base/time.ts';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, invalidFields, refusal } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { readingOrganization, snapshotsApi } from '../snapshots/snapshots-api.ts';

const api = await snapshotsApi();
const DAY = 86_400_000_000;

interface ListedEnvironment {
  name: string;
  state: boolean | null;
  states?: {
    since: number | null;
    artifact_compliance_count: Record<string, number> | null;
    intervals: { from: number; to: number | null; state: boolean | null }[];
    has_earlier: boolean;
  };
}

/** Environments of one organization: `prod` was unknown, compliant and non-compliant, in this order. */
async function withStates() {
  const acme = await readingOrganization(api);
  await acme.putPolicy('known', policyText('provenance: {required: true}'));
  await acme.report(anArtifact('app'));
  await acme.putEnvironment('prod');
  await acme.run('prod', onServer({ app: 'app' }));
  await acme.attach('prod', 'known');
  await acme.run('prod', onServer({ app: 'app', stray: 'stray' }));
  await acme.run('prod', onServer({ app: 'app', stray: 'stray', other: 'other' }));
  const list = async (query = '') => {
    const { json } = await acme.get(`/environments/${acme.org}`, `include=states${query}`);
    return (json as { environments: ListedEnvironment[] }).environments;
  };
  const statesOf = async (name: string) => (await list(`&name=${name}`))[0]?.states;
  return { acme, list, statesOf };
}

describe('GET /environments/{org}?include=states', () => {
  it('shows the states of an environment, since when the present one is in force, and the verdicts of what runs', async () => {
    const { acme, statesOf } = await withStates();
    const [unknown, compliant, failing] = (await acme.snapshots('prod')).map(({ at }) => toSeconds(at));
    expect(await statesOf('prod')).toEqual({
      since: failing,
      artifact_compliance_count: { true: 1, false: 2, null: 0 },
      intervals: [
        { from: unknown, to: compliant, state: null },
        { from: compliant, to: failing, state: true },
        { from: failing, to: null, state: false },
      ],
      has_earlier: false,
    });
    await acme.putEnvironment('empty');
    expect(await statesOf('empty')).toEqual({
      since: null,
      artifact_compliance_count: null,
      intervals: [],
      has_earlier: false,
    });
  });

  it('is a page, shows 30 days, and leaves the states out unless they are asked for', async () => {
    const { acme, statesOf } = await withStates();
    api.services.clock.advance(31 * DAY);
    const { since, intervals } = (await statesOf('prod')) ?? {};
    const now = toSeconds(api.services.clock.now());
    expect(intervals).toEqual([{ from: expect.closeTo(now - 30 * 86_400, 0), to: null, state: false }]);
    expect(since).toBeLessThan(now - 31 * 86_400);
    const { json } = await acme.get(`/environments/${acme.org}`, 'include=states');
    expect(json).toMatchObject({ page: 1, per_page: 15, total_count: 1 });
    const { json: plain } = await acme.get(`/environments/${acme.org}`);
    expect((plain as ListedEnvironment[])[0]).not.toHaveProperty('states');
  });

  it('counts what runs in the members of a logical environment, with the verdicts of its own policies', async () => {
    const { acme, statesOf } = await withStates();
    for (const name of ['calm', 'idle']) await acme.putEnvironment(name);
    await acme.putEnvironment('all', 'logical', { included_environments: ['prod', 'calm', 'idle'] });
    await acme.putEnvironment('strict', 'logical', { included_environments: ['calm'], policies: ['known'] });
    await acme.run('calm', onServer({ stranger: 'stranger' }));
    await acme.expand('calm');
    expect(await statesOf('all')).toMatchObject({ artifact_compliance_count: { true: 1, false: 2, null: 1 } });
    expect(await statesOf('strict')).toMatchObject({
      artifact_compliance_count: { true: 0, false: 1, null: 0 },
      intervals: [{ state: false }],
    });
  });

  it('sorts non-compliant environments first, then unknown ones', async () => {
    const { acme, list } = await withStates();
    for (const name of ['a-good', 'b-unknown']) await acme.putEnvironment(name);
    await acme.attach('a-good', 'known');
    await acme.run('a-good', onServer({}));
    const sorted = (await list('&sort=state')).map(({ name, state }) => [name, state]);
    expect(sorted).toEqual([
      ['prod', false],
      ['b-unknown', null],
      ['a-good', true],
    ]);
  });

  it('takes at most five sequential calls', async () => {
    const { list } = await withStates();
    await list();
    expect((api.entries.at(-1) as unknown as Record<string, number>)['aws_sequential']).toBeLessThanOrEqual(5);
  });

  it('refuses other things to include, and more than 50 environments with states', async () => {
    const acme = await readingOrganization(api);
    expect(refusal(await acme.get(`/environments/${acme.org}`, 'include=history'))).toEqual(
      invalidFields({ 'query.include[0]': expect.stringContaining("'states'") }),
    );
    expect(refusal(await acme.get(`/environments/${acme.org}`, 'include=states&per_page=51'))).toEqual(
      invalidFields({ 'query.per_page': 'Input should be less than or equal to 50 with states [input: 51]' }),
    );
  });
});
