import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CYCLONEDX_JSON, EXPECTED } from '#test/shared/components/rules/read/documents.ts';
import { CLIENT_RUNS_HERE, clientStory, KEYS, lines, ORG } from './client.ts';
import { FAILURES, VERDICTS, type VerdictCase } from './evaluation-policies.ts';
import { COMMIT } from './release.ts';
import { FINGERPRINT } from './workspace.ts';

const FLOW = ['--flow', 'release'];
/** The client's request for an evaluation, with its id. */
const EVALUATION_READ = /GET \/api\/v2\/evaluations\/[\w-]+\/([a-f0-9-]+)/;
const TRAILS = ['v1', 'v2', 'v3'];
/** Milliseconds for twelve commands that each wait for an evaluation, on a busy machine. */
const LONGEST_MILLIS = 300_000;
const SECONDS = { timeout: 30_000, interval: 500 };
const SUITE = (failures: number) => `<testsuite name="client" tests="3" failures="${failures}" errors="0" time="0.5">
  <testcase name="starts" classname="client" time="0.1">${failures > 0 ? '<failure message="no"/>' : ''}</testcase>
</testsuite>`;

interface EvaluationJson {
  status: string;
  result: { allow: boolean; violations: string[] } | null;
  error: { kind: string; message: string } | null;
  decision_attestation_id: string | null;
}

