import { describe, expect, it } from 'vitest';
import { CONTROL_STATUSES } from '#shared/controls/rules/control-statuses.ts';
import { describeAccess } from '#test/support/access.ts';
import { type ControlsOfOrganization, controlsApi, controlUnknown, newOrganization, refusal } from './controls-api.ts';

const api = await controlsApi();

async function withControl(): Promise<ControlsOfOrganization> {
  const acme = await newOrganization(api);
  await acme.create({ identifier: 'A', name: 'n', description: 'd', links: { a: 'https://a.example/' } });
  return acme;
}

/** One organization for requests that are refused: none of them changes a record. */
const refusing = await withControl();

describe('PUT /controls/{org}/{identifier}', () => {
  describeAccess(api, { method: 'PUT', path: (org) => `/controls/${org}/A`, request: { json: {} }, needs: 'admin' });

  it('adds a version, keeps absent fields, and replaces all links', async () => {
    const acme = await withControl();
    const changed = await acme.update('A', { name: 'new', links: { b: 'https://b.example/' } });
    expect(changed.status).toBe(200);
    const now = { name: 'new', description: 'd', links: { b: 'https://b.example/' }, version: 2 };
    expect(changed.json).toMatchObject(now);
    expect((await acme.get('A')).json).toMatchObject(now);
    expect((await acme.version('A', 1)).json).toMatchObject({ name: 'n', links: { a: 'https://a.example/' } });
    expect((await acme.version('A', 2)).json).toMatchObject({ ...now, status: 'updated', archived: false });
  });

  it('clears the description if it is empty in the request', async () => {
    const acme = await withControl();
    await acme.update('A', { description: '' });
    expect((await acme.get('A')).json).toMatchObject({ description: '', version: 2 });
  });

  it('changes what decisions need, and shows each version as it was', async () => {
    const acme = await withControl();
    await acme.call('PUT', `/flows/${acme.org}`, { json: { name: 'web', description: '' } });
    const requires = { flows: ['web'], signed_by: ['release'], grade: 'signed' };
    expect((await acme.update('A', { requires })).json).toMatchObject({ version: 2, requires, name: 'n' });
    expect((await acme.update('A', { requires })).json).toMatchObject({ version: 2 });
    expect((await acme.update('A', { name: 'new' })).json).toMatchObject({ version: 3, requires });
    await acme.archive('A');
    await acme.unarchive('A');
    expect((await acme.get('A')).json).toMatchObject({ version: 5, requires });
    const cleared = await acme.update('A', { requires: {} });
    expect(cleared.json).toMatchObject({ version: 6 });
    expect(cleared.json).not.toHaveProperty('requires');
    expect((await acme.version('A', 5)).json).toMatchObject({ requires });
    expect((await acme.version('A', 1)).json).not.toHaveProperty('requires');
    const audit = await acme.call('GET', `/audit/${acme.org}`);
    expect(JSON.stringify(audit.json)).toContain('"signed_by":["release"]');
  });

  it.each([{}, { name: 'n' }, { name: null, description: null }, { requires: null }, { requires: {} }])(
    'adds no version for %j',
    async (fields) => {
      expect((await refusing.update('A', fields)).json).toMatchObject({ version: 1, name: 'n', description: 'd' });
      expect((await refusing.version('A', 2)).status).toBe(404);
    },
  );

  it.each([
    [{ identifier: 'B' }, 'identifier', 'Extra inputs are not permitted [input: B]'],
    [{ name: '' }, 'name', expect.stringContaining('at least 1 character')],
    [{ description: [] }, 'description', 'Input should be a valid string [input: []]'],
    [{ links: 'x' }, 'links', 'Input should be a valid dictionary [input: x]'],
    [{ requires: { flows: ['none'] } }, 'requires.flows[0]', 'There is no such flow [input: none]'],
    [{ requires: { flows: [] } }, 'requires.flows', expect.stringContaining('at least 1 item')],
    [{ requires: { signed_by: ['a b'] } }, 'requires.signed_by[0]', expect.stringContaining('[input: a b]')],
    [{ requires: { grade: 'best' } }, 'requires.grade', expect.stringContaining('[input: best]')],
    [{ requires: { team: 'x' } }, 'requires.team', 'Extra inputs are not permitted [input: x]'],
    [{ archived: true }, 'archived', 'Extra inputs are not permitted [input: True]'],
  ])('refuses %j', async (fields, field, text) => {
    const answer = await refusing.update('A', fields);
    expect(refusal(answer)).toEqual([400, { message: 'Input payload validation failed', errors: { [field]: text } }]);
    expect((await refusing.get('A')).json).toMatchObject({ version: 1 });
  });

  it('refuses a change of an archived control', async () => {
    const acme = await withControl();
    await acme.archive('A');
    const answer = await acme.update('A', { name: 'new' });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ message: expect.stringContaining("Control 'A' is archived") });
    expect((await acme.get('A')).json).toMatchObject({ name: 'n', version: 2 });
  });

  it('keeps both of two changes at the same time, numbered without a gap', async () => {
    const acme = await withControl();
    const answers = await Promise.all([acme.update('A', { name: 'new' }), acme.update('A', { description: 'other' })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await acme.get('A')).json).toMatchObject({ name: 'new', description: 'other', version: 3 });
  });

  it('answers 404 for a control of another organization', async () => {
    await withControl();
    const other = await newOrganization(api);
    expect(refusal(await other.update('A', { name: 'x' }))).toEqual(controlUnknown('A', other.org));
  });
});

