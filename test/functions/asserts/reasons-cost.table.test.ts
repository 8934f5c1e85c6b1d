import { beforeAll, describe, expect, it } from 'vitest';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { type ReadingOrganization, readingOrganization, reasonsApi } from '../snapshots/snapshots-api.ts';

const api = await reasonsApi();
const APP = fingerprintOf('app');

/** How many calls of AWS services a chain adds to an answer (rules/reasons.md#cost). */
describe('the calls that reasons=chain adds', () => {
  let acme: ReadingOrganization;

  /** Eight artifacts run in `prod`, each in the same trail, with `tests` failed checks, a check of a custom type and a decision. */
  const fill = async (tests: number) => {
    acme = await readingOrganization(api);
    await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'C-1', name: 'Control' } });
    const type = { name: 'plan', evaluator: { content_type: 'jq', rules: ['.add >= 0'] } };
    await acme.call('POST', `/custom-attestation-types/${acme.org}`, {
      form: { fields: { data_json: JSON.stringify(type) } },
    });
    const rules = 'trail-compliance: {required: true}\n  attestations: [{type: decision, for_control: C-1}]';
    await acme.putPolicy('strict', policyText(rules));
    await acme.putEnvironment('prod');
    await acme.attach('prod', 'strict');
    const names = ['app', ...Array.from({ length: 7 }, (_, n) => `other-${n}`)];
    for (const name of names) await acme.report(anArtifact(name));
    for (let n = 0; n < tests; n += 1) {
      const junit_results = [{ failures: 1, errors: 0, total: 4 }];
      await acme.attest('junit', { attestation_name: `unit-${n}`, artifact_fingerprint: APP, junit_results });
    }
    const about = { artifact_fingerprint: APP };
    await acme.attest('custom', {
      ...about,
      attestation_name: 'plan',
      type_name: 'plan',
      attestation_data: { add: -1 },
    });
    await acme.attest('system', {
      ...{ ...about, attestation_name: 'verdict', type_name: 'decision', control: 'C-1' },
      attestation_data: { is_compliant: false },
    });
    await acme.run('prod', onServer(Object.fromEntries(names.map((name) => [name, name]))));
  };

  const paths = () => ({
    assert: [`/asserts/${acme.org}/fingerprint/${APP}`, 'environment_name=prod'],
    'assert in all environments': [`/asserts/${acme.org}/fingerprint/${APP}/environments`, ''],
    trail: [`/trails/${acme.org}/web/run`, ''],
    artifact: [`/artifacts/${acme.org}/web/fingerprint/${APP}`, ''],
    snapshot: [`/snapshots/${acme.org}/prod/-1`, ''],
    'rows of a snapshot': [`/snapshots/${acme.org}/prod/-1/artifacts`, ''],
  });

  const callsOf = async (path: string, query: string) => {
    const ask = async () => {
      expect((await acme.get(path, query)).status).toBe(200);
      // The line of a request counts its calls.
      const logged = api.entries.findLast((entry) => 'aws_calls' in entry) as unknown as Record<string, number>;
      return { calls: logged['aws_calls'] ?? 0, trips: logged['aws_sequential'] ?? 0 };
    };
    // The function remembers names and callers from the first request.
    await ask();
    return ask();
  };

  const addedBy = async () => {
    const added: Record<string, { calls: number; trips: number }> = {};
    for (const [name, [path = '', query = '']] of Object.entries(paths())) {
      const plain = await callsOf(path, query);
      const chain = await callsOf(path, [query, 'reasons=chain'].filter((text) => text !== '').join('&'));
      added[name] = { calls: chain.calls - plain.calls, trips: chain.trips - plain.trips };
    }
    return added;
  };

  beforeAll(() => fill(2), 60_000);

  it('are within the figures of the rules, and do not grow with the number of attestations', async () => {
    const few = await addedBy();
    await fill(30);
    expect(await addedBy()).toEqual(few);
    const most = { calls: 3, trips: 2 };
    // The trail, the flows that have the artifacts, the control, and the decisions on eight artifacts and their trail.
    const ofSnapshot = { calls: most.calls + 3 + 9, trips: 4 };
    for (const [name, { calls, trips }] of Object.entries(few)) {
      const bound = name.includes('snapshot') ? ofSnapshot : most;
      expect(calls, `calls of the ${name}`).toBeLessThanOrEqual(bound.calls);
      expect(trips, `trips of the ${name}`).toBeLessThanOrEqual(bound.trips);
    }
  }, 120_000);
});
