import { beforeAll, describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { processEvaluation } from '#shared/evaluations/process-evaluation.ts';
import type { Envelope } from '#shared/log/rules/dsse.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { fingerprintOf } from '#test/support/evidence.ts';
import type { TestAnswer } from '#test/support/gateway.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { fullOrganization } from '#test/support/records/full-organization.ts';
import { itemsOf } from '#test/support/relay.ts';

/** Nothing that a caller says about the address of the service comes back, is stored, or is signed. */

const ADDRESS = 'https://api.example';
const CLAIMED = 'evil.example';
const CLAIMS = {
  host: CLAIMED,
  forwarded: `host=${CLAIMED};proto=http`,
  'x-forwarded-host': CLAIMED,
  'x-forwarded-proto': 'http',
  'x-forwarded-port': '8080',
  'x-original-url': `http://${CLAIMED}/`,
};

const api = await testApi(groups);
/** All requests of the organization claim the other address. */
const answers: TestAnswer[] = [];
const claiming: TestApi = {
  ...api,
  async call(method, path, request = {}) {
    const answer = await api.call(method, path, { ...request, headers: { ...request.headers, ...CLAIMS } });
    answers.push(answer);
    return answer;
  },
};

/** Reads that need what this organization lacks, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  getDraft: 'There is no draft; drafts.table.test.ts reads its address',
  getExport: 'There is no export; its address leads to the bucket',
  getPackage: 'There is no package; its address leads to the bucket',
  getCosignedCheckpoint: 'The witness has cosigned no log',
  getAttachment: 'Leads to the bucket',
  getConsoleAsset: 'A file of a page',
  listSbomComponents: 'No worker has read the SBOM; the answer has no address of the service',
  getServiceAccountKey: 'The entries of listServiceAccountKeys',
  getAuditReceipt: 'Signed by the log, by numbers and hashes',
  getEvaluationReceipt: 'Signed by the log, by numbers and hashes',
  getEnvironmentReceipt: 'Signed by the log, by numbers and hashes',
  getTrailReceipt: 'Signed by the log, by numbers and hashes',
};

const QUERIES: Readonly<Record<string, string>> = {
  diffSnapshots: 'snappish1=prod%231&snappish2=prod%231',
  searchNames: 'q=web',
  listComponents: 'name=lodash',
  getExposure: 'purl=pkg:npm/lodash@1.0.0',
  getComponentDifferences: `from=${'a'.repeat(64)}&to=${'b'.repeat(64)}`,
  explainEvent: 'flow=web&trail=run&moment=1',
  listDeliveries: 'include=message',
  listActionDeliveries: 'include=message',
};

describe('a request that claims another address of the service', () => {
  let acme: Awaited<ReturnType<typeof fullOrganization>>;
  let names: Readonly<Record<string, string>>;
  beforeAll(async () => {
    acme = await fullOrganization(claiming);
    const notification = { name: 'team', environments: ['prod'], triggers: ['ON_SCALED_ARTIFACT'] };
    const targets = [{ type: 'EMAIL', emails: ['ada@example.com'] }];
    await acme.call('PUT', `/organizations/${acme.org}/environments_notifications`, {
      json: { ...notification, targets },
    });
    await logEverything(api.services, acme.id);
    const idOf = async (path: string, field: string) =>
      JSON.stringify((await acme.get(path)).json).match(new RegExp(`"${field}":"([^"]+)"`))?.[1] ?? '';
    const evaluation = await idOf(`/evaluations/${acme.org}`, 'id');
    await processEvaluation(api.services, acme.id, evaluation);
    names = {
      org: acme.org,
      flow: 'web',
      flow_name: 'web',
      trail: 'run',
      trail_name: 'run',
      fingerprint: fingerprintOf('cli'),
      sha: fingerprintOf('cli'),
      'getArtifactsByCommit.sha': 'a'.repeat(40),
      env_name: 'prod',
      snappish: '1',
      policy: 'strict',
      identifier: 'SOX-1',
      version_number: '1',
      action_number: '1',
      name: 'ci',
      'getCustomAttestationType.name': 'coverage',
      'getRepo.name': 'acme/web',
      'getTrust.name': 'release',
      'getWatch.name': 'lodash',
      'getWatchCase.name': 'lodash',
      'getCaseStatement.name': 'lodash',
      'getExpectation.name': 'prod-reports',
      'listExpectationVersions.name': 'prod-reports',
      'listExpectationSubjects.name': 'prod-reports',
      'getTrustRoot.name': 'release-key',
      'listTrustRootVersions.name': 'release-key',
      'getSigner.name': 'release',
      'listSignerVersions.name': 'release',
      'getRecall.name': 'leak',
      'listRecallVersions.name': 'leak',
      'getRecallImpact.name': 'leak',
      n: '0',
      notification_number: '2',
      path: '0/000.p/1',
      resource_type: 'flow',
      evaluation_id: evaluation,
      gap_id: await idOf(`/gaps/${acme.org}`, 'id'),
      attestation_id: await idOf(`/attestations/${acme.org}`, 'attestation_id'),
    };
  });

  const reads = groups
    .flatMap(({ endpoints }) => endpoints)
    .filter(({ method, path, operation }) => method === 'GET' && path.includes('{org}') && !(operation in LEFT_OUT));

  it.each(reads.map((read) => [read.operation, read.path] as const))(
    '%s %s does not answer with it',
    async (operation, path) => {
      const filled = path.replace(/\{(\w+)\+?\}/g, (_, name: string) => {
        const value = names[`${operation}.${name}`] ?? names[name];
        if (value === undefined) throw new Error(`The parameter ${name} of ${operation} has no value`);
        return value;
      });
      const { status, text, headers, cookies } = await acme.get(filled, QUERIES[operation] ?? '');
      expect(status, text).toBeLessThan(300);
      expect(JSON.stringify([text, headers, cookies])).not.toContain(CLAIMED);
    },
  );

  it('is answered and stored without it, and links begin with the address of the setting', async () => {
    for (const { text, headers, cookies } of answers) {
      expect(JSON.stringify([text, headers, cookies])).not.toContain(CLAIMED);
      expect(headers['location'] ?? ADDRESS).toMatch(/^https:\/\/api\.example/);
    }
    expect(answers.filter(({ headers }) => headers['location'] !== undefined).length).toBeGreaterThan(10);
    expect(JSON.stringify(await itemsOf(api.services.table.name, acme.id))).not.toContain(CLAIMED);
  });

  it('begins a session with the cookies of the setting', async () => {
    const { status, cookies } = await claiming.call('POST', '/user/session', { key: acme.keys.admin, json: null });
    expect(status).toBe(201);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Host-.*; Secure; /);
  });
});

describe('a statement', () => {
  it.each([
    ['a reader who claims another address', CLAIMS],
    ['a reader who claims none', {}],
  ])('is the same for everybody after it was read first by %s', async (_, first) => {
    const acme = await fullOrganization(api);
    await acme.attest('generic', { attestation_name: 'late', is_compliant: true });
    await logEverything(api.services, acme.id);
    const path = `/trails/${acme.org}/web/run/statement`;
    const read = (headers: Record<string, string>) => api.call('GET', path, { key: acme.keys.reader, headers });
    const texts = [await read(first), await read(CLAIMS), await read({}), await read({ host: '127.0.0.1:8001' })].map(
      ({ text }) => text,
    );
    expect(new Set(texts).size).toBe(1);
    const { payload } = JSON.parse(texts[0] ?? '') as Envelope;
    const statement = Buffer.from(payload, 'base64').toString();
    expect(statement).toContain(`"verifier":{"id":"${ADDRESS}/verifier/v1"}`);
    const addresses = statement.match(/https?:\/\/[^/"]+/g) ?? [];
    expect([...new Set(addresses)].sort()).toEqual([ADDRESS, 'https://in-toto.io', 'https://slsa.dev']);
  });
});
