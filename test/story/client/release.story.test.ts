import { describe, expect, it } from 'vitest';
import { CLIENT_RUNS_HERE, clientStory, isClientInstalled, KEYS, lines, ORG } from './client.ts';
import { COMMIT, OF_ARTIFACT, refusedAssertion, releaseOf, shownArtifact, since, TIME, TRAIL } from './release.ts';
import { commitOf, FINGERPRINT, TEMPLATE } from './workspace.ts';

it('the client is installed on the platform it is published for, and on no other', () => {
  expect(isClientInstalled()).toBe(CLIENT_RUNS_HERE);
});

describe.runIf(CLIENT_RUNS_HERE)('the client records a release', () => {
  const client = clientStory();
  const { ok, json, run } = client;
  const { trail, attestations, verdict, post } = releaseOf(client);

  it('reports that the service is ready', async () => {
    expect(await ok('status')).toBe('OK\n');
    expect(client.requests).toEqual(['GET /ready 200']);
    expect(await ok('assert', 'status')).toBe('OK\n');
  });

  it('creates a flow from a template, and changes it when it is created again', async () => {
    const create = ['create', 'flow', 'release', '--template-file', 'template.yml', '--description'];
    expect(await ok(...create, 'Releases')).toBe("flow 'release' was created\n");
    expect(client.requests).toEqual([`PUT /api/v2/flows/${ORG}/template_file 201`]);
    expect(await ok(...create, 'Releases of the client')).toBe("flow 'release' was updated\n");
    expect(lines(await ok('get', 'flow', 'release'))).toEqual([
      'Name:  release',
      'Description:  Releases of the client',
      'Template:',
      ...lines(TEMPLATE),
      'Last Deployment At:  N/A',
      'Tags:  None',
    ]);
    const flow = { name: 'release', description: 'Releases of the client', template: TEMPLATE, tags: {} };
    expect(await json('get', 'flow', 'release')).toMatchObject(flow);
    expect(await json('list', 'flows')).toMatchObject([flow]);
    expect(lines(await ok('list', 'flows', '--name', 'LEASE', '--ignore-case', '--page-limit', '5'))).toEqual([
      'NAME  DESCRIPTION  TAGS',
      'release  Releases of the client',
      'Showing page 1 of 1, total 1 items',
    ]);
  });

  it('begins a trail, and a second call keeps the fields that it does not send', async () => {
    const begin = ['begin', 'trail', 'v1', '--flow', 'release', ...COMMIT];
    const url = ['--external-url', 'log=https://ci.example/log', '--external-fingerprint', `log=${FINGERPRINT}`];
    expect(await ok(...begin, ...url, '--description', 'First', '--user-data', 'user-data.json')).toBe(
      "trail 'v1' was begun\n",
    );
    expect(await ok(...begin, '--origin-url', 'https://ci.example/1')).toBe("trail 'v1' was updated\n");
    expect(await trail()).toMatchObject({
      description: 'First',
      user_data: { build: { number: 7, tags: ['<b>', 'é'] } },
      external_urls: { log: { href: 'https://ci.example/log', fingerprint: FINGERPRINT } },
      git_commit_info: { sha1: commitOf(client.dir), author: 'Ann Author <ann@example.com>', branch: 'main' },
      events: [{ type: 'trail_reported' }, { type: 'trail_updated' }],
    });
    const nothing = { review: 'missing', ticket: 'missing', quality: 'missing', dependencies: 'missing' };
    expect(await verdict()).toEqual({
      ...{ trail: 'INCOMPLETE', ...nothing, approval: 'missing' },
      client: { is: 'MISSING', lint: 'missing', 'unit-tests': 'missing', age: 'missing' },
    });
    expect(lines(await ok('list', 'trails', '--flow', 'release'))).toEqual([
      'NAME  DESCRIPTION  COMPLIANCE',
      'v1  First  INCOMPLETE',
      'Showing page 1 of 1, total 1 items',
    ]);
  });

  it('creates an attestation type with a schema and rules, in two versions', async () => {
    const create = ['create', 'attestation-type', 'age-check', '--schema', 'schema.json', '--jq', '.age >= 18'];
    expect(await ok(...create, '--description', 'Old enough')).toBe('attestation-type age-check was created\n');
    await ok(...create, '--jq', '.age < 130', '--description', 'Old enough');
    expect(lines(await ok('list', 'attestation-types'))).toEqual([
      'NAME  DESCRIPTION  LATEST VERSION',
      'age-check  Old enough  2',
    ]);
    const rules = (...rules: string[]) => ({ evaluator: { content_type: 'jq', rules } });
    const type = { name: 'age-check', org: ORG, archived: false, created_by: 'ann' };
    const versions = [
      { version: 2, ...rules('.age >= 18', '.age < 130') },
      { version: 1, ...rules('.age >= 18') },
    ];
    expect(await json('list', 'attestation-types')).toMatchObject([{ ...type, versions }]);
    expect(await json('get', 'attestation-type', 'age-check')).toMatchObject({ ...type, versions });
    const shown = lines(await ok('get', 'attestation-type', 'age-check@v1'));
    expect(shown).toEqual(expect.arrayContaining(['Name:  age-check', 'Version:  1', '.age >= 18']));
    expect(shown).not.toContain('.age < 130');
  });

  it('attests to an artifact before it is reported; the attestation counts after the report', async () => {
    expect(await ok('attest', 'generic', '--name', 'client.lint', ...TRAIL, ...COMMIT)).toBe(
      "generic attestation 'lint' is reported to trail: v1\n",
    );
    expect((await verdict()).client).toMatchObject({ is: 'MISSING', lint: 'missing' });
    const urls = ['--build-url', 'https://ci.example/1', '--commit-url', 'https://code.example/c/1'];
    const artifact = ['client.bin', '--artifact-type', 'file', '--name', 'client'];
    expect(await ok('attest', 'artifact', ...artifact, ...TRAIL, ...COMMIT, ...urls)).toBe(
      `artifact client.bin was attested with fingerprint: ${FINGERPRINT}\n`,
    );
    expect(await verdict()).toMatchObject({ trail: 'INCOMPLETE', client: { is: 'INCOMPLETE', lint: 'true' } });
  });

  it('shows the artifact, and an assertion fails while evidence is missing', async () => {
    const shown = lines(await ok('get', 'artifact', `release@${FINGERPRINT.slice(0, 12)}`));
    expect(shown).toEqual(shownArtifact(client));
    const artifact = { fingerprint: FINGERPRINT, filename: 'client.bin', state: 'INCOMPLETE', trail_name: 'v1' };
    expect(await json('get', 'artifact', `release:${commitOf(client.dir)}`)).toMatchObject([artifact]);
    expect(await json('list', 'artifacts', '--flow', 'release')).toMatchObject([artifact]);
    expect(await json('list', 'artifacts', '--repo', 'acme/client')).toMatchObject([artifact]);
    expect(lines(await ok('list', 'artifacts', '--flow', 'release'))).toEqual([
      'COMMIT  ARTIFACT  STATE  CREATED_AT',
      expect.stringMatching(`^${commitOf(client.dir).slice(0, 7)}  Name: client.bin  INCOMPLETE  ${TIME}$`),
      `Fingerprint: ${FINGERPRINT}`,
    ]);
    const { code, stdout, stderr } = await run('assert', 'artifact', '--flow', 'release', ...OF_ARTIFACT);
    expect([code, stderr]).toEqual([1, 'Error: [kosli assert artifact flow=release] Artifact is not compliant\n']);
    expect(lines(stdout)).toEqual(refusedAssertion(client));
  });

  it('attests test results and attaches the result files', async () => {
    const file = ['client.bin', '--artifact-type', 'file', '--results-dir', 'junit'];
    await ok('attest', 'junit', ...file, '--name', 'unit-tests', ...TRAIL, ...COMMIT);
    expect(await attestations('unit-tests', ...OF_ARTIFACT)).toMatchObject([
      {
        attestation_type: 'junit',
        is_compliant: true,
        junit_results: [{ name: 'client', total: 3, failures: 0, errors: 0, skipped: 1 }],
        attachments: [{ filename: expect.any(String) }],
      },
    ]);
  });

  it('attests custom data: the artifact is non-compliant until the data satisfies the rules', async () => {
    const custom = ['attest', 'custom', '--type', 'age-check', '--name', 'age', ...OF_ARTIFACT, ...TRAIL];
    await ok(...custom, '--attestation-data', 'young.json');
    expect(await verdict()).toMatchObject({ trail: 'NON-COMPLIANT', client: { is: 'NON-COMPLIANT', age: 'false' } });
    const details = [
      '--description',
      'Checked',
      '--origin-url',
      'https://ci.example/2',
      '--user-data',
      'user-data.json',
    ];
    const url = ['--external-url', 'id=https://people.example/1', '--external-fingerprint', `id=${FINGERPRINT}`];
    const more = ['--annotate', 'by=hand', '--annotate', 'at=desk', '--attachments', 'evidence,screenshot.txt'];
    await ok(...custom, '--attestation-data', 'old.json', ...details, ...url, ...more);
    expect(await verdict()).toMatchObject({
      trail: 'INCOMPLETE',
      client: { is: 'COMPLIANT', lint: 'true', 'unit-tests': 'true', age: 'true' },
    });
    const [newest, oldest] = await attestations('age', ...OF_ARTIFACT);
    expect(oldest).toMatchObject({ is_compliant: false, attestation_data: { age: 12 }, attachments: [] });
    expect(newest).toMatchObject({
      attestation_type: 'custom:age-check',
      is_compliant: true,
      type_version: 2,
      attestation_data: { age: 42 },
      description: 'Checked',
      origin_url: 'https://ci.example/2',
      user_data: { build: { number: 7, tags: ['<b>', 'é'] } },
      external_urls: { id: { href: 'https://people.example/1', fingerprint: FINGERPRINT } },
      annotations: { by: 'hand', at: 'desk' },
      attachments: [{ filename: 'evidence.tgz' }],
    });
  });

  it('attests results of third parties with their reports attached', async () => {
    const pull = { merge_commit: 'abc', url: 'https://code.example/1', state: 'MERGED', approvers: null, commits: [] };
    await post('pull_request', {
      ...{ attestation_name: 'review', git_provider: 'github', user_data: {} },
      pull_requests: [{ ...pull, author: '' }],
    });
    await post('sonar', {
      ...{ attestation_name: 'quality', user_data: {} },
      sonar_results: {
        ...{ serverUrl: 'https://quality.example', taskId: '1', status: 'SUCCESS', revision: 'abc' },
        ...{ analysedAt: '2026-01-02T03:04:05+0000', project: { key: 'client' } },
        qualityGate: { status: 'OK', conditions: [] },
      },
    });
    const issue = (issue_id: string, issue_exists: boolean) => ({
      issue_id,
      issue_url: 'https://i.example',
      issue_exists,
    });
    const ticket = { attestation_name: 'ticket', user_data: {} };
    await post('jira', { ...ticket, jira_results: [issue('A-1', true), issue('A-2', false)] });
    await ok('attest', 'snyk', '--name', 'dependencies', '--scan-results', 'scan.json', ...TRAIL);
    expect(await verdict()).toMatchObject({
      ...{ trail: 'NON-COMPLIANT', review: 'true', quality: 'true', ticket: 'false', dependencies: 'true' },
      approval: 'missing',
    });
    const [review] = await attestations('review', '--trail', 'v1');
    expect(review).toMatchObject({ git_provider: 'github', attachments: [{ filename: 'report.json', size: 25 }] });
  });

  it('overrides a verdict with a reason, and the record names what it overrides', async () => {
    const override = ['attest', 'override', '--name', 'ticket', '--original-attestation-type', 'jira', ...TRAIL];
    expect(await ok(...override, '--reason', 'closed by mistake', '--new-compliance-status')).toBe(
      "attestation 'ticket' has been overridden in trail: v1\n",
    );
    expect(await verdict()).toMatchObject({ trail: 'INCOMPLETE', ticket: 'true' });
    const [newest, original] = await attestations('ticket', '--trail', 'v1');
    expect(original).toMatchObject({ attestation_type: 'jira', is_compliant: false });
    expect(newest).toMatchObject({
      ...{ attestation_type: 'override', is_compliant: true, reason: 'closed by mistake' },
      overridden_attestation_id: original?.attestation_id,
    });
  });

  it('records a negative and then a positive decision for a control, which completes the trail', async () => {
    const decide = ['attest', 'decision', '--name', 'approval', '--control', 'RCTL-043', ...TRAIL];
    await ok(...decide, '--compliant=false');
    expect(await verdict()).toMatchObject({ trail: 'NON-COMPLIANT', approval: 'false' });
    expect(await ok(...decide, '--compliant', '--attachments', 'screenshot.txt')).toBe(
      "decision attestation 'approval' is reported to trail: v1\n",
    );
    expect(await verdict()).toMatchObject({ trail: 'COMPLIANT', approval: 'true', client: { is: 'COMPLIANT' } });
    const assert = ['assert', 'artifact', '--flow', 'release', ...OF_ARTIFACT];
    expect(lines(await ok(...assert))[0]).toBe('COMPLIANT');
    expect(await json(...assert)).toMatchObject({ compliant: true, scope: 'flow', flows: [{ trail: 'v1' }] });
  });

  it('shows the events of the trail as sentences', async () => {
    const shown = lines(await ok('get', 'trail', 'v1', '--flow', 'release'));
    const events = shown.slice(shown.findIndex((line) => line.startsWith('TIME')) + 1);
    const sha = commitOf(client.dir).slice(0, 7);
    expect(shown).toEqual(expect.arrayContaining(['Name:  v1', 'Description:  First', 'Compliance:  COMPLIANT']));
    expect(events.map((line) => line.replace(new RegExp(`^${TIME}  `), ''))).toEqual([
      `trail started  ${sha}`,
      expect.stringContaining('trail updated'),
      `'generic' attestation reported for client.lint  ${sha}  compliant`,
      `artifact 'client.bin' created for template name 'client'  ${sha}`,
      `'junit' attestation reported for client.unit-tests  ${sha}  compliant`,
      "'custom:age-check' attestation reported for client.age  non-compliant",
      "'custom:age-check' attestation reported for client.age  compliant",
      "'pull_request' attestation reported for review on the trail  compliant",
      "'sonar' attestation reported for quality on the trail  compliant",
      "'jira' attestation reported for ticket on the trail  non-compliant",
      "'snyk' attestation reported for dependencies on the trail  compliant",
      "'override' attestation reported for ticket on the trail  compliant",
      "'decision' attestation reported for approval on the trail  non-compliant",
      "'decision' attestation reported for approval on the trail  compliant",
    ]);
  });

  it('finds an attestation by id and by name, and its attachment unchanged', async () => {
    const [decision] = await attestations('approval', '--trail', 'v1');
    const id = decision?.attestation_id ?? '';
    expect(lines(await ok('get', 'attestation', '--attestation-id', id))).toEqual([
      'Name:  approval',
      'Type:  decision',
      'Compliance:  true',
      since('Created at'),
      `Attestation URL:  ${client.address}/${ORG}/flows/release/trails/v1?attestation_id=${id}`,
    ]);
    expect(await ok('get', 'attestation', 'nothing', '--flow', 'release', '--trail', 'v1')).toBe(
      'No attestations found.\n',
    );
    const response = await fetch(`${client.url}/api/v2/attestations/${ORG}/${id}/attachments/0`, {
      headers: { authorization: `Bearer ${KEYS.ann}` },
    });
    const attachment = (await response.json()) as { filename: string; download_url: string };
    expect(attachment.filename).toBe('screenshot.txt');
    expect(await (await fetch(attachment.download_url)).text()).toBe('a file beside it');
  });

  it('evaluates a policy of the caller on the trail and all its attestations', async () => {
    const evaluate = ['evaluate', 'trail', 'v1', '--flow', 'release', '--policy', 'policy.rego', '--params'];
    expect(lines(await ok(...evaluate, '{"least": 18}'))).toEqual(['RESULT:  ALLOWED']);
    expect(client.requests[0]).toBe(`GET /api/v2/trails/${ORG}/release/v1 200`);
    const details = client.requests.filter((request) => request.includes('?attestation_id='));
    expect(details).toHaveLength(8);
    const { code, stdout } = await run(...evaluate, '{"least": 50}', '--output', 'json');
    expect([code, JSON.parse(stdout)]).toEqual([1, { allow: false, violations: ['42 is less than 50'] }]);
  });

  it('renames the flow, which both names then find, and archives it, which no name then finds', async () => {
    expect(await ok('rename', 'flow', 'release', 'delivery')).toBe('flow release was renamed to delivery\n');
    for (const name of ['release', 'delivery']) {
      expect(await json('get', 'flow', name)).toMatchObject({ name: 'delivery' });
      expect(await json('get', 'trail', 'v1', '--flow', name)).toMatchObject({ flow: { name: 'delivery' } });
    }
    expect(await ok('archive', 'flow', 'delivery')).toBe('flow delivery was archived\n');
    expect(await json('list', 'flows')).toEqual([]);
    for (const name of ['release', 'delivery']) {
      expect(await client.refused('get', 'flow', name)).toBe(
        `Error: [kosli get flow] Flow named '${name}' does not exist for organization '${ORG}'\n`,
      );
    }
    expect(await ok('create', 'flow', 'release', '--use-empty-template')).toBe("flow 'release' was created\n");
  });
});
