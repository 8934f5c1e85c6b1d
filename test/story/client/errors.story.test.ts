import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_RUNS_HERE, clientStory, KEYS, ORG, PLAIN_ORG } from './client.ts';
import { COMMIT, TRAIL } from './release.ts';

const NOBODY = 'b'.repeat(64);
const VALIDATION = 'Input payload validation failed';
const FLOW_NAME = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`;
const TRAIL_NAME = String.raw`^[a-zA-Z0-9][a-zA-Z0-9\-_.~]*$`;

describe.runIf(CLIENT_RUNS_HERE)('the client shows the errors of the service', () => {
  const client = clientStory();
  const { ok, refused } = client;

  beforeAll(async () => {
    await ok('create', 'flow', 'release', '--template-file', 'template.yml');
    await ok('begin', 'trail', 'v1', '--flow', 'release', ...COMMIT);
    await ok('create', 'attestation-type', 'age-check', '--schema', 'schema.json', '--jq', '.age >= 18');
    await ok('create', 'attestation-type', 'gone');
    await ok('archive', 'attestation-type', 'gone');
  });

  it.each([
    ['get flow nowhere', 'kosli get flow'],
    ['archive flow nowhere', 'kosli archive flow'],
    ['list trails --flow nowhere', 'kosli list trails flow=nowhere'],
    ['list artifacts --flow nowhere', 'kosli list artifacts flow=nowhere'],
  ])('the client shows the errors of the service for an unknown flow: `%s`', async (command, where) => {
    expect(await refused(...command.split(' '))).toBe(
      `Error: [${where}] Flow named 'nowhere' does not exist for organization '${ORG}'\n`,
    );
  });

  it('the client shows the errors of the service for the rename of an unknown flow', async () => {
    expect(await refused('rename', 'flow', 'nowhere', 'there')).toBe('Error: [kosli rename flow] Flow not found\n');
  });

  it('the client shows the errors of the service for invalid names', async () => {
    const wrong = (pattern: string, name: string) => `String should match pattern '${pattern}' [input: ${name}]`;
    expect(await refused('create', 'flow', 'foo bar', '--use-empty-template')).toBe(
      `Error: [kosli create flow] ${VALIDATION}: map[name:${wrong(FLOW_NAME, 'foo bar')}]\n`,
    );
    expect(await refused('rename', 'flow', 'release', 'new illegal name')).toBe(
      `Error: [kosli rename flow] ${VALIDATION}: map[new_name:${wrong(FLOW_NAME, 'new illegal name')}]\n`,
    );
    expect(await refused('begin', 'trail', 'foo?$bar', '--flow', 'release', ...COMMIT)).toBe(
      `Error: [kosli begin trail flow=release] ${VALIDATION}: map[name:${wrong(TRAIL_NAME, 'foo?$bar')}]\n`,
    );
  });

  it('the client shows the errors of the service for a template: one message per mistake', async () => {
    const template = ['--template-file', 'bad-template.yml'];
    const mistakes = 'template file is invalid. 2 validation errors for Template\n';
    const flow = await refused('create', 'flow', 'other', ...template);
    expect(flow).toContain(`Error: [kosli create flow] ${VALIDATION}: map[template_file:${mistakes}`);
    expect(flow).toContain('deadline');
    expect(flow).toContain('rumour');
    const trail = await refused('begin', 'trail', 'v2', '--flow', 'release', ...template, ...COMMIT);
    expect(trail).toContain(`Error: [kosli begin trail flow=release] ${VALIDATION}: map[template_file:${mistakes}`);
    expect(await refused('get', 'trail', 'v2', '--flow', 'release')).toBe(
      `Error: [kosli get trail flow=release] Trail with name 'v2' does not exist for Organization '${ORG}' and Flow 'release'\n`,
    );
  });

  it('the client shows the errors of the service for attestation types that are unknown or archived, and for an unknown version', async () => {
    const attest = (type: string) =>
      refused('attest', 'custom', '--type', type, '--name', 'age', '--attestation-data', 'old.json', ...TRAIL);
    const unknown = `Custom attestation type 'nowhere' does not exist for org '${ORG}'\n`;
    expect(await attest('nowhere')).toBe(`Error: [kosli attest custom flow=release trail=v1] ${unknown}`);
    expect(await refused('get', 'attestation-type', 'nowhere')).toBe(`Error: [kosli get attestation-type] ${unknown}`);
    expect(await refused('archive', 'attestation-type', 'nowhere')).toBe(
      `Error: [kosli archive attestation-type] ${unknown}`,
    );
    expect(await attest('gone')).toBe(
      `Error: [kosli attest custom flow=release trail=v1] Custom attestation type 'gone' is archived for org '${ORG}': map[type_name:Should be a type that is not archived [input: gone]]\n`,
    );
    expect(await refused('get', 'attestation-type', 'age-check@v9')).toBe(
      "Error: [kosli get attestation-type] version 9 does not exist for custom attestation type 'age-check'\n",
    );
  });

  it('the client shows the errors of the service for data that does not match the type, and the service stores nothing', async () => {
    const data = ['--type', 'age-check', '--name', 'age', '--attestation-data', 'other.json'];
    expect(await refused('attest', 'custom', ...data, ...TRAIL)).toMatch(
      /^Error: \[kosli attest custom flow=release trail=v1\] Input payload validation failed: map\[attestation_data:.*'age'\]\n$/,
    );
    expect(await ok('get', 'attestation', 'age', '--flow', 'release', '--trail', 'v1')).toBe(
      'No attestations found.\n',
    );
  });

  it('the client shows the errors of the service for an unknown artifact', async () => {
    const inFlow = `Artifact with fingerprint '${NOBODY}' does not exist in flow 'release' belonging to organization '${ORG}'`;
    expect(await refused('get', 'artifact', `release@${NOBODY}`)).toBe(`Error: [kosli get artifact] ${inFlow}\n`);
    const assert = ['assert', 'artifact', '--fingerprint', NOBODY];
    expect(await refused(...assert, '--flow', 'release')).toBe(
      `Error: [kosli assert artifact flow=release] ${inFlow}\n`,
    );
    expect(await refused(...assert)).toBe(
      `Error: [kosli assert artifact] Artifact with fingerprint '${NOBODY}' does not exist in organization '${ORG}'\n`,
    );
    expect(await refused('attest', 'generic', '--name', 'lint', '--fingerprint', NOBODY, ...TRAIL)).toBe(
      `Error: [kosli attest generic flow=release trail=v1] Artifact with fingerprint ${NOBODY} does not exist in ` +
        `trail "v1" of flow "release" belonging to organization "${ORG}"\n`,
    );
    expect(await refused('list', 'artifacts', '--repo', 'acme/nothing')).toBe(
      "Error: [kosli list artifacts] Repo 'acme/nothing' not found\n",
    );
  });

  it('the client shows the errors of the service for evidence that names an artifact without its fingerprint', async () => {
    const attest = ['attest', 'generic', '--name', 'client.lint', '--repo-root', 'evidence', ...TRAIL];
    const { code, stderr } = await client.run(...attest);
    expect(code).toBe(1);
    expect(stderr).toContain('requires at least one of: specifying the fingerprint');
  });

  it('the client shows the errors of the service for the evaluation of an unknown trail', async () => {
    expect(await refused('evaluate', 'trail', 'v9', '--flow', 'release', '--policy', 'policy.rego')).toBe(
      `Error: [kosli evaluate trail flow=release] Trail with name 'v9' does not exist for Organization '${ORG}' and Flow 'release'\n`,
    );
  });

  it('the client shows the errors of the service for keys, roles, organizations and features', async () => {
    const denied = "You don't have permission to access this resource\n";
    expect(await refused('list', 'flows', '--api-token', 'nobody')).toBe(
      'Error: [kosli list flows] Invalid or expired API key\n',
    );
    expect(await refused('create', 'flow', 'other', '--use-empty-template', '--api-token', KEYS.rob)).toBe(
      `Error: [kosli create flow] ${denied}`,
    );
    expect(await ok('list', 'flows', '--api-token', KEYS.rob)).toContain('release');
    expect(await refused('list', 'flows', '--org', 'nowhere')).toBe(`Error: [kosli list flows] ${denied}`);
    expect(await refused('list', 'flows', '--org', PLAIN_ORG, '--api-token', KEYS.rob)).toBe(
      `Error: [kosli list flows] ${denied}`,
    );
    const decide = ['attest', 'decision', '--name', 'approval', '--control', 'RCTL-043', '--compliant'];
    expect(await refused(...decide, '--org', PLAIN_ORG, ...TRAIL)).toBe(
      'Error: [kosli attest decision flow=release trail=v1] Forbidden\n',
    );
  });
});
