import { createHash } from 'node:crypto';
import { artifactsGroup } from '#functions/artifacts/endpoints.ts';
import { assertsGroup } from '#functions/asserts/endpoints.ts';
import { attestationsGroup } from '#functions/attestations/endpoints.ts';
import { customAttestationTypesGroup } from '#functions/custom-attestation-types/endpoints.ts';
import { flowsGroup } from '#functions/flows/endpoints.ts';
import { trailsGroup } from '#functions/trails/endpoints.ts';
import type { Fingerprint, OrganizationId } from '#shared/base/ids.ts';
import type { Feature, Role } from '#shared/callers/roles.ts';
import { testFingerprint } from '#test/support/ids.ts';
import { type ApiRequest, type TestApi, testApi } from './api.ts';
import { organizationWith, uniqueName } from './directory.ts';
import type { TestAnswer } from './gateway.ts';
import { scanItems } from './table/scan-items.ts';
import { databaseAddress } from './table.ts';

/** Flows, trails and what is reported into them, behind the real chain. */
export const evidenceApi = (): Promise<TestApi> =>
  testApi([flowsGroup, trailsGroup, artifactsGroup, attestationsGroup, assertsGroup, customAttestationTypesGroup]);

/** A fingerprint that every test can name. */
export const fingerprintOf = (name: string): Fingerprint =>
  testFingerprint(createHash('sha256').update(name).digest('hex'));
export const shaOf = (name: string): string => createHash('sha1').update(name).digest('hex');

export const aCommit = (name = 'c', overrides: Record<string, unknown> = {}) => ({
  sha1: shaOf(name),
  message: `Change ${name}`,
  author: 'Ada <ada@example.com>',
  timestamp: 1_776_252_244,
  branch: 'main',
  url: `https://git.example/acme/web/commit/${shaOf(name)}`,
  ...overrides,
});

export const aRepo = (overrides: Record<string, unknown> = {}) => ({
  id: '4711',
  name: 'acme/web',
  url: 'https://git.example/acme/web',
  provider: 'gitlab',
  ...overrides,
});

/** The report of an artifact, as the command-line client sends it. */
export const anArtifact = (name: string, overrides: Record<string, unknown> = {}) => ({
  fingerprint: fingerprintOf(name),
  filename: `registry.example/${name}:1.0`,
  git_commit: shaOf('c'),
  git_commit_info: aCommit('c'),
  build_url: 'https://ci.example/builds/1',
  commit_url: `https://git.example/acme/web/commit/${shaOf('c')}`,
  repo_url: '',
  template_reference_name: name,
  trail_name: 'run',
  ...overrides,
});

/** Fields of a trail as tests look at them. */
export interface TrailJson {
  compliance_state: string;
  is_compliant: boolean;
  compliance_status: {
    status: string;
    attestations_statuses: StatusJson[];
    artifacts_statuses: Record<string, ArtifactStatusJson>;
    evaluated_at: number;
    flow_template_id: string;
    [field: string]: unknown;
  };
  events: (Record<string, unknown> & { type: string; timestamp: number })[];
  last_modified_at: number;
  created_at: number;
  repo_ids: string[];
  [field: string]: unknown;
}

export interface StatusJson {
  attestation_name: string;
  attestation_type: string;
  attestation_id: string | null;
  overridden_attestation_id: string | null;
  status: string;
  is_compliant: boolean | null;
  unexpected: boolean;
}

export interface ArtifactStatusJson {
  artifact_fingerprint: string | null;
  artifact_id: string | null;
  status: string;
  is_compliant: boolean | null;
  attestations_statuses: StatusJson[];
  unexpected: boolean;
  evaluated_at?: number;
  flow_template_id?: string;
}

export interface Place {
  flow?: string;
  trail?: string;
}

export interface AttestOptions extends Place {
  files?: Record<string, string | Uint8Array<ArrayBuffer>>;
  request?: ApiRequest & { as?: Role };
}

/** An organization with one member per role, and calls in their names: the admin's unless said. */
export interface EvidenceOfOrganization {
  org: string;
  id: OrganizationId;
  keys: Record<Role, string>;
  call(method: string, path: string, request?: ApiRequest): Promise<TestAnswer>;
  get(path: string, query?: string): Promise<TestAnswer>;
  putFlow(flow: string, template?: string): Promise<TestAnswer>;
  begin(
    fields: Record<string, unknown>,
    more?: Place & { template?: string; request?: ApiRequest },
  ): Promise<TestAnswer>;
  report(fields: Record<string, unknown>, more?: Place & { request?: ApiRequest }): Promise<TestAnswer>;
  /** By form, as the client does; overrides as plain JSON. */
  attest(kind: string, fields: Record<string, unknown>, options?: AttestOptions): Promise<TestAnswer>;
  /** A trail that is there. */
  trail(place?: Place): Promise<TrailJson>;
  /** Attestations of a trail by name, newest first. */
  named(name: string, place?: Place): Promise<Record<string, unknown>[]>;
  /** Everything that the table holds of the organization, as text. */
  stored(): Promise<string[]>;
}

