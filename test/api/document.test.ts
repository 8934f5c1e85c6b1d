import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { Feature } from '#shared/callers/roles.ts';
import type { Endpoint, Method } from '#shared/http/endpoint.ts';
import { idempotencyMismatch } from '#shared/http/sentences.ts';

interface Row {
  row: number;
  method: Method;
  /** The path of the API document. The names of its parameters may differ from ours. */
  path: string;
  /** See rules/organizations.md#endpoints-of-the-api-document. */
  access: Endpoint['access'];
  feature?: Feature;
  /** What a request has as its body. Default: nothing. */
  body?: Endpoint['body']['kind'];
  /** The path parameter that is a number. */
  number?: string;
  /** Status codes of success (rules/requests.md#success-answers). */
  statuses: number[];
  /** The answer is the string "OK". */
  text?: true;
  /** Sentences of errors that the API document promises. */
  sentences?: string[];
  /** Smallest and largest page size. */
  perPage?: [least: number, most: number];
}

const ROWS: Row[] = [
  {
    row: 1,
    method: 'GET',
    path: '/evaluations/{org}/{evaluation_id}',
    access: 'reader',
    feature: 'evaluations',
    statuses: [200],
    sentences: ['Evaluation not found'],
  },
  {
    row: 2,
    method: 'PATCH',
    path: '/service-accounts/{org}/{name}',
    access: 'snapshotter',
    body: 'json',
    statuses: [200],
    sentences: ['Service account not found'],
  },
  { row: 3, method: 'PUT', path: '/actions/{org}/flows', access: 'member', body: 'json', statuses: [200], text: true },
  {
    row: 4,
    method: 'PUT',
    path: '/environments/{org}',
    access: 'snapshotter',
    body: 'json',
    statuses: [201],
    text: true,
  },
  {
    row: 5,
    method: 'POST',
    path: '/artifacts/{org}/{flow_name}',
    access: 'member',
    body: 'json',
    statuses: [201],
    text: true,
  },
  {
    row: 6,
    method: 'PUT',
    path: '/flows/{org}/{flow_name}/rename',
    access: 'member',
    body: 'json',
    statuses: [200],
    text: true,
    sentences: ['Flow not found'],
  },
  ...[7, 8, 9].map((row): Row => {
    const kind = { 7: '(jira|issue_tracker)', 8: 'custom', 9: 'generic' }[row];
    const path = `/attestations/{org}/{flow_name}/trail/{trail_name}/${kind}`;
    return { row, method: 'POST', path, access: 'member', body: 'multipart', statuses: [201], text: true };
  }),
  {
    row: 10,
    method: 'GET',
    path: '/organizations/{org}/environments_notifications/{notification_number}',
    access: 'reader',
    number: 'notification_number',
    statuses: [200],
    sentences: ['Action not found'],
  },
  {
    row: 11,
    method: 'GET',
    path: '/trails/{org}/{flow_name}/{trail_name}/moments',
    access: 'reader',
    feature: 'evaluations',
    statuses: [200],
    sentences: ['Flow, trail or moment series not found'],
    perPage: [1, 100],
  },
  { row: 12, method: 'GET', path: '/builds/{org}', access: 'reader', statuses: [200], perPage: [0, 50] },
  {
    row: 13,
    method: 'GET',
    path: '/controls/{org}/{identifier}/versions/{version_number}',
    access: 'reader',
    number: 'version_number',
    feature: 'controls',
    statuses: [200],
    sentences: ['Control or version not found'],
  },
  {
    row: 14,
    method: 'GET',
    path: '/actions/{org}/{action_number}',
    access: 'reader',
    number: 'action_number',
    statuses: [200],
  },
  {
    row: 15,
    method: 'GET',
    path: '/snapshots/{org}/{env_name}',
    access: 'reader',
    statuses: [200],
    sentences: ['Flow not found'],
    // The document does not show the largest size of this row (rules/lists.md#page-sizes).
    perPage: [1, 1000],
  },
  {
    row: 16,
    method: 'GET',
    path: '/environments/{org}/{env_name}/deployment_frequency',
    access: 'reader',
    statuses: [200],
  },
  {
    row: 17,
    method: 'GET',
    path: '/schemas/environment-policy/v1',
    access: 'authenticated',
    statuses: [200],
  },
  { row: 18, method: 'GET', path: '/custom-attestation-types/{org}', access: 'reader', statuses: [200] },
];

const defined = groups.flatMap(({ endpoints }) => endpoints).filter(({ row }) => row !== undefined);
const definitionsOf = (row: number) => defined.filter((endpoint) => endpoint.row === row);