describe.runIf(CLIENT_RUNS_HERE)('the client and the service evaluate alike', () => {
  const client = clientStory();
  const { ok, run } = client;

  const write = (path: string, content: string) => {
    const file = join(client.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { authorization: `Bearer ${KEYS.ann}` };
    const response = await fetch(`${client.url}/api/v2${path}`, { headers, ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  /** Sends the request that the client sends after it has asked a third party. */
  const post = (trail: string, kind: string, document: object) => {
    const body = new FormData();
    body.append('data_json', JSON.stringify({ user_data: {}, ...document }));
    return ask(`/attestations/${ORG}/release/trail/${trail}/${kind}`, { method: 'POST', body });
  };
  const pullRequest = (number: number, approvers: string[]) => ({
    ...{ attestation_name: 'review', git_provider: 'github', is_compliant: approvers.length > 0 },
    pull_requests: [
      {
        merge_commit: 'abc',
        url: `https://code.example/${number}`,
        state: 'MERGED',
        author: '',
        approvers,
        commits: [],
      },
    ],
  });
  const issues = (...exist: boolean[]) => ({
    attestation_name: 'ticket',
    jira_results: exist.map((issue_exists, i) => ({
      ...{ issue_id: `A-${i + 1}`, issue_url: `https://issues.example/A-${i + 1}`, issue_exists },
    })),
  });
  /** Returns the newest evaluation. */
  const newest = async () =>
    (await ask<{ evaluations: EvaluationJson[] }>(`/evaluations/${ORG}?per_page=1`)).evaluations[0];

  beforeAll(async () => {
    await ok('create', 'flow', 'release', '--template-file', 'template.yml');
    await ok('create', 'attestation-type', 'age-check', '--schema', 'schema.json', '--jq', '.age >= 18');
    for (const trail of TRAILS) await ok('begin', 'trail', trail, ...FLOW, ...COMMIT, '--user-data', 'user-data.json');
    write('web.bin', 'the bytes of another build');
    write('failing/TEST-client.xml', SUITE(1));
    const given = [
      { trail: 'v1', file: 'client.bin', results: 'junit', age: 'old.json', lint: '--compliant' },
      { trail: 'v2', file: 'web.bin', results: 'failing', age: 'young.json', lint: '--compliant=false' },
    ];
    for (const { trail, file, results, age, lint } of given) {
      const at = [...FLOW, '--trail', trail];
      const artifact = [file, '--artifact-type', 'file'];
      const urls = ['--build-url', 'https://ci.example/1', '--commit-url', 'https://code.example/c/1'];
      await ok('attest', 'artifact', ...artifact, '--name', 'client', ...at, ...COMMIT, ...urls);
      await ok('attest', 'generic', '--name', 'client.lint', lint, ...at, ...COMMIT, '--annotate', 'by=hand');
      await ok('attest', 'junit', ...artifact, '--name', 'unit-tests', '--results-dir', results, ...at);
      await ok(
        'attest',
        'custom',
        '--type',
        'age-check',
        ...artifact,
        '--name',
        'age',
        '--attestation-data',
        age,
        ...at,
      );
    }
    await post('v1', 'pull_request', pullRequest(1, ['rob']));
    await post('v2', 'pull_request', pullRequest(2, []));
    await post('v1', 'jira', issues(true));
    for (const trail of ['v2', 'v3']) await post(trail, 'jira', issues(true, false));
    const override = ['attest', 'override', '--name', 'ticket', '--original-attestation-type', 'jira'];
    const reason = ['--reason', 'closed by mistake', '--new-compliance-status'];
    await ok(...override, ...reason, ...FLOW, '--trail', 'v2');
    await ok('attest', 'generic', '--name', 'extra', '--compliant=false', ...FLOW, '--trail', 'v3');
  }, LONGEST_MILLIS);

  /** Code and output of one command. */
  const outcome = async (...args: string[]) => {
    const { code, stdout, stderr } = await client.runBeside(...args, '--output', 'json');
    if (stdout === '') throw new Error(`${args.join(' ')}: ${stderr}`);
    return { code, ...(JSON.parse(stdout) as { allow: boolean; violations: string[] | null }) };
  };

  /** Evaluates a policy in three ways and checks that the verdicts are equal. @returns the verdict */
  async function verdict({ bundle, params, attestations }: VerdictCase, trails: readonly string[]) {
    const given = params === undefined ? [] : ['--params', JSON.stringify(params)];
    const evaluate = ['evaluate', trails.length === 1 ? 'trail' : 'trails', ...trails, ...FLOW, ...given];
    const filter = attestations === undefined ? [] : ['--attestations', attestations];
    const sent = bundle ? 'asked' : 'asked.rego';
    const contexts = trails.flatMap((trail) => ['--context', `trail=release/${trail}`]);

    const [here, server, evaluated] = await Promise.all([
      outcome(...evaluate, '--policy', 'asked.rego', ...filter),
      outcome(...evaluate, '--policy', sent, '--server-side'),
      outcome('evaluate', 'policy', ...contexts, '--policy', sent, ...given, '--assert'),
    ]);
    expect({ server, policy: evaluated }, trails.join()).toEqual({ server: here, policy: here });
    expect(here.code).toBe(here.allow ? 0 : 1);
    return here;
  }

  it.each(VERDICTS)(
    'a policy that $name',
    async (one) => {
      write('asked.rego', one.policy);
      for (const [path, content] of Object.entries(one.bundle ?? {})) write(join('asked', path), content);
      const [v1, v2, v3, all] = await Promise.all([['v1'], ['v2'], ['v3'], TRAILS].map((each) => verdict(one, each)));
      expect(v2?.violations).toEqual(one.violations);
      const expected = Object.fromEntries([...TRAILS, 'all'].map((name) => [name, one.allowed.includes(name)]));
      expect({ v1: v1?.allow, v2: v2?.allow, v3: v3?.allow, all: all?.allow }).toEqual(expected);
    },
    LONGEST_MILLIS,
  );

  it.each(FAILURES)(
    'a policy that $name, and the error names the kind of fault',
    async ({ policy, kind, message }) => {
      write('policy.rego', policy);
      const file = ['--policy', 'policy.rego'];
      const here = await run('evaluate', 'trail', 'v1', ...FLOW, ...file);
      expect([here.code, here.stdout]).toEqual([1, '']);
      const commands = [
        ['evaluate', 'trail', 'v1', ...FLOW, '--server-side'],
        ['evaluate', 'trails', 'v1', 'v2', ...FLOW, '--server-side'],
        ['evaluate', 'policy', '--context', 'trail=release/v1'],
      ];
      const asked = await Promise.all(commands.map((command) => client.runBeside(...command, ...file)));
      for (const { code, stdout, stderr, requests } of asked) {
        const id = requests.join().match(EVALUATION_READ)?.[1];
        const record = await ask<EvaluationJson>(`/evaluations/${ORG}/${id}`);
        expect(record).toMatchObject({ status: 'failed', result: null, error: { kind } });
        expect(record?.error?.message).toMatch(message);
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toContain(`server-side evaluation failed (${kind}): ${record?.error?.message}\n`);
      }
    },
    LONGEST_MILLIS,
  );

  it('the client and the service evaluate alike except for a policy that calls the network, which the service refuses', async () => {
    write('network.rego', 'package policy\n\nallow if http.send({"method": "GET", "url": input.trail.html_url})\n');
    const { code, stderr } = await run('evaluate', 'trail', 'v1', ...FLOW, '--policy', 'network.rego', '--server-side');
    expect(code).toBe(1);
    expect(stderr).toMatch(/server-side evaluation failed \(policy_invalid\): network\.rego:3:\d+: .*http\.send/);
  });

  it('a trail that does not exist, with the same sentence', async () => {
    write('fine.rego', 'package policy\n\nallow := true\n');
    const sentence = `Trail with name 'v9' does not exist for Organization '${ORG}' and Flow 'release'`;
    const file = ['--policy', 'fine.rego'];
    for (const more of [[], ['--server-side']]) {
      expect(await client.refused('evaluate', 'trail', 'v9', ...FLOW, ...file, ...more)).toContain(sentence);
    }
    expect(await client.refused('evaluate', 'policy', '--context', 'trail=release/v9', ...file)).toContain(sentence);
  });

  it(
    'records decisions for a control, which the client then finds',
    async () => {
      await ok('create', 'control', 'RCTL-043', '--name', 'Reviewed');
      const evaluate = [
        'evaluate',
        'policy',
        '--policy',
        'said.rego',
        '--control',
        'RCTL-043',
        ...FLOW,
        '--trail',
        'v1',
      ];
      const context = TRAILS.flatMap((trail) => ['--context', `trail=release/${trail}`]);
      const decisions = [
        { policy: 'allow := true\n', more: [], allow: true, name: 'RCTL-043-decision', violations: [] },
        {
          policy: 'allow := false\n\nviolations := ["b", "a", "b"]\n',
          ...{ more: ['--name', 'approval'], allow: false, name: 'approval', violations: ['a', 'b', 'b'] },
        },
        {
          policy: 'allow := true\n',
          ...{ more: ['--name', 'build', '--fingerprint', FINGERPRINT], allow: true, name: 'build', violations: [] },
        },
      ];
      const ids: string[] = [];
      for (const { policy, more, allow, name, violations } of decisions) {
        write('said.rego', `package policy\n\n${policy}`);
        const shown = lines(await ok(...evaluate, ...context, ...more));
        expect(shown[0]).toBe(`RESULT:  ${allow ? 'ALLOWED' : 'DENIED'}`);
        const id = (await newest())?.decision_attestation_id ?? '';
        expect(shown).toContain(`DECISION:  ${id}`);
        const found = await client.json<{ data: unknown[] }>('get', 'attestation', '--attestation-id', id);
        expect(found.data).toMatchObject([
          {
            ...{ attestation_id: id, attestation_name: name, attestation_type: 'decision', is_compliant: allow },
            user_data: { violations },
            attachments: [{ filename: 'policy.json' }, { filename: 'evaluation.json' }],
          },
        ]);
        ids.push(id);
      }
      const { data } = await ask<{ data: { attestation_id: string }[] }>(
        `/attestations/${ORG}?attestation_type=decision`,
      );
      expect(data.map(({ attestation_id }) => attestation_id)).toEqual(ids.toReversed());
    },
    LONGEST_MILLIS,
  );

  it('reads the components of an SBOM, and the service also their list', async () => {
    write('bom.json', CYCLONEDX_JSON('1.6'));
    await ok('attest', 'sbom', '--name', 'bom', '--sbom-file', 'bom.json', ...FLOW, '--trail', 'v3');
    const counted = 'input.trail.compliance_status.attestations_statuses.bom.components';
    write(
      'counted.rego',
      `package policy\n\ndefault allow := false\n\nallow if ${counted}.count == ${EXPECTED.length}\n`,
    );
    const evaluate = ['evaluate', 'trail', 'v3', ...FLOW, '--policy'];
    // The worker reads the file seconds after the report.
    await expect.poll(async () => (await run(...evaluate, 'counted.rego')).code, SECONDS).toBe(0);
    await ok(...evaluate, 'counted.rego', '--server-side');
    const listed = 'input.trail.compliance_status.attestations_statuses.bom.component_list';
    write('listed.rego', `package policy\n\nallow := count(${listed}) == ${EXPECTED.length}\n`);
    await ok(...evaluate, 'listed.rego', '--server-side');
  });

  it('records no decision without a control', async () => {
    write('fine.rego', 'package policy\n\nallow := true\n');
    await ok('evaluate', 'policy', '--context', 'trail=release/v1', '--policy', 'fine.rego');
    expect(await newest()).toMatchObject({ status: 'completed', decision_attestation_id: null });
  });
});
