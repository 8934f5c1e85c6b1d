import { describe, expect, it } from 'vitest';
import { anArtifact, fingerprintOf, invalidFields, refusal } from '#test/support/evidence.ts';
import { policyText } from '#test/support/policies.ts';
import { readingOrganization, reasonsApi } from '../snapshots/snapshots-api.ts';

const api = await reasonsApi();
const APP = fingerprintOf('app');

interface Step {
  step: string;
  name: string;
  says: string;
  saw: string | null;
  html_url: string;
  compliant: boolean | null;
}
interface Explained {
  reasons: Step[];
  reasons_left_out: number;
}

/** The artifact `app` with a failed check `unit`, and the environment `prod` that asks for compliance. */
async function withRefusal() {
  const acme = await readingOrganization(api);
  await acme.putPolicy('strict', policyText('trail-compliance: {required: true}'));
  await acme.putEnvironment('prod');
  await acme.attach('prod', 'strict');
  await acme.report(anArtifact('app'));
  await acme.attest('generic', { attestation_name: 'unit', artifact_fingerprint: APP, is_compliant: false });
  const single = (query: string) => acme.get(`/asserts/${acme.org}/fingerprint/${APP}`, query);
  const everywhere = (query: string) => acme.get(`/asserts/${acme.org}/fingerprint/${APP}/environments`, query);
  const kinds = ({ reasons }: Explained) => reasons.map(({ step, compliant }) => `${step} ${compliant}`);
  return { acme, single, everywhere, kinds };
}

describe('GET /asserts/{org}/fingerprint/{fingerprint} with reasons=chain', () => {
  it('goes from the environment to the attestation that failed, each step with its page', async () => {
    const { acme, single, kinds } = await withRefusal();
    // The answer has the fields of its schema.
    const json = (await single('environment_name=prod&reasons=chain')).json as unknown as Explained;
    expect(kinds(json)).toEqual([
      'environment false',
      'policy false',
      'trail false',
      'slot false',
      'attestation false',
    ]);
    const page = (path: string) => `https://api.example/${acme.org}${path}`;
    expect(json.reasons.map(({ html_url: url }) => url.replace(/attestation_id=.+/, 'attestation_id=ID'))).toEqual([
      page('/environments/prod'),
      page('/policies/strict'),
      page('/flows/web/trails/run'),
      page('/flows/web/trails/run'),
      page('/flows/web/trails/run?attestation_id=ID'),
    ]);
    expect(json.reasons.at(-1)?.says).toMatch(/^\S+ reported `unit` of run as not compliant$/);
    expect(json.reasons_left_out).toBe(0);
  });

  it('begins with the policies, or with the trails of the flows, where no environment is named', async () => {
    const { single, kinds } = await withRefusal();
    const byPolicy = (await single('policy_name=strict&reasons=chain')).json as unknown as Explained;
    expect(kinds(byPolicy)[0]).toBe('policy false');
    const byFlows = (await single('reasons=chain')).json as unknown as Explained;
    expect(kinds(byFlows)).toEqual(['trail false', 'slot false', 'attestation false']);
  });

  it('names what is fulfilled as well, and who overrode a failure', async () => {
    const { acme, single, kinds } = await withRefusal();
    const override = { attestation_name: 'unit', artifact_fingerprint: APP, original_attestation_type: 'generic' };
    await acme.call('POST', `/attestations/${acme.org}/web/trail/run/override`, {
      json: { ...override, reason: 'A flaky test', new_compliance_status: true },
    });
    const json = (await single('environment_name=prod&reasons=chain')).json as unknown as Explained;
    expect(new Set(kinds(json).map((kind) => kind.split(' ')[1]))).toEqual(new Set(['true']));
    expect(json.reasons.at(-1)?.says).toMatch(
      /^\S+ overrode a failed check as compliant on \d+ \w+ \d{4}, in `unit` of run: A flaky test$/,
    );
  });

  it('ends with the rule of a custom type that does not hold', async () => {
    const { acme, single } = await withRefusal();
    const type = { name: 'plan', evaluator: { content_type: 'jq', rules: ['.add >= 0', '.destroy == 0'] } };
    const made = await acme.call('POST', `/custom-attestation-types/${acme.org}`, {
      form: { fields: { data_json: JSON.stringify(type) } },
    });
    expect(made.status).toBe(201);
    await acme.attest('custom', {
      ...{ attestation_name: 'plan', type_name: 'plan', artifact_fingerprint: APP },
      attestation_data: { add: 1, destroy: 2 },
    });
    const { reasons } = (await single('reasons=chain')).json as unknown as Explained;
    const rules = reasons.filter(({ step }) => step === 'type');
    expect(rules.map(({ says, compliant, saw }) => [says, compliant, saw])).toEqual([
      ['rule `.add >= 0` of plan holds for `plan` of run', true, null],
      ['rule `.destroy == 0` of plan does not hold for `plan` of run', false, 'The rule did not give true'],
    ]);
  });

  it('follows a rule with a control to the decision, also in another flow', async () => {
    const { acme, single } = await withRefusal();
    await acme.call('POST', `/controls/${acme.org}`, { json: { identifier: 'C-1', name: 'Control' } });
    await acme.putPolicy('decided', policyText('attestations: [{type: decision, for_control: C-1}]'));
    const decision = { attestation_name: 'verdict', type_name: 'decision', control: 'C-1', artifact_fingerprint: APP };
    await acme.putFlow('board');
    await acme.begin({}, { flow: 'board', trail: 'meeting' });
    const reported = await acme.attest(
      'system',
      { ...decision, attestation_data: { is_compliant: false } },
      { flow: 'board', trail: 'meeting' },
    );
    expect(reported.status).toBe(201);
    const { reasons } = (await single('policy_name=decided&reasons=chain')).json as unknown as Explained;
    expect(reasons.map(({ step }) => step)).toEqual(['policy', 'attestation']);
    expect(reasons[1]?.says).toMatch(/^\S+ decided that C-1 is not met, in `verdict` of meeting$/);
    expect(reasons[1]?.html_url).toContain('/flows/board/trails/meeting?attestation_id=');
  });

  it('leaves the answer as it is without the parameter, and refuses any other value of it', async () => {
    const { single, everywhere } = await withRefusal();
    const [{ json: without }, { json: given }] = [await single(''), await single('reasons=chain')];
    const { reasons: _, reasons_left_out: __, ...rest } = given as Record<string, unknown>;
    expect(rest).toEqual(without);
    for (const ask of [single, everywhere]) {
      expect(refusal(await ask('reasons=all'))).toEqual(
        invalidFields({ 'query.reasons': "Input should be 'chain' [input: all]" }),
      );
    }
  });
});

describe('GET /asserts/{org}/fingerprint/{fingerprint}/environments with reasons=chain', () => {
  it('gives each environment its own chain', async () => {
    const { acme, everywhere, kinds } = await withRefusal();
    await acme.putEnvironment('free');
    await acme.putEnvironment('trusting');
    await acme.attach('trusting', 'strict');
    await acme.allow('trusting', 'app');
    const { environments } = (await everywhere('reasons=chain')).json as unknown as {
      environments: (Explained & { environment: string })[];
    };
    const chains = Object.fromEntries(environments.map((one) => [one.environment, kinds(one)]));
    expect(chains['free']).toEqual(['environment false', 'trail false', 'slot false', 'attestation false']);
    expect(chains['prod']).toEqual([
      'environment false',
      'policy false',
      ...['trail false', 'slot false', 'attestation false'],
    ]);
    expect(chains['trusting']?.slice(0, 2)).toEqual(['environment true', 'policy false']);
  });
});
