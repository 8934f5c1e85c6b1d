import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { npmStart, processesOf, temporaryDir } from '#test/support/stack-process.ts';

const TEMPLATE = `version: 1
trail:
  attestations:
    - name: pull-request
      type: generic
  artifacts:
    - name: server
      attestations:
        - name: coverage
          type: custom:coverage
`;

interface Answer {
  status: number;
  json: Record<string, unknown>;
}

describe('npm start -- --containers 2', () => {
  it('runs the main requests on the bundles: begin a trail, attest, report an artifact, read, assert', async () => {
    // The default data directory lies in this project, whose modules are of another type than those of bundles.
    const project = temporaryDir();
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    const dataDir = join(project, 'data');
    const started = await npmStart(dataDir, '--containers', '2');
    const { url } = await started.ready();
    const key = /API key of demo-admin in demo \(shown only now\): (\S+)/.exec(started.stdout)?.[1] ?? '';

    const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const isForm = body instanceof FormData;
      const response = await fetch(`${url}/api/v2${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
      return { status: response.status, json: (await response.json()) as Record<string, unknown> };
    };
    const form = (part: string, document: unknown, ...files: [part: string, filename: string, text: string][]) => {
      const data = new FormData();
      data.append(part, JSON.stringify(document));
      for (const [name, filename, text] of files) data.append(name, new Blob([text]), filename);
      return data;
    };
    const fingerprint = randomBytes(32).toString('hex');
    const trail = '/trails/demo/release/v1';
    const attest = (kind: string, body: unknown) => call('POST', `/attestations/demo/release/trail/v1/${kind}`, body);
    const stateOf = async (path: string) => (await call('GET', path)).json;

    // The rule of this type runs in the child process for jq that the bundles contain.
    const type = form('data_json', { name: 'coverage', evaluator: { content_type: 'jq', rules: ['.line >= 80'] } });
    expect(await call('POST', '/custom-attestation-types/demo', type)).toMatchObject({ status: 201 });
    const flow = form('data_json', { name: 'release' }, ['template_file', 'template.yml', TEMPLATE]);
    expect(await call('PUT', '/flows/demo/template_file', flow)).toMatchObject({ status: 201 });
    expect(await call('PUT', '/trails/demo/release', form('data_json', { name: 'v1' }))).toMatchObject({ status: 201 });
    expect(await stateOf(trail)).toMatchObject({ compliance_state: 'INCOMPLETE' });

    const passed = form('data_json', { attestation_name: 'pull-request', is_compliant: true });
    expect(await attest('generic', passed)).toMatchObject({ status: 201 });
    const artifact = {
      fingerprint,
      filename: 'server.tar',
      template_reference_name: 'server',
      git_commit: 'a'.repeat(40),
      build_url: 'https://ci.example.com/1',
      commit_url: 'https://code.example.com/1',
      trail_name: 'v1',
    };
    expect(await call('POST', '/artifacts/demo/release', artifact)).toMatchObject({ status: 201 });
    const asserted = `/asserts/demo/fingerprint/${fingerprint}?flow_name=release`;
    expect(await stateOf(asserted)).toMatchObject({ compliant: false });

    const coverage = form(
      'data_json',
      {
        attestation_name: 'coverage',
        target_artifacts: ['server'],
        artifact_fingerprint: fingerprint,
        type_name: 'coverage',
        attestation_data: { line: 81 },
      },
      ['attachment_file', 'coverage.txt', 'line: 81 %'],
    );
    expect(await attest('custom', coverage)).toMatchObject({ status: 201 });
    expect(await stateOf(trail)).toMatchObject({ compliance_state: 'COMPLIANT' });
    expect(await stateOf(asserted)).toMatchObject({ compliant: true });

    // Each function that answered has one or two processes, whose only argument is the folder of its unpacked archive.
    const lines = processesOf(dataDir).filter((line) => line.includes('function-runner.ts'));
    const running = lines.map((line) => line.trim().split('/').at(-1)).toSorted();
    expect(running).toEqual(
      expect.arrayContaining(['artifacts', 'asserts', 'attestations', 'flows', 'relay', 'trails']),
    );
    expect(lines.every((line) => line.includes(join(dataDir, 'functions')))).toBe(true);

    started.signalAll('SIGINT');
    const { stdout, stderr } = await started.exit();
    // Every call of the functions was within the rights of their roles.
    expect(stdout + stderr).not.toContain('is not authorized');
    expect(processesOf(dataDir)).toEqual([]);
  }, 300_000);
});