const ALL: readonly Role[] = ['admin', 'member', 'snapshotter', 'reader'];

export async function newOrganization(api: TestApi, features?: readonly Feature[]): Promise<EvidenceOfOrganization> {
  return evidenceOf(api, await organizationWith(api.services, ALL, features), 'web');
}

/** Organizations of {@link newFlow}. */
const shared = new WeakMap<TestApi, ReturnType<typeof organizationWith<Role>>>();

/**
 * A flow with a name of its own in one organization of the file, for tests that look at nothing but their flow. It saves
 * the items of a new organization and the reads that authenticate its key.
 */
export async function newFlow(api: TestApi): Promise<EvidenceOfOrganization & { flow: string }> {
  const organization = shared.get(api) ?? organizationWith(api.services, ALL);
  shared.set(api, organization);
  const flow = uniqueName('flow');
  return { ...evidenceOf(api, await organization, flow), flow };
}

/** @param defaultFlow the flow of calls that name none */
function evidenceOf(
  api: TestApi,
  { name: org, id, keys }: Awaited<ReturnType<typeof organizationWith<Role>>>,
  defaultFlow: string,
): EvidenceOfOrganization {
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path, { key: keys.admin, ...request });
  const get = (path: string, query = '') => call('GET', path, { query });
  const at = ({ flow = defaultFlow, trail = 'run' }: Place) => ({ flow, trail });
  return {
    org,
    id,
    keys,
    call,
    get,
    putFlow: (flow, template) =>
      call('PUT', `/flows/${org}/template_file`, {
        form: form({ name: flow }, template === undefined ? {} : { template_file: template }),
      }),
    begin: (fields, { template, request, ...place } = {}) =>
      call('PUT', `/trails/${org}/${at(place).flow}`, {
        form: form({ name: at(place).trail, ...fields }, template === undefined ? {} : { template_file: template }),
        ...request,
      }),
    report: (fields, { request, ...place } = {}) =>
      call('POST', `/artifacts/${org}/${at(place).flow}`, {
        json: { ...fields, ...(place.trail !== undefined && { trail_name: place.trail }) },
        ...request,
      }),
    attest: (kind, fields, { files = {}, request, ...place } = {}) =>
      call('POST', `/attestations/${org}/${at(place).flow}/trail/${at(place).trail}/${kind}`, {
        ...(kind === 'override' ? { json: fields } : { form: form(fields, files) }),
        ...request,
      }),
    async trail(place = {}) {
      const { flow, trail } = at(place);
      const { status, json } = await get(`/trails/${org}/${flow}/${trail}`);
      if (status !== 200) throw new Error(`${flow}/${trail} is not there: ${status}`);
      return json as TrailJson;
    },
    async named(name, place = {}) {
      const { flow, trail } = at(place);
      const { status, json } = await get(`/attestations/${org}/${flow}/trail/${trail}/${name}`);
      if (status !== 200) throw new Error(`${flow}/${trail}/${name} is not there: ${status}`);
      return json as Record<string, unknown>[];
    },
    stored: () => storedItems(api.services.table.name, id),
  };
}

const form = (fields: Record<string, unknown>, files: Record<string, string | Uint8Array<ArrayBuffer>>) => ({
  fields: { data_json: JSON.stringify(fields) },
  files,
});

/** All items of an organization, sorted. */
async function storedItems(table: string, org: OrganizationId): Promise<string[]> {
  const items = await scanItems(databaseAddress(), table, org);
  return items.map((item) => JSON.stringify(item)).sort();
}

/** What a refused request answers: status and body. */
export const refusal = ({ status, json }: TestAnswer) => [status, json];

/** The refusal of fields, by their texts. */
export const invalidFields = (errors: Record<string, unknown>) => [
  400,
  { message: 'Input payload validation failed', errors },
];

export const OK = [201, 'OK'];

/** A time on the wire: seconds with a fraction. */
export const isTime = (value: unknown): boolean =>
  typeof value === 'number' && value > 1_700_000_000 && value < 10_000_000_000;

export const ID = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{8}$/;
