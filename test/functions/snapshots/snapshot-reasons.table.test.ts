import { describe, expect, it } from 'vitest';
import { onServer } from '#test/support/environments.ts';
import { anArtifact, fingerprintOf, invalidFields, refusal } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { readingOrganization, reasonsApi } from './snapshots-api.ts';

const api = await reasonsApi();
const APP = fingerprintOf('app');

interface Explained {
  name: string;
  reasons: { step: string; name: string; says: string; compliant: boolean | null }[];
  reasons_left_out: number;
}

const kinds = ({ reasons }: Pick<Explained, 'reasons'>) =>
  reasons.map(({ step, name, compliant }) => `${step} ${name} ${compliant}`);

const CHAIN = [
  'environment prod false',
  'policy strict v1 false',
  'trail run false',
  'slot unit false',
  'attestation unit false',
];

/** Two artifacts run in `prod`: `app` with a failed check, and `other`, which no flow knows. */
async function withSnapshot() {
  const acme = await readingOrganization(api);
  await acme.putPolicy('strict', policyText('trail-compliance: {required: true}'));
  await acme.putEnvironment('prod');
  await acme.attach('prod', 'strict');
  await acme.report(anArtifact('app'));
  const unit = { attestation_name: 'unit', artifact_fingerprint: APP };
  await acme.attest('generic', { ...unit, is_compliant: false });
  return { acme, unit };
}

describe.each([
  ['GET /snapshots/{org}/{env_name}/{snappish}', ''],
  ['GET /snapshots/{org}/{env_name}/{snappish}/artifacts', '/artifacts'],
])('%s with reasons=chain', (_, end) => {
  it('says for each artifact why it is compliant or not', async () => {
    const { acme } = await withSnapshot();
    await acme.run('prod', onServer({ app: 'app', other: 'other' }));
    const path = `/snapshots/${acme.org}/prod/-1${end}`;
    // The answers have the fields of their schemas.
    const { artifacts } = (await acme.get(path, 'reasons=chain')).json as unknown as { artifacts: Explained[] };
    const chains = Object.fromEntries(artifacts.map((artifact) => [artifact.name, kinds(artifact)]));
    expect(chains['app']).toEqual(CHAIN);
    expect(chains['other']).toEqual(['environment prod false', 'policy strict v1 false']);
    const plain = (await acme.get(path)).json as unknown as { artifacts: object[] };
    expect(plain.artifacts[0]).not.toHaveProperty('reasons_left_out');
    expect(refusal(await acme.get(path, 'reasons=1'))).toEqual(
      invalidFields({ 'query.reasons': "Input should be 'chain' [input: 1]" }),
    );
  });

  it('follows a rule with a control to the decision that was there when the snapshot was made', async () => {
    const acme = await readingOrganization(api);
    await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'C-1', name: 'Control' } });
    await acme.putPolicy('decided', policyText('attestations: [{type: decision, for_control: C-1}]'));
    await acme.putEnvironment('prod');
    await acme.attach('prod', 'decided');
    await acme.report(anArtifact('app'));
    const run = async (other: string) => {
      api.services.clock.advance(1_000_000);
      await acme.run('prod', onServer({ app: 'app', [other]: other }));
      api.services.clock.advance(1_000_000);
    };
    const decide = (is_compliant: boolean) =>
      acme.attest('system', {
        ...{ attestation_name: 'verdict', type_name: 'decision', control: 'C-1', artifact_fingerprint: APP },
        attestation_data: { is_compliant },
      });
    const chainOf = async (index: number) => {
      const path = `/snapshots/${acme.org}/prod/${index}${end}`;
      const { artifacts } = (await acme.get(path, 'reasons=chain')).json as unknown as { artifacts: Explained[] };
      const app = artifacts.find(({ name }) => name === 'app');
      return app?.reasons.slice(1).map(({ step, says }) => `${step}: ${says}`);
    };
    await run('one');
    const undecided = ['policy: no decision for C-1 is recorded, and decided v1 asks for one'];
    expect(await chainOf(1)).toEqual(undecided);
    await decide(false);
    await run('two');
    await decide(true);
    await run('three');
    expect(await chainOf(1)).toEqual(undecided);
    const [asked, refused] = (await chainOf(2)) ?? [];
    expect(asked).toBe('policy: decided v1 asks for a decision on C-1 that is compliant');
    expect(refused).toMatch(/^attestation: \S+ decided that C-1 is not met, in `verdict` of run$/);
    const fulfilled = await chainOf(3);
    expect(fulfilled).toHaveLength(2);
    expect(fulfilled?.[1]).toMatch(/^attestation: \S+ decided that C-1 is met, in `verdict` of run$/);
  });

  it('names what the row kept where the trail has changed since', async () => {
    const { acme, unit } = await withSnapshot();
    await acme.run('prod', onServer({ app: 'app' }));
    await acme.attest('generic', { ...unit, is_compliant: true });
    const path = `/snapshots/${acme.org}/prod/1${end}`;
    const { artifacts } = (await acme.get(path, 'reasons=chain')).json as unknown as { artifacts: Explained[] };
    expect(artifacts.map(kinds)).toEqual([CHAIN.slice(0, 4)]);
    expect(artifacts[0]?.reasons.at(-1)?.says).toBe('`unit` of run is not compliant');
  });
});

describe('GET /trails/{org}/{flow}/{trail} with reasons=chain', () => {
  it('goes from the trail to what is missing or failed, of the trail and of its artifacts', async () => {
    const acme = await readingOrganization(api);
    const template =
      'version: 1\ntrail:\n  attestations: [{name: review, type: generic}]\n  artifacts: [{name: app, attestations: [{name: unit, type: junit}]}, {name: worker}]\n';
    await acme.begin({}, { template });
    await acme.report(anArtifact('app', { template_reference_name: 'app' }));
    const junit_results = [{ failures: 1, errors: 0, total: 4 }];
    await acme.attest('junit', { attestation_name: 'unit', artifact_fingerprint: APP, junit_results });
    const path = `/trails/${acme.org}/web/run`;
    const trail = (await acme.get(path, 'reasons=chain')).json as unknown as Explained;
    expect(trail.reasons.map(({ says }) => says)).toEqual([
      'run is not compliant in web',
      'run lacks the artifact `worker`',
      'run lacks `review`',
      '`app / unit` of run is not compliant',
      '1 of 4 tests failed in `unit` of run',
    ]);
    expect((await acme.get(path)).json).not.toHaveProperty('reasons');
    expect(refusal(await acme.get(path, 'reasons=all'))).toEqual(
      invalidFields({ 'query.reasons': "Input should be 'chain' [input: all]" }),
    );
  });
});

describe('GET /artifacts/{org}/{flow}/fingerprint/{fingerprint} with reasons=chain', () => {
  it('goes from the trail to the attestation that failed', async () => {
    const { acme } = await withSnapshot();
    const path = `/artifacts/${acme.org}/web/fingerprint/${APP}`;
    const artifact = (await acme.get(path, 'reasons=chain')).json as unknown as Explained;
    expect(kinds(artifact)).toEqual(CHAIN.slice(2));
    const { reasons: _, reasons_left_out: __, ...rest } = artifact;
    expect(rest).toEqual((await acme.get(path)).json);
    expect(refusal(await acme.get(path, 'reasons=all'))).toEqual(
      invalidFields({ 'query.reasons': "Input should be 'chain' [input: all]" }),
    );
  });
});