/** A pattern for a path, with any name for each parameter. */
const patternOf = (path: string) => new RegExp(`^${path.replace(/\{[^}]*\}/g, '\\{[^}]*\\}')}$`);

describe('the 18 endpoints of the API document', () => {
  test('have the numbers 1 to 18, and no definition has another number', () => {
    expect(ROWS.map(({ row }) => row)).toEqual(Array.from({ length: 18 }, (_, i) => i + 1));
    expect(defined.map(({ row }) => row).filter((row) => !ROWS.some((known) => known.row === row))).toEqual([]);
  });

  test('are all served', () => {
    const open = ROWS.filter(({ row }) => definitionsOf(row).length === 0);
    expect(open.map(({ row, method, path }) => `${row} ${method} ${path}`)).toEqual([]);
  });

  for (const row of ROWS) {
    for (const endpoint of definitionsOf(row.row)) {
      describe(`${row.row} ${row.method} ${endpoint.path}`, () => checkDefinition(row, endpoint));
    }
  }
});

function checkDefinition(row: Row, endpoint: Endpoint): void {
  test('has the documented method and path', () => {
    expect(endpoint.method).toBe(row.method);
    expect(endpoint.path).toMatch(patternOf(row.path));
  });

  test('takes the documented kind of body, and answers JSON', () => {
    expect(endpoint.body.kind).toBe(row.body ?? 'none');
    expect(endpoint.produces ?? 'json').toBe('json');
  });

  test('has texts as path parameters, except for documented numbers', () => {
    for (const [name, schema] of Object.entries(endpoint.params.shape)) {
      const read = (text: string) => schema.safeParse(text).data;
      if (name === row.number) expect([read('7'), read('x')]).toEqual([7, undefined]);
      else expect(read('7')).toBe('7');
    }
  });

  test('asks for the documented role and feature', () => {
    expect(endpoint.access).toBe(row.access);
    expect(endpoint.feature).toBe(row.feature);
  });

  test('has the documented answers of success', () => {
    expect(Object.keys(endpoint.success).map(Number)).toEqual(row.statuses);
    if (!row.text) return;
    for (const schema of Object.values(endpoint.success)) {
      expect(schema.safeParse('OK').success).toBe(true);
      expect(schema.safeParse({}).success).toBe(false);
    }
  });

  test('has the documented sentences of errors', () => {
    const texts = endpoint.errors.map(({ text }) => text);
    for (const sentence of row.sentences ?? []) expect(texts).toContain(sentence);
  });

  test('names the wrong field in every 400', () => {
    const texts = [...endpoint.errors, idempotencyMismatch].filter(({ kind }) => kind === 'invalid');
    expect(texts.map((sentence) => sentence().errors ?? sentence.text)).toEqual(texts.map(() => expect.any(Object)));
  });

  test('accepts page sizes within the documented limits', () => {
    if (!row.perPage) return;
    const [least, most] = row.perPage;
    const accepts = (query: object) => endpoint.query.safeParse(query).success;
    expect([accepts({ page: '1' }), accepts({ page: '0' })]).toEqual([true, false]);
    expect([accepts({ per_page: String(least) }), accepts({ per_page: String(least - 1) })]).toEqual([true, false]);
    expect([accepts({ per_page: String(most) }), accepts({ per_page: String(most + 1) })]).toEqual([true, false]);
  });
}

describe('what an endpoint makes', () => {
  const endpoints = groups.flatMap((group) => group.endpoints);
  const makers = endpoints.flatMap(({ operation, makes }) => (makes ? [[operation, makes] as const] : []));

  test.each(makers)('%s: its address is read by another endpoint', (_, { at }) => {
    const [path = '', query = ''] = at.split('?');
    const reader = endpoints.find((other) => other.method === 'GET' && patternOf(path).test(other.path));
    if (!reader) throw new Error(`No endpoint reads ${path}`);
    expect(Object.keys(reader.query.shape)).toEqual(expect.arrayContaining([...new URLSearchParams(query).keys()]));
  });

  /** Endpoints with the status 201 whose record has no read of its own. */
  const UNREAD = ['allowArtifact', 'putMember', 'presignUpload', 'startSession'];

  test('is declared by every endpoint with the status 201', () => {
    const silent = endpoints.filter(({ success, makes }) => 201 in success && !makes);
    expect(silent.map(({ operation }) => operation).toSorted()).toEqual(UNREAD.toSorted());
  });
});