describe.each(['archive', 'unarchive'] as const)('POST /controls/{org}/{identifier}/%s', (what) => {
  describeAccess(api, { method: 'POST', path: (org) => `/controls/${org}/A/${what}`, needs: 'admin' });

  it('answers 404 for an unknown control', async () => {
    const acme = await newOrganization(api);
    expect(refusal(await acme[what]('A'))).toEqual(controlUnknown('A', acme.org));
    expect(refusal(await acme[what]('bad identifier'))).toEqual(controlUnknown('bad identifier', acme.org));
  });
});

describe('archiving a control', () => {
  it('and unarchiving it add one version each, and none when repeated', async () => {
    const acme = await withControl();
    for (const [what, version, archived] of [
      ['unarchive', 1, false],
      ['archive', 2, true],
      ['archive', 2, true],
      ['unarchive', 3, false],
      ['unarchive', 3, false],
    ] as const) {
      const answer = await acme[what]('A');
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ version, archived, name: 'n' });
    }
    await acme.update('A', { name: 'new' });
    const statuses = await Promise.all([1, 2, 3, 4].map(async (n) => (await acme.version('A', n)).json));
    expect(statuses.map((version) => (version as { status: string }).status)).toEqual([
      'created',
      'archived',
      'unarchived',
      'updated',
    ]);
    expect(new Set(statuses.map((version) => (version as { status: string }).status)).size).toBe(
      CONTROL_STATUSES.length,
    );
  });

  it('removes it from the default list and adds it to the list of archived ones', async () => {
    const acme = await withControl();
    await acme.create({ identifier: 'B', name: 'b' });
    await acme.archive('A');
    const identifiers = async (query: string) => {
      const { json } = await acme.list(query);
      return (json as { controls: { identifier: string }[] }).controls.map(({ identifier }) => identifier);
    };
    expect(await identifiers('')).toEqual(['B']);
    expect(await identifiers('archived=true')).toEqual(['A']);
    expect(await identifiers('archived=false')).toEqual(['B']);
  });
});

describe('the audit log', () => {
  it('has every version of a control, and no entry for requests that change nothing', async () => {
    const acme = await withControl();
    await acme.update('A', { name: 'new' });
    await acme.update('A', { name: 'new' });
    await acme.archive('A');
    await acme.unarchive('A');
    await acme.unarchive('A');
    const { status, json } = await acme.call('GET', `/audit/${acme.org}`);
    expect(status).toBe(200);
    const kinds = JSON.stringify(json).match(/control\.(?:created|updated|archived|unarchived)/g);
    expect(kinds).toEqual(['control.unarchived', 'control.archived', 'control.updated', 'control.created']);
  });
});

describe('a decision', () => {
  it('records the version that its control has at that instant', async () => {
    const acme = await withControl();
    await acme.update('A', { name: 'new' });
    const decide = (control: string, name: string) =>
      acme.call('POST', `/attestations/${acme.org}/build/trail/run/system`, {
        json: {
          attestation_name: name,
          type_name: 'decision',
          control,
          attestation_data: { is_compliant: true },
        },
      });
    expect((await decide('A', 'known')).status).toBe(201);
    expect((await decide('B', 'unknown')).status).toBe(201);
    const { json } = await acme.call('GET', `/attestations/${acme.org}`, { query: 'attestation_type=decision' });
    const versions = (json as { data: { attestation_name: string; control_version: number | null }[] }).data.map(
      ({ attestation_name: name, control_version: version }) => [name, version],
    );
    expect(Object.fromEntries(versions)).toEqual({ known: 2, unknown: null });
  });
});
